// Chapter teardown: what the kernel allocates for instances, areas and events is freed again.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/base/mapping.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"
#include "scenarios/framework/surroundings/kernel_objects.hpp"

namespace zcrxlab::teardown_memory {
namespace {

constexpr uint32_t kTimes = 128;
// On nodev only: a machine with a NIC may be one of a lab, where others allocate, too.

// Without a device, whose queue would be stopped and started each time.
IfqOptions deviceless(Scene& scene) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = kSmallArea;
    options.rq_entries = 16;
    options.events = EventOptions{.types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kCopy),
                                  .statistics = true};
    return options;
}

// With an area that was added and an export that was closed.
void come_and_go(Scene& scene, const IfqOptions& options, const AreaMemory& more) {
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, options));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(more.data());
    area.length = more.size();
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq->zcrx_id();
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    ASSERT_EQ(control_raw(ring, control), 0);
    const Fd box = scene.must(ifq->export_box());
}

SCENARIO(
    teardown, memory_of_instances,
    "what the kernel allocates for an instance, for a further area and for a registration that is "
    "refused is freed",
    Terms(Needs{.where = Where::kNodev, .features = {Feature::kNodev, Feature::kAddArea}})
        .claims({"teardown.memory"})) {
    const IfqOptions options = deviceless(scene);
    const AreaMemory more = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea));
    expect_leaves_no_objects(scene, "an instance with two areas", kTimes,
                             [&] { come_and_go(scene, options, more); });

    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    const auto refuse = [&](const std::string& name, int expected, const auto& bend) {
        const uapi::ZcrxIfqReg registration = request->registration;
        const uapi::ZcrxAreaReg area = request->area;
        expect_leaves_no_objects(scene, name, kTimes, [&] {
            bend();
            const int seen = errno_of(register_raw(ring, &request->registration));
            request->registration = registration;
            request->area = area;
            ASSERT_EQ(seen, expected);
        });
    };
    refuse("an area of a length that is refused", EINVAL, [&] { request->area.length -= 512; });
    // Found at the very end, when all is there.
    Mapping page = scene.must(Mapping::anonymous(kPageSize));
    std::memcpy(page.data(), &request->region, sizeof request->region);
    ASSERT_EQ(::mprotect(page.data(), kPageSize, PROT_READ), 0);
    refuse("an answer that cannot be written", EFAULT,
           [&] { request->registration.region = reinterpret_cast<uintptr_t>(page.data()); });
}

SCENARIO(teardown, memory_of_events, "what the kernel allocates for an event is freed",
         Terms(Needs{.where = Where::kNodev, .features = {Feature::kNodev, Feature::kEvents}})
             .claims({"teardown.memory"})) {
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, deviceless(scene), &scene.trace()));
    SingleThreadStream stream(scene, ring, ifq->zcrx_id(), *ifq);
    expect_leaves_no_objects(scene, "an event", kTimes, [&] {
        stream.send_and_expect(100);
        ASSERT_EQ(stream.take_other().size(), 1U) << "no event";
        scene.must(ifq->arm(uapi::ZcrxEvent::kCopy));
    });
}

}  // namespace
}  // namespace zcrxlab::teardown_memory
