// Whose a buffer is, over time; and when the device wrote.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/results/timeline/told_trace.hpp"

namespace zcrxlab {
namespace {

constexpr int64_t kMicrosecond = 1'000;

// `microseconds` after packet `packet` was posted, on the guest's clock.
int64_t moment(int64_t packet, int64_t microseconds) {
    return kToldBegin + kToldData + packet * kMillisecond + microseconds * kMicrosecond;
}

AreaOwners area_of(const std::vector<Event>& events) {
    std::vector<AreaOwners> areas = owners(events, write_times(events));
    EXPECT_EQ(areas.size(), 1U);
    return areas.empty() ? AreaOwners{} : areas.front();
}

bool ever(const AreaOwners& area, Owner owner) {
    return std::ranges::any_of(area.changes,
                               [&](const OwnerChange& change) { return change.owner == owner; });
}

TEST(WriteTimes, AreThoseOfTheDeviceOnTheGuestsClock) {
    const std::vector<Event> events = told_trace();
    const WriteTimes times = write_times(events);
    ASSERT_EQ(times.writes.size(), 40U);
    // A write is told later by the fastest way from it to its CQE, which is 200 us here.
    for (size_t packet = 0; packet < times.writes.size(); ++packet) {
        EXPECT_EQ(times.writes[packet].written, moment(static_cast<int64_t>(packet), 500));
        EXPECT_EQ(times.writes[packet].posted, moment(static_cast<int64_t>(packet), 200));
        EXPECT_EQ(times.writes[packet].stream, 1U);
        EXPECT_EQ(times.writes[packet].position, packet * 4096);
    }
    ASSERT_TRUE(times.offset);
}

TEST(WriteTimes, SurviveAWrapOfTheDevicesClock) {
    std::vector<Event> events = told_trace();
    auto& entries = nth<DmaWrites>(events).entries;
    const uint32_t shift = 0xffffffffU - entries[20].written;
    for (DmaLogEntry& entry : entries) {
        entry.written = entry.written + shift;
        entry.posted = entry.posted + shift;
    }
    const WriteTimes times = write_times(events);
    EXPECT_EQ(times.writes[39].written, moment(39, 500));
    EXPECT_EQ(times.writes[39].posted, moment(39, 200));
}

TEST(WriteTimes, WithoutStampsAWriteIsNoLaterThanItsCqeAndWhatFollows) {
    std::vector<Event> events = told_trace({.stamps = false});
    // A header is delivered by nothing, but its payload follows it in the log.
    auto& entries = nth<DmaWrites>(events).entries;
    DmaLogEntry header = entries[3];
    header.kind = DmaKind::kHeader;
    entries.insert(entries.begin() + 3, header);
    const WriteTimes times = write_times(events);
    EXPECT_FALSE(times.offset);
    EXPECT_EQ(times.writes[3].written, moment(3, 500));
    EXPECT_FALSE(times.writes[3].cqe);
    EXPECT_EQ(times.writes[4].written, moment(3, 500));
    EXPECT_FALSE(times.writes[4].posted);
    EXPECT_TRUE(times.writes[4].cqe);
}

TEST(Owners, ABufferGoesRound) {
    // 20 pages and 8 of them held: buffer 0 is used by packets 0 and 20.
    const AreaOwners area = area_of(told_trace({.packets = 40, .pages = 20}));
    EXPECT_EQ(area.buffers, 20U);
    EXPECT_EQ(area.buffer_size, 4096U);
    const auto owner = [&](int64_t packet, int64_t microseconds) {
        return owner_at(area, 0, moment(packet, microseconds));
    };
    EXPECT_EQ(owner(-5, 0), Owner::kFree);
    EXPECT_EQ(owner(0, 199), Owner::kFree);
    EXPECT_EQ(owner(0, 200), Owner::kPosted);
    EXPECT_EQ(owner(0, 500), Owner::kUser) << "written and delivered at once, as far as is known";
    EXPECT_EQ(owner(8, 599), Owner::kUser);
    EXPECT_EQ(owner(8, 600), Owner::kRing);
    // No buffer that was returned is seen again before this one.
    EXPECT_EQ(owner(20, 199), Owner::kRing);
    EXPECT_EQ(owner(20, 200), Owner::kPosted);
    EXPECT_EQ(owner(20, 500), Owner::kUser);
    EXPECT_FALSE(ever(area, Owner::kTwice));
}

TEST(Owners, WhatIsWrittenAndNotDeliveredIsInASocket) {
    std::vector<Event> events = told_trace();
    // The first three come slower than the others.
    auto& entries = nth<DmaWrites>(events).entries;
    for (size_t i = 0; i < 3; ++i) entries[i].written = entries[i].written - 100;
    const AreaOwners area = area_of(events);
    EXPECT_EQ(owner_at(area, 0, moment(0, 399)), Owner::kPosted);
    EXPECT_EQ(owner_at(area, 0, moment(0, 400)), Owner::kSocket);
    EXPECT_EQ(owner_at(area, 0, moment(0, 499)), Owner::kSocket);
    EXPECT_EQ(owner_at(area, 0, moment(0, 500)), Owner::kUser);
}

TEST(Owners, WhatIsBehindAnEntryThatWasTakenWasTakenToo) {
    // Two buffers are returned, and the second one is seen again first.
    std::vector<Event> events = told_trace({.packets = 20, .pages = 64, .held = 1});
    auto& entries = nth<DmaWrites>(events).entries;
    const uint64_t second = entries[1].address;
    entries[15].address = second;
    nth<CqeSeen>(events, 15).offset = 4096;
    const AreaOwners area = area_of(events);
    EXPECT_EQ(owner_at(area, 0, moment(15, 199)), Owner::kRing);
    EXPECT_EQ(owner_at(area, 0, moment(15, 200)), Owner::kFree);
    EXPECT_EQ(owner_at(area, 1, moment(15, 200)), Owner::kPosted);
    EXPECT_EQ(owner_at(area, 2, moment(15, 200)), Owner::kRing) << "it stands behind them";
}

TEST(Owners, ABufferHandedOutTwiceIsSeen) {
    const AreaOwners area = area_of(told_trace({.twice = 10}));
    // Packet 10 came where packet 9 still was.
    EXPECT_EQ(owner_at(area, 9, moment(10, 499)), Owner::kUser);
    EXPECT_EQ(owner_at(area, 9, moment(10, 500)), Owner::kTwice);
    EXPECT_EQ(owner_at(area, 9, moment(17, 599)), Owner::kTwice);
    EXPECT_EQ(owner_at(area, 9, moment(17, 600)), Owner::kUser) << "one of the two was returned";
    EXPECT_EQ(owner_at(area, 9, moment(18, 600)), Owner::kRing);
    for (const OwnerChange& change : area.changes)
        EXPECT_TRUE(change.owner != Owner::kTwice || change.buffer == 9U);
}

TEST(Owners, PartsOfABufferMayBeHeldAtOnce) {
    std::vector<Event> events = told_trace({.packets = 3});
    nth<CqeSeen>(events, 0).result = 100;
    nth<CqeSeen>(events, 1).offset = 100;
    nth<CqeSeen>(events, 1).result = 50;
    nth<BufferReturned>(events, 1).offset = 120;
    const AreaOwners area = area_of(events);
    EXPECT_FALSE(ever(area, Owner::kTwice));
    EXPECT_EQ(owner_at(area, 0, moment(2, 0)), Owner::kUser);
    EXPECT_EQ(owner_at(area, 0, area.to), Owner::kRing);
}

TEST(Owners, ReturningWhatIsNotHeldChangesNothing) {
    std::vector<Event> events = told_trace();
    const size_t before = area_of(events).changes.size();
    const uint64_t then = events[index_of<CqeSeen>(events, 20)].nanoseconds;
    for (const BufferReturned& wrong :
         {BufferReturned{.ifq = 1, .offset = 63 * 4096},
          BufferReturned{.ifq = 1, .offset = 64 * 4096}, BufferReturned{.ifq = 9, .offset = 0}})
        events.push_back({then, wrong});
    EXPECT_EQ(area_of(events).changes.size(), before);
}

TEST(Owners, AnAreaWithoutSenseIsLeftOut) {
    std::vector<Event> events = told_trace();
    nth<IfqRegistered>(events).buffer_size = 0;
    EXPECT_TRUE(owners(events, write_times(events)).empty());
    events = told_trace();
    nth<AreaRegistered>(events).length = uint64_t{1} << 60;
    EXPECT_TRUE(owners(events, write_times(events)).empty());
    EXPECT_TRUE(owners({}, {}).empty());
}

}  // namespace
}  // namespace zcrxlab
