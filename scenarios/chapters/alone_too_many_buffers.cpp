// Chapter alone: an area of more buffers than the kernel can have an array for.
#include <gtest/gtest.h>

#include <cerrno>

#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab::alone_too_many_buffers {
namespace {

// Nobody gets an array of more than INT_MAX bytes (mm/slub.c:__kvmalloc_node_noprof), however much
// memory there is, and the net_iov of a buffer has 64.
constexpr uint64_t kArea = uint64_t{1} << 37;
// The pointers to its pages, which come first, take 256 MiB.
constexpr uint64_t kMemory = 500_MiB;

// What is compared before and after.
void expect_nothing_left(Scene& scene, const MemoryCounters& before) {
    const MemoryCounters after = scene.must(read_memory_counters());
    EXPECT_EQ(after.pinned_kb, before.pinned_kb) << "Memory stays accounted as pinned.";
    EXPECT_EQ(after.locked_kb, before.locked_kb) << "Memory stays locked.";
    // System-wide: the process before may still be letting go of some.
    EXPECT_LE(after.pinned_pages, before.pinned_pages) << "Pages stay pinned.";
}

SCENARIO(alone, too_many_buffers,
         "an area of more buffers than there can be arrays for is refused and leaves nothing, and "
         "no warning",
         Terms(Needs{.memory = kMemory, .features = {Feature::kLargeArea}})
             .claims({"registration.too-many-buffers"})) {
    reserve_until_end(scene, kHugePagesOfScenarios);
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        repeat_huge_pages(scene, *request, kHugePagesOfScenarios, kArea);
        const MemoryCounters before = scene.must(read_memory_counters());
        scene.returned("IORING_REGISTER_ZCRX_IFQ with an area of 128 GiB", ENOMEM,
                       errno_of(register_raw(ring, &request->registration)));
        expect_nothing_left(scene, before);
    }
    expect_registers(scene, options);
}

SCENARIO(alone, add_too_many_buffers,
         "such an area that is added is refused and leaves nothing, and no warning, and another "
         "one can be added",
         Terms(Needs{.memory = kMemory, .features = {Feature::kLargeArea, Feature::kAddArea}})
             .claims({"registration.too-many-buffers"})) {
    reserve_until_end(scene, kHugePagesOfScenarios);
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, small_ifq(scene), &scene.trace()));
    const auto request = scene.must(IfqRequest::prepare(ifq->options()));
    repeat_huge_pages(scene, *request, kHugePagesOfScenarios, kArea);
    const MemoryCounters before = scene.must(read_memory_counters());
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq->zcrx_id();
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&request->area);
    scene.returned("ADD_AREA of 128 GiB", ENOMEM, errno_of(control_raw(ring, control)));
    expect_nothing_left(scene, before);
    scene.must(ifq->add_area(scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea))));
}

}  // namespace
}  // namespace zcrxlab::alone_too_many_buffers
