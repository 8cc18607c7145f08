// What a registration is made of, before any kernel sees it; areas; capacity.
#include <gtest/gtest.h>

#include "harness/ring/capacity.hpp"
#include "harness/ring/ifq.hpp"

namespace zcrxlab {
namespace {

TEST(IfqRequest, PointsAtItsOwnParts) {
    IfqOptions options;
    options.area_size = 1U << 20;
    auto request = IfqRequest::prepare(options);
    ASSERT_TRUE(request) << request.error().sentence;
    const IfqRequest& r = **request;
    EXPECT_EQ(r.registration.flags, uapi::kRegNodev);
    EXPECT_EQ(r.registration.area, reinterpret_cast<uintptr_t>(&r.area));
    EXPECT_EQ(r.registration.region, reinterpret_cast<uintptr_t>(&r.region));
    EXPECT_EQ(r.registration.rq_entries, 256U);
    EXPECT_EQ(r.registration.event_desc, 0U);
    EXPECT_EQ(r.area.length, 1U << 20);
    EXPECT_EQ(r.area.address % kPageSize, 0U);
    EXPECT_EQ(r.area.token, 0U);
    EXPECT_EQ(r.region.flags, uapi::kRegionUser);
    EXPECT_GE(r.region.size, 128 + 256 * sizeof(uapi::ZcrxRqe));
    EXPECT_EQ(r.region.size % kPageSize, 0U);
}

TEST(IfqRequest, KernelMemoryHasNoAddress) {
    IfqOptions options;
    options.area_size = 1U << 20;
    options.rq_memory_of_kernel = true;
    auto request = IfqRequest::prepare(options);
    ASSERT_TRUE(request);
    EXPECT_EQ((*request)->region.user_address, 0U);
    EXPECT_EQ((*request)->region.flags, 0U);
    EXPECT_FALSE((*request)->region_memory);
}

TEST(IfqRequest, StatisticsLieBehindTheEntries) {
    IfqOptions options;
    options.area_size = 1U << 20;
    options.events = EventOptions{5, 3, true};
    auto request = IfqRequest::prepare(options);
    ASSERT_TRUE(request);
    const IfqRequest& r = **request;
    EXPECT_EQ(r.registration.event_desc, reinterpret_cast<uintptr_t>(&r.event));
    EXPECT_EQ(r.event.user_data, 5U);
    EXPECT_EQ(r.event.type_mask, 3U);
    EXPECT_EQ(r.event.flags, uapi::kEventDescStats);
    EXPECT_GE(r.event.stats_offset, 128 + 256 * sizeof(uapi::ZcrxRqe));
    EXPECT_EQ(r.event.stats_offset % 8, 0U);
    EXPECT_LE(r.event.stats_offset + sizeof(uapi::ZcrxStats), r.region.size);
}

TEST(IfqRequest, AnUnknownInterfaceIsNamed) {
    IfqOptions options;
    options.interface = "nosuch0";
    auto request = IfqRequest::prepare(options);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, ENODEV);
    EXPECT_NE(request.error().sentence.find("nosuch0"), std::string::npos);
}

TEST(IfqRequest, ManyEntriesAreCappedAsTheKernelDoes) {
    IfqOptions options;
    options.area_size = 256U << 20;
    auto request = IfqRequest::prepare(options);
    ASSERT_TRUE(request);
    EXPECT_EQ((*request)->registration.rq_entries, 32768U);
}

TEST(Ifq, EveryErrorOfARegistrationIsExplained) {
    IfqOptions options;
    options.interface = "eth7";
    options.queue = 3;
    for (const int code :
         {EPERM, EINVAL, EOPNOTSUPP, ENODATA, EEXIST, EBUSY, ERANGE, ENODEV, ENOMEM, EFAULT}) {
        const std::string sentence = explain_registration(code, options);
        EXPECT_NE(sentence.find("queue 3 of eth7"), std::string::npos) << sentence;
        EXPECT_NE(sentence.find(std::strerror(code)), std::string::npos) << sentence;
    }
    EXPECT_NE(explain_registration(EINVAL, options).find("type: zcrxlab lab split eth7 (or, "),
              std::string::npos);
    EXPECT_NE(explain_registration(EINVAL, {}).find("Linux 7.1"), std::string::npos);
}

TEST(AreaMemory, HasTheSizeAskedForAndIsZeroed) {
    for (const AreaKind kind : {AreaKind::kAnonymous, AreaKind::kTransparent, AreaKind::kMemfd}) {
        auto area = AreaMemory::allocate(kind, 64 * kPageSize);
        ASSERT_TRUE(area) << area.error().sentence;
        EXPECT_EQ(area->size(), 64 * kPageSize);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(area->data()) % kPageSize, 0U);
        for (const std::byte byte : area->bytes()) ASSERT_EQ(byte, std::byte{0});
    }
}

