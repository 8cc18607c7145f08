// I5, I6, I8, I9 and I10: what must be as before when a test has ended, the errors on the way, and
// what the driver asked of its device.
#include <cerrno>
#include <limits>

#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

TEST(Conservation, BufferThatNeverComesBackIsRed) {
    auto events = good_trace();
    nth<CapacityMeasured>(events).distinct = 15;
    expect_only(Invariant::kI5, events,
                "1 of 16 buffers of ifq 7 never came out again: they are lost (the trace has 24 "
                "references received and 24 returned)");
}

TEST(Conservation, BufferHandedOutTwiceIsRed) {
    auto events = good_trace();
    nth<CapacityMeasured>(events).handed_twice = 2;
    expect_only(Invariant::kI5, events, "2 buffers of ifq 7 were handed out again");
    nth<CapacityMeasured>(events) = {.ifq = 7, .total = 16, .distinct = 17};
    expect_only(Invariant::kI5, events, "17 different buffers of ifq 7 came out");
}

TEST(Conservation, TotalMustBeThatOfTheAreas) {
    auto events = good_trace();
    nth<CapacityMeasured>(events) = {.ifq = 7, .total = 15, .distinct = 15};
    expect_only(Invariant::kI5, events, "was drained for 15 buffers, but its areas have 16");
    nth<CapacityMeasured>(events) = {.ifq = 7, .total = 17, .distinct = 17};
    expect_only(Invariant::kI5, events, "was drained for 17 buffers, but its areas have 16");
    nth<CapacityMeasured>(events) = {.ifq = 7, .total = 0, .distinct = 0};
    expect_only(Invariant::kI5, events, "was drained for 0 buffers, but its areas have 16");
    nth<CapacityMeasured>(events) = {.ifq = 1, .total = 1, .distinct = 1};
    expect_only(Invariant::kI5, events, "ifq 1 was drained, but never registered");
}

// What a close takes back is lost to a count behind it.
TEST(Conservation, WhereCountsAreAskedForEachIfqIsCountedBehindItsLastData) {
    auto events = good_trace();
    const auto count = nth<CapacityMeasured>(events);
    insert_at(events, 0, CountAsked{});
    expect_green(events);
    erase_nth<CapacityMeasured>(events);
    expect_only(Invariant::kI5, events,
                "ifq 7 delivered this, and afterwards nobody counted its buffers");
    insert_at(events, index_of<CqeSeen>(events, 3), count);
    expect_only(Invariant::kI5, events,
                "ifq 7 delivered this, and afterwards nobody counted its buffers");
    // Nobody has asked.
    erase_nth<CountAsked>(events);
    expect_green(events);
}

TEST(Conservation, AnUncountedIfqHasAReason) {
    auto events = good_trace();
    erase_nth<CapacityMeasured>(events);
    insert_at(events, 0, CountAsked{});
    insert_at(events, 3, BuffersNotCounted{.ifq = 8});  // another one's
    expect_only(Invariant::kI5, events, "ifq 7 delivered this");
    nth<BuffersNotCounted>(events).ifq = 7;
    expect_green(events);
    erase_nth<BuffersNotCounted>(events);
    nth<RingClosed>(events).interrupted = true;
    expect_green(events);
    // Whoever has the ifq still can count.
    nth<RingClosed>(events).ifq_lives_on = true;
    expect_only(Invariant::kI5, events, "ifq 7 delivered this");
}

TEST(Conservation, WhatATestReceivesByItselfIsCountedToo) {
    auto events = good_trace();
    insert_at(events, 0, CountAsked{});
    const size_t closed = index_of<RingClosed>(events);
    insert_at(events, closed, OtherSubmitted{kRingOfGoodTrace, 5, "recv_zc"});
    insert_at(events, closed + 1,
              OtherCqeSeen{.ring = kRingOfGoodTrace, .request = 5, .result = 0});
    insert_at(events, closed + 2, CopiesNotTold{7, CopiesUnknown::kNoPositions});
    expect_green(events);
    nth<OtherCqeSeen>(events).result = 1;
    expect_only(Invariant::kI5, events, "ifq 7 delivered this");
}

TEST(Teardown, ProviderMustLeaveInTime) {
    auto events = good_trace();
    nth<ProviderReleased>(events).released = false;
    nth<ProviderReleased>(events).milliseconds = 5000;
    expect_only(Invariant::kI6, events, "eth0 queue 1 still has its provider 5000 ms after");
    nth<ProviderReleased>(events) = {
        .interface = "eth0", .queue = 1, .released = true, .milliseconds = 5001};
    expect_only(Invariant::kI6, events, "left eth0 queue 1 only 5001 ms after the close; 5000 ms");
}

TEST(Teardown, EveryIfqOnADeviceIsWatched) {
    auto events = good_trace();
    nth<ProviderReleased>(events).queue = 2;
    expect_only(Invariant::kI6, events, "nothing says that the provider of ifq 7 ever left eth0");
    events = good_trace();
    erase_nth<ProviderReleased>(events);
    expect_only(Invariant::kI6, events, "nothing says that the provider of ifq 7 ever left eth0");
    // A release before the registration says nothing about it.
    insert_at(events, 0, ProviderReleased{.interface = "eth0", .queue = 1, .released = true});
    expect_only(Invariant::kI6, events, "nothing says that the provider of ifq 7 ever left eth0");
}

TEST(Teardown, AnAnswerThatDoesNotComeIsNoRelease) {
    auto events = good_trace();
    nth<ProviderReleased>(events).unknown = "get receive queue 1: No buffer space available";
    expect_only(Invariant::kI6, events,
                "whether the provider has left eth0 queue 1 could not be asked");
}

