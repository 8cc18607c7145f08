// Chapter control, very many areas, and areas of different kinds.
#include <gtest/gtest.h>

#include <cerrno>
#include <iterator>
#include <set>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::control_areas {
namespace {

constexpr uint32_t kMostAreas = 1024;  // ZCRX_MAX_AREAS

// Each is of the same page.
SCENARIO(control, most_areas, "an instance may have 1024 areas, and no more",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.most-areas"})) {
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, small_ifq(scene), &scene.trace()));
    const AreaMemory page = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kPageSize));
    const auto add = [&] {
        uapi::ZcrxAreaReg area{};
        area.address = reinterpret_cast<uintptr_t>(page.data());
        area.length = page.size();
        uapi::ZcrxCtrl control{};
        control.zcrx_id = ifq->zcrx_id();
        control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
        control.add.area = reinterpret_cast<uintptr_t>(&area);
        return errno_of(control_raw(ring, control));
    };
    for (uint32_t areas = 1; areas < kMostAreas; ++areas)
        ASSERT_EQ(add(), 0) << "beside " << areas << " areas";
    scene.returned("ADD_AREA beside 1024 areas", EINVAL, add());
}

// They are small, so that all of them are used, and their buffers come back, many times.
SCENARIO(control, areas_under_traffic,
         "100 areas of different kinds that are added while a stream runs are used, and cost it "
         "no byte",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.add-area"})) {
    constexpr uint32_t kAreas = 100;
    constexpr AreaKind kKinds[] = {AreaKind::kAnonymous, AreaKind::kMemfd, AreaKind::kTransparent};
    ReceivePath rx(scene, {.ifq = {.area_size = 5_MiB},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = 32}});
    std::set<uint64_t> used;
    rx.receiver().on_data = [&](uint32_t, const Completion& completion, auto) {
        used.insert(completion.offset >> uapi::kZcrxAreaShift);
    };
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    for (uint32_t areas = 0; areas < kAreas; ++areas) {
        scene.must(rx.ifq().add_area(
            scene.must(AreaMemory::allocate(kKinds[areas % std::size(kKinds)], kSmallArea))));
        rx.peer(stream).send_more(32_KiB);
        if (areas % 8 == 0) rx.receive((areas + 1) * 32_KiB);
    }
    rx.receive(kAreas * 32_KiB);
    // The first area holds more than what the device posts.
    rx.receiver().options().returns = ReturnPolicy::kNever;
    uint64_t sent = kAreas * 32_KiB;
    while (used.size() <= kAreas / 2 && scene.time_left().count() > 0) {
        rx.peer(stream).send_more(256_KiB);
        sent += 256_KiB;
        rx.receive(sent);
    }
    EXPECT_GT(used.size(), kAreas / 2) << "So few areas were used.";
    scene.must(rx.receiver().return_held());
    rx.abandon();
}

SCENARIO(
    control, area_through_import,
    "an area that an importer adds while the exporter receives is used by the exporter",
    Terms(Needs{.features = {Feature::kAddArea, Feature::kExport}}).claims({"control.add-area"})) {
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 5_MiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    Ring importer = scene.must(Ring::create());
    const Fd box = scene.must(rx.ifq().export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    bool used = false;
    rx.receiver().on_data = [&](uint32_t, const Completion& completion, auto) {
        used = used || completion.offset >> uapi::kZcrxAreaShift != 0;
    };
    // A request that finds the first area used up before there is another ends with -ENOMEM.
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    rx.peer(stream).send_more(1_MiB);
    rx.receive(512_KiB);
    rx.ifq().control_through(importer, id);
    scene.must(rx.ifq().add_area(scene.must(AreaMemory::allocate(AreaKind::kAnonymous, 4_MiB))));
    rx.ifq().control_through(rx.ring(), rx.ifq().zcrx_id());
    rx.peer(stream).send_more(1U << 30);
    scene.must(rx.receiver().run(scene.time_left() / 2, [&] { return used; }));
    EXPECT_TRUE(used) << "No buffer of the area was used.";
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::control_areas
