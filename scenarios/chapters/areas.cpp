// Chapter areas: kinds of memory that can be registered.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "harness/ring/area.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab::areas {
namespace {

struct Kind {
    const char* name;
    AreaKind kind;
    std::string_view claims;
    Terms terms = Needs{};
    bool huge = false;
};
const Kind kKinds[] = {
    {"huge_pages", AreaKind::kHugePages, "areas.huge-pages", Needs{.memory = 100U << 20}, true},
    {"transparent_huge_pages", AreaKind::kTransparent, "areas.huge-pages"},
    {"memfd", AreaKind::kMemfd, "areas.shared-memory"},
    {"memfd_of_huge_pages", AreaKind::kHugeMemfd, "areas.shared-memory",
     Needs{.memory = 100U << 20}, true},
};

SCENARIO_TABLE(areas, kind, "memory of any kind receives a stream", Needs{}, kKinds, row) {
    if (row.huge) reserve_until_end(scene, kHugePagesOfScenarios);
    ReceivePath rx(scene, {.ifq = {.area_kind = row.kind,
                                   .area_size = kHugePagesOfScenarios * kHugePageSize}});
    rx.connect({.bytes = 4U << 20});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 4U << 20);
}

// Root may have memory there. To the kernel the address says that there is no area.
SCENARIO(areas, at_address_zero, "memory that is mapped at address 0 is no area",
         Terms(Needs{}).claims({"registration.area-memory"})) {
    const IfqOptions options = small_ifq(scene);
    const auto request = scene.must(IfqRequest::prepare(options));
    if (::mmap(nullptr, options.area_size, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        GTEST_SKIP() << error_from_errno("map memory at address 0").sentence;
    request->area.address = 0;
    Ring ring = scene.must(Ring::create());
    scene.returned("IORING_REGISTER_ZCRX_IFQ of an area at address 0", EFAULT,
                   errno_of(register_raw(ring, &request->registration)));
    ::munmap(nullptr, options.area_size);
}

// The same huge page again and again: the address space is large, the memory is not. Without a
// device the buffers come from the end of the area first.
SCENARIO(areas, above_4_gib, "the offset of a buffer above 4 GiB is right",
         Terms(Needs{.memory = 600U << 20,
                     .features = {Feature::kNodev, Feature::kFlushRq, Feature::kLargeArea}})
             .within(std::chrono::seconds(180))
             .claims({"areas.above-4-gib"})) {
    reserve_until_end(scene, 1);
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = kSmallArea;
    options.rq_entries = 64;
    auto request = scene.must(IfqRequest::prepare(options));
    repeat_huge_pages(scene, *request, 1, (uint64_t{4} << 30) + 16 * kHugePageSize);
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));
    SingleThreadStream tap(scene, ring, ifq->zcrx_id(), *ifq);
    tap.leave_uncounted(Uncounted::kRepeated);
    tap.send_and_expect(50000);
    EXPECT_GT(tap.highest_offset(), uint64_t{4} << 30) << "Nothing above 4 GiB was used.";
}

// The kernel keeps the pages that it pinned. What is mapped at the address later is not theirs.
SCENARIO(areas, unmapped_while_registered,
         "data for an area that was unmapped goes nowhere else, and its pages come back",
         Terms(Needs{}).claims({"areas.unmapped-while-registered"})) {
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, receiving_ifq(scene), &scene.trace()));
    SingleThreadStream tap(scene, ring, ifq->zcrx_id(), *ifq);
    tap.leave_uncounted(Uncounted::kMemoryTaken);
    tap.send_and_expect(5000);
    const std::span<std::byte> area = ifq->area();
    ASSERT_NE(mmap(area.data(), area.size(), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              MAP_FAILED);
    for (int i = 0; i < 4; ++i) tap.send_and_expect(5000, false);
    EXPECT_TRUE(std::all_of(area.begin(), area.end(), [](std::byte b) {
        return b == std::byte{0};
    })) << "Payload went into memory that was never registered.";
}

SCENARIO(areas, buffers_of_a_page, "asking for buffers of a page works as asking for nothing does",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kRxBufferSize}})
             .claims({"areas.page-buffers-everywhere"})) {
    IfqOptions options = small_ifq(scene);
    options.buffer_length = kPageSize;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    scene.returned("IORING_REGISTER_ZCRX_IFQ with buffers of a page", 0,
                   errno_of(register_raw(ring, &request->registration)));
    scene.done("ring r");
    tell_registration(scene, "q", "r", options, 0, " rx_buf_len=4096");
}

// A driver that has larger buffers takes them.
SCENARIO(areas, buffers_of_two_pages, "larger buffers are taken, or refused as unsupported",
         Terms(Needs{.where = Where::kDevice,
                     .memory = 100U << 20,
                     .features = {Feature::kRxBufferSize}})
             .claims({"registration.buffer-unsupported"})) {
    reserve_until_end(scene, 1);
    IfqOptions options = small_ifq(scene);
    options.area_kind = AreaKind::kHugePages;
    options.area_size = kHugePageSize;
    options.buffer_length = 2 * kPageSize;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    const int seen = errno_of(register_raw(ring, &request->registration));
    scene.returned("IORING_REGISTER_ZCRX_IFQ with buffers of two pages", seen == 0 ? 0 : EOPNOTSUPP,
                   seen);
    scene.done("ring r");
    tell_registration(scene, "q", "r", options, seen, " memory=huge rx_buf_len=8192");
}

}  // namespace
}  // namespace zcrxlab::areas