TEST(Teardown, ACounterThatCannotBeReadAnyMoreIsNotZero) {
    auto events = good_trace();
    nth<CounterCompared>(events) = {
        .name = "page pools", .before = 0, .unread = "list the page pools: No such device"};
    expect_only(Invariant::kI6, events,
                "page pools was 0 before and cannot be read after: list the page pools: No such");
    // What could not be read before either is none of this machine's.
    nth<CounterCompared>(events).before.reset();
    expect_green(events);
}

TEST(Teardown, CountersMayDifferByWhatIsAllowed) {
    auto events = good_trace();
    auto& counter = nth<CounterCompared>(events);
    counter = {.name = "locked memory", .before = 10, .after = 12, .allowed = 2};
    expect_green(events);
    counter.after = 13;
    expect_only(
        Invariant::kI6, events,
        "locked memory was 10 before and is 13 after: it differs by 3, at most 2 is allowed");
    counter.after = 7;
    expect_only(Invariant::kI6, events, "it differs by 3");
    counter.before = std::numeric_limits<int64_t>::min();
    counter.after = std::numeric_limits<int64_t>::max();
    expect_only(Invariant::kI6, events, "it differs by 18446744073709551615");
}

TEST(Nic, RuleLeftBehindIsShown) {
    auto events = good_trace();
    nth<NicCompared>(events).after = {"rings 1024", "rule 5: port 9999 to queue 1", "split on"};
    expect_only(Invariant::kI8, events,
                "the configuration of eth0 is not what it was: - split off; + rule 5: port 9999 to "
                "queue 1; + split on");
}

TEST(Nic, OrderAndRepetitionCount) {
    auto events = good_trace();
    auto& compared = nth<NicCompared>(events);
    std::swap(compared.after[0], compared.after[1]);
    expect_only(Invariant::kI8, events, "the same lines in another order");
    compared.after = {"rings 1024", "split off", "split off"};
    expect_only(Invariant::kI8, events, "is not what it was: + split off");
    compared.after.assign(20, "x");
    expect_only(Invariant::kI8, events, "; and 14 more");
}

TEST(Nic, MustBeComparedAndNotEmpty) {
    auto events = good_trace();
    nth<NicCompared>(events) = {.interface = "eth0"};
    expect_only(Invariant::kI8, events, "was empty before");
    erase_nth<NicCompared>(events);
    expect_only(Invariant::kI8, events, "eth0 was never compared with what it was before");
    insert_at(events, 0, NicCompared{.interface = "eth0", .before = {"a"}, .after = {"a"}});
    expect_only(Invariant::kI8, events, "eth0 was never compared with what it was before");
}

TEST(Errors, OtherErrnoIsNamed) {
    auto events = good_trace();
    nth<CallReturned>(events) = {
        .call = "register with queue 99", .expected = ERANGE, .seen = EINVAL};
    expect_only(Invariant::kI9, events,
                "register with queue 99 returned EINVAL, but ERANGE is promised");
    nth<CallReturned>(events).seen = 0;
    expect_only(Invariant::kI9, events, "register with queue 99 succeeded, but ERANGE is promised");
    nth<CallReturned>(events) = {.call = "register", .expected = 0, .seen = EPERM};
    expect_only(Invariant::kI9, events, "register returned EPERM, but success is promised");
}

TEST(Driver, WhatIsForbiddenIsNamed) {
    auto events = good_trace();
    const size_t at = index_of<CqeSeen>(events);
    insert_at(events, at,
              ForbiddenAsked{.number = 1,
                             .port = 0,
                             .kind = "dma",
                             .queue = "transmit queue 3",
                             .descriptor = 17,
                             .address = 0xdead000,
                             .what = "a buffer of 100 bytes to be read is not mapped"});
    expect_only(Invariant::kI10, events,
                "the driver at port 0 asked for what is forbidden (dma): transmit queue 3, "
                "descriptor 17, address 0xdead000: a buffer of 100 bytes to be read is not mapped");
    EXPECT_EQ(check_driver(events).front().event, at);
    // What happens to be harmed besides excuses nothing.
    insert_at(events, at, FaultInjected{R"({"what":"reset"})"});
    expect_only(Invariant::kI10, events, "descriptor 17");
    nth<ForbiddenAsked>(events) = {.port = 1, .kind = "register", .what = "nothing is there"};
    expect_only(Invariant::kI10, events,
                "the driver at port 1 asked for what is forbidden (register): nothing is there");
}

TEST(Driver, WhatTheDeviceLostIsRed) {
    auto events = good_trace();
    nth<DriverWatched>(events).lost = 3;
    expect_only(Invariant::kI10, events,
                "3 forbidden requests of the driver are lost: the device no longer had them");
}

TEST(Driver, MustBeWatchedToTheEnd) {
    auto events = good_trace();
    erase_nth<DriverWatched>(events);
    expect_only(Invariant::kI10, events, "nobody asked it what its driver had asked");
    insert_at(events, 0, DriverWatched{});
    expect_only(Invariant::kI10, events, "nobody asked it what its driver had asked");
    expect_green(good_trace({.device = false}));
    // A simulated device, which is its own driver.
    events = good_trace();
    nth<DriverWatched>(events).by_device = false;
    expect_green(events);
}

TEST(Names, AreThoseOfTheTable) {
    EXPECT_EQ(name_of(Invariant::kI4), "I4");
    for (int i = 1; i <= 10; ++i) EXPECT_FALSE(promise_of(static_cast<Invariant>(i)).empty());
    EXPECT_EQ(promise_of(Invariant::kI8), "the NIC's configuration is what it was before");
}

}  // namespace
}  // namespace zcrxlab