TEST(AreaMemory, RefusesSizesThatAreNoPages) {
    EXPECT_EQ(AreaMemory::allocate(AreaKind::kAnonymous, 100).error().code, EINVAL);
    EXPECT_EQ(AreaMemory::allocate(AreaKind::kAnonymous, 0).error().code, EINVAL);
    EXPECT_EQ(AreaMemory::allocate(AreaKind::kHugePages, kPageSize).error().code, EINVAL);
    EXPECT_EQ(AreaMemory::repeating(kPageSize, kPageSize + 1).error().code, EINVAL);
    EXPECT_EQ(AreaMemory::repeating(kPageSize, kPageSize, AreaKind::kHugeMemfd).error().code,
              EINVAL);
    EXPECT_EQ(AreaMemory::repeating(kPageSize, kPageSize, AreaKind::kAnonymous).error().code,
              EINVAL);
}

TEST(AreaMemory, ARepeatingAreaShowsTheSameMemoryAgain) {
    auto area = AreaMemory::repeating(2 * kPageSize, 8 * kPageSize);
    ASSERT_TRUE(area) << area.error().sentence;
    area->data()[kPageSize + 5] = std::byte{77};
    for (size_t at = 0; at < area->size(); at += 2 * kPageSize)
        EXPECT_EQ(area->data()[at + kPageSize + 5], std::byte{77});
}

TEST(PhysicalPages, NeedsWholePages) {
    auto area = AreaMemory::allocate(AreaKind::kAnonymous, 4 * kPageSize);
    ASSERT_TRUE(area);
    EXPECT_EQ(physical_pages(area->bytes().subspan(1)).error().code, EINVAL);
}

TEST(PhysicalPages, AreDifferentPagesOrTheReasonIsGiven) {
    auto area = AreaMemory::allocate(AreaKind::kAnonymous, 4 * kPageSize);
    ASSERT_TRUE(area);
    const auto pages = physical_pages(area->bytes());
    if (!pages) {
        EXPECT_EQ(pages.error().code, EPERM) << pages.error().sentence;
        return;
    }
    ASSERT_EQ(pages->size(), 4U);
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ((*pages)[i] % kPageSize, 0U);
        for (size_t j = 0; j < i; ++j) EXPECT_NE((*pages)[i], (*pages)[j]);
    }
}

TEST(CapacityCount, CountsBuffersNotCqes) {
    CapacityCount count(nullptr);
    count.add(0x1000, 2048, 4096);
    count.add(0x1800, 2048, 4096);  // the other half of the same page
    count.add(0x3000, 1, 4096);
    EXPECT_EQ(count.taken.size(), 2U);
    EXPECT_EQ(count.handed_twice, 0U);
    EXPECT_EQ(count.cqes, 3U);
}

TEST(CapacityCount, SeesABufferHandedOutTwice) {
    CapacityCount count(nullptr);
    count.add(0x1000, 1448, 4096);
    count.add(0x1000, 1448, 4096);
    EXPECT_EQ(count.handed_twice, 1U);
    count.add(0x2000, 100, 4096);
    count.add(0x2000 + 99, 1, 4096);  // one byte of overlap
    EXPECT_EQ(count.handed_twice, 2U);
    count.add(0x2000 + 100, 1, 4096);
    EXPECT_EQ(count.handed_twice, 2U);
    EXPECT_EQ(count.taken.size(), 2U);
}

TEST(CapacityCount, ABufferThatWentBackMayComeAgainAndIsStillCounted) {
    CapacityCount count(nullptr);
    count.add(0x1000, 1448, 4096);
    count.give_back(0x1000, 4096);
    EXPECT_EQ(count.taken.size(), 1U);
    count.add(0x1000, 1448, 4096);
    EXPECT_EQ(count.handed_twice, 0U);
    EXPECT_EQ(count.taken.size(), 1U);
}

TEST(CapacityCount, TellsAreasApart) {
    CapacityCount count(nullptr);
    count.add(0x1000, 10, 4096);
    count.add((uint64_t{1} << uapi::kZcrxAreaShift) + 0x1000, 10, 4096);
    EXPECT_EQ(count.taken.size(), 2U);
    EXPECT_EQ(count.handed_twice, 0U);
}

}  // namespace
}  // namespace zcrxlab
