// I2: one test for each way in which a CQE can break its promise.
#include <cerrno>

#include "harness/uapi/io_uring.hpp"
#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

constexpr Invariant kI2 = Invariant::kI2;
constexpr uint32_t kRing = kRingOfGoodTrace;
constexpr size_t kFinalOfStream1 = 24;  // behind 2 times 12 data CQEs

TEST(Completions, FlagsOfDataAreExact) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).flags |= uapi::kCqe32;
    expect_only(kI2, events, "has flags 0x8002 in place of 0x2");

    events = good_trace({.mixed = true});
    nth<CqeSeen>(events, 3).flags = uapi::kCqeMore;
    expect_only(kI2, events, "has flags 0x2 in place of 0x8002");

    events = good_trace();
    nth<CqeSeen>(events, 3).flags = 0;
    expect_only(kI2, events, "F_MORE is missing");
}

TEST(Completions, DataNeedsTheBigHalfWithNoPadding) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).big = false;
    expect_only(kI2, events, "has 16 bytes, no room for an offset");

    events = good_trace();
    nth<CqeSeen>(events, 3).padding = 0xdead;
    expect_only(kI2, events, "has the padding 0xdead in place of 0");
}

TEST(Completions, TokenMustBeThatOfARequest) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).request = 4711;
    expect_only(kI2, events, "has the user_data 4711, which no request has");

    events = good_trace();
    nth<CqeSeen>(events, 3).request = 101;  // the other stream's
    expect_only(kI2, events,
                "request 101 (stream 2) belongs to stream 1 on ifq 7, but its CQE was taken for "
                "stream 2 on ifq 7");
}

TEST(Completions, PlaceMustBeInARegisteredAreaAndOneBuffer) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).offset = 0;
    expect_red(kI2, events, "names area 0 (offset 0x0), which ifq 7 does not have");

    events = good_trace();
    nth<CqeSeen>(events, 3).offset = (3ULL << 48) + 16 * 4096;
    expect_red(kI2, events, "covers 1448 bytes at 0x10000 of area 3, which ends at 0x10000");

    events = good_trace();
    nth<CqeSeen>(events, 3).offset = (3ULL << 48) + 16 * 4096 - 1447;
    expect_red(kI2, events, "of area 3, which ends at 0x10000");

    events = good_trace();
    nth<CqeSeen>(events, 3).offset += 4096 - 1447;
    expect_red(kI2, events, "beyond the end of its buffer of 4096");

    events = good_trace();
    nth<CqeSeen>(events, 3).offset += 4096 - 1448;
    EXPECT_EQ(text_of(check_completions(events)), "");
}

TEST(Completions, AreaMustBeRegisteredBeforeItIsUsed) {
    auto events = good_trace();
    std::swap(events[index_of<AreaRegistered>(events)], events.back());
    expect_red(kI2, events, "names area 3");
}

TEST(Completions, ExactlyOneFinalCqePerRequest) {
    auto events = good_trace();
    const size_t last = index_of<CqeSeen>(events, kFinalOfStream1);
    insert_at(events, last + 1, events[last].body);
    expect_only(kI2, events, "request 101 (stream 1) had its final CQE already");

    events = good_trace();
    erase_nth<CqeSeen>(events, kFinalOfStream1);
    // A ring is closed when its requests have ended, unless it was interrupted.
    expect_only(kI2, events, "request 101 (stream 1) never got its final CQE, after 17376 bytes");
    nth<RingClosed>(events).interrupted = true;
    expect_green(events);
    nth<RingClosed>(events).ifq = 8;  // another ring
    expect_only(kI2, events, "request 101 (stream 1) never got its final CQE, after 17376 bytes");
    nth<RingClosed>(events).ifq = 7;
    nth<RingClosed>(events).ring = kRing;
    expect_green(events);
    nth<RingClosed>(events).ring = kRing + 1;  // another ring that had the ifq
    expect_only(kI2, events, "request 101 (stream 1) never got its final CQE, after 17376 bytes");
    erase_nth<RingClosed>(events);
    expect_only(kI2, events, "request 101 (stream 1) never got its final CQE, after 17376 bytes");
}

// A process that had imported the ifq is killed, while the ring that has registered it goes on.
TEST(Completions, AKilledImporterLeavesOnlyItsOwnRequests) {
    const uint32_t of_child = kRingOfGoodTrace + 1;
    auto events = good_trace();
    const size_t middle = index_of<CqeSeen>(events, 12);
    insert_at(events, middle,
              RequestSubmitted{.request = 900, .ifq = 7, .stream = 1, .ring = of_child});
    expect_only(kI2, events, "request 900 (stream 1) never got its final CQE, after 0 bytes");
    expect_only(kI2, events, "nothing says whether the CQ of ring 6 lost a CQE (no CqRead)");
    insert_at(events, middle + 1,
              RingClosed{.ifq = 7, .interrupted = true, .ring = of_child, .ifq_lives_on = true});
    expect_green(events);
    // What the other ring has under way is not excused, though it is of the same ifq.
    erase_nth<CqeSeen>(events, kFinalOfStream1);
    expect_only(kI2, events, "request 101 (stream 1) never got its final CQE, after 17376 bytes");
}

// As a receiver records it, which has forgotten a request that has ended.
TEST(Completions, SecondFinalCqeIsRed) {
    auto events = good_trace();
    const size_t last = index_of<CqeSeen>(events, kFinalOfStream1);
    insert_at(events, last + 1, OtherCqeSeen{.ring = kRing, .request = 101, .result = -ENOSPC});
    expect_only(kI2, events,
                "request 101 (stream 1) had its final CQE already; another came with result "
                "-ENOSPC and flags 0x0");
}

TEST(Completions, CqeOfNothingThatIsUnderWayIsRed) {
    auto events = good_trace();
    const size_t at = index_of<CqeSeen>(events);
    const OtherCqeSeen stale{.ring = kRing, .request = 9, .result = 7, .flags = 2};
    insert_at(events, at, stale);
    expect_only(kI2, events,
                "a CQE of ring 5 with result 7 and flags 0x2 has the user_data 9, to which "
                "nothing belongs that is under way");
}

TEST(Completions, OtherRequestsHaveOneFinalCqeEach) {
    auto events = good_trace();
    const size_t at = index_of<CqeSeen>(events);
    const OtherSubmitted nop{.ring = kRing, .request = 9, .operation = "nop"};
    const OtherCqeSeen more{.ring = kRing, .request = 9, .flags = uapi::kCqeMore};
    const OtherCqeSeen last{.ring = kRing, .request = 9};
    insert_at(events, at, last);
    insert_at(events, at, more);
    insert_at(events, at, last);
    insert_at(events, at, nop);
    expect_only(kI2, events, "a CQE of ring 5 with result 0 and flags 0x2 has the user_data 9");
    insert_at(events, at, nop);
    expect_green(events);
    nth<OtherSubmitted>(events).ring = kRing + 1;
    expect_only(kI2, events, "has the user_data 9, to which nothing belongs");
}

TEST(Completions, EventsAreThoseThatWereAskedFor) {
    auto events = good_trace();
    nth<IfqRegistered>(events).events = 1U << 1;
    nth<IfqRegistered>(events).event_data = 77;
    insert_at(events, index_of<CqeSeen>(events),
              OtherCqeSeen{.ring = kRing, .request = 77, .result = 1});
    expect_green(events);
    nth<OtherCqeSeen>(events).result = 0;
    expect_only(kI2, events, "with result 0 and flags 0x0 has the user_data 77");
    nth<OtherCqeSeen>(events) = {.ring = kRing, .request = 77, .result = 1, .flags = 2};
    expect_only(kI2, events, "with result 1 and flags 0x2 has the user_data 77");
}

TEST(Completions, CqOverflowsOnlyWhereThatIsMeant) {
    auto events = good_trace();
    insert_at(events, index_of<CqeSeen>(events), CqFull{.ring = kRing});
    expect_green(events);
    nth<CqFull>(events).overflowed = true;
    expect_only(kI2, events, "the CQ of ring 5 overflowed, which nothing says is meant");
    insert_at(events, 0, CqMayOverflow{.ring = kRing + 1});
    expect_only(kI2, events, "the CQ of ring 5 overflowed, which nothing says is meant");
    insert_at(events, 0, CqMayOverflow{.ring = kRing});
    expect_green(events);
}

TEST(Completions, CqeThatWasThrownAwayOrIsTooManyIsRed) {
    auto events = good_trace();
    nth<CqRead>(events).lost = 2;
    expect_only(kI2, events, "the kernel threw 2 CQEs of ring 5 away");
    nth<CqRead>(events) = {.ring = kRing, .overruns = 3};
    expect_only(kI2, events, "the CQ of ring 5 had more CQEs than slots, 3 times");
}

TEST(Completions, DataAfterTheFinalCqeIsRed) {
    auto events = good_trace();
    const size_t last = index_of<CqeSeen>(events, kFinalOfStream1);
    const Event final_cqe = events[last];
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(last));
    insert_at(events, index_of<CqeSeen>(events, 22), final_cqe.body);
    expect_red(kI2, events, "had its final CQE already; another came with result 1448");
}

TEST(Completions, FinalResultIsZeroOrAPromisedErrno) {
    auto events = good_trace();
    nth<CqeSeen>(events, kFinalOfStream1).result = -EAGAIN;
    expect_only(kI2, events, "ended with -EAGAIN, which no rule promises");
    nth<CqeSeen>(events, kFinalOfStream1).result = -EINVAL;
    expect_only(kI2, events, "ended with -EINVAL after 17376 bytes, which no rule promises");
    nth<CqeSeen>(events, kFinalOfStream1).result = -ECONNRESET;
    expect_green(events);
    nth<CqeSeen>(events, kFinalOfStream1).flags = uapi::kCqeMore;
    expect_only(kI2, events, "that is not final: F_MORE is set");
    nth<CqeSeen>(events, kFinalOfStream1).flags = 8;
    expect_only(kI2, events, "the final CQE of request 101 (stream 1) has flags 0x8 in place of 0");
}

TEST(Completions, RefusalIsPromisedBeforeAnyData) {
    const std::vector<Event> events = {
        {1, RequestSubmitted{.request = 1, .ifq = 0, .stream = 1}},
        {2, CqeSeen{.request = 1, .stream = 1, .result = -ENOTSOCK}},
    };
    expect_green(events);
}

TEST(Completions, EndOfStreamNeedsAPeerThatClosed) {
    auto events = good_trace();
    erase_nth<PeerClosed>(events);
    expect_only(kI2, events,
                "request 101 (stream 1) ended with 0 after 17376 bytes, but the peer "
                "had not closed");
    nth<RequestSubmitted>(events).limit = 17376;
    expect_green(events);
    nth<RequestSubmitted>(events).limit = 17377;
    expect_only(kI2, events, "ended with 0 after 17376 bytes of 17377");
}

TEST(Completions, EndOfStreamComesAfterThePeerHasClosed) {
    auto events = good_trace();
    const EventBody closed = nth<PeerClosed>(events);
    erase_nth<PeerClosed>(events);
    insert_at(events, index_of<StreamFinished>(events), closed);
    expect_only(kI2, events, "ended with 0 after 17376 bytes, but the peer had not closed");
    insert_at(events, 0, EndMeant{.stream = 1, .result = 0, .cause = "shut down by us"});
    expect_green(events);
}

// The trace of a stream whose request ends with `result`, and another one goes on.
std::vector<Event> ended_with(int32_t result) {
    auto events = good_trace();
    const size_t at = index_of<CqeSeen>(events, 6);
    for (size_t i = at; i < events.size(); ++i)
        if (auto* cqe = std::get_if<CqeSeen>(&events[i].body); cqe != nullptr && cqe->stream == 1)
            cqe->request = 201;
    insert_at(events, at, RequestSubmitted{.request = 201, .ifq = 7, .stream = 1, .ring = kRing});
    insert_at(events, at, CqeSeen{.request = 101, .ifq = 7, .stream = 1, .result = result});
    return events;
}

TEST(Completions, NoSlotNeedsAFullCq) {
    auto events = ended_with(-ENOSPC);
    expect_only(kI2, events,
                "request 101 (stream 1) ended with -ENOSPC after 4344 bytes, but the CQ was never "
                "full since it was submitted");
    const size_t submitted = index_of<RequestSubmitted>(events);
    insert_at(events, submitted, CqFull{.ring = kRing});
    expect_only(kI2, events, "but the CQ was never full since it was submitted");
    insert_at(events, submitted + 2, CqFull{.ring = kRing + 1});
    expect_only(kI2, events, "but the CQ was never full since it was submitted");
    insert_at(events, submitted + 2, CqFull{.ring = kRing});
    expect_green(events);
}

TEST(Completions, CancelledNeedsACancel) {
    auto events = ended_with(-ECANCELED);
    expect_only(kI2, events, "but nobody had cancelled it");
    const OtherSubmitted cancel{.ring = kRing, .request = 9, .operation = "cancel", .target = 201};
    insert_at(events, index_of<CqeSeen>(events), cancel);
    expect_only(kI2, events, "but nobody had cancelled it");
    nth<OtherSubmitted>(events).target = 101;
    expect_green(events);
}

TEST(Completions, BadFragmentNeedsAStatement) {
    auto events = ended_with(-EFAULT);
    expect_only(kI2, events, "ended with -EFAULT after 4344 bytes, but nothing says that it would");
    insert_at(events, 0, EndMeant{.stream = 2, .result = -EFAULT});
    expect_only(kI2, events, "but nothing says that it would");
    insert_at(events, 0, EndMeant{.stream = 1, .result = -EFAULT});
    expect_green(events);
}

TEST(Completions, NoBufferNeedsACopy) {
    auto events = ended_with(-ENOMEM);
    expect_only(kI2, events, "ended with -ENOMEM after 4344 bytes, but nothing was to be copied");
    insert_at(events, 0, CopiesExpected{.ifq = 7, .undecided = 1});
    expect_green(events);
}

// Request 101 ends with -ENOMEM at event `at`, right after one of five buffers went back.
struct EndedWithoutBuffers {
    std::vector<Event> events;
    size_t at = 0;
};

EndedWithoutBuffers ended_without_buffers() {
    auto events = good_trace({.area_pages = 5, .returned_after = 4, .device = false});
    const size_t at = index_of<CqeSeen>(events, 6);
    for (size_t i = at; i < events.size(); ++i)
        if (auto* cqe = std::get_if<CqeSeen>(&events[i].body); cqe != nullptr && cqe->stream == 1)
            cqe->request = 201;
    insert_at(events, at, RequestSubmitted{.request = 201, .ifq = 7, .stream = 1, .ring = kRing});
    insert_at(events, at, CqeSeen{.request = 101, .ifq = 7, .stream = 1, .result = -ENOMEM});
    return {std::move(events), at};
}

TEST(Completions, NoBufferNeedsAnAreaWithout) {
    auto [events, at] = ended_without_buffers();
    expect_only(kI2, events,
                "ended with -ENOMEM after 4344 bytes, but only 4 of 5 buffers were with the user, "
                "and 0 in the refill ring");
    // One went back behind the last data; the request may have ended before.
    auto late = events;
    insert_at(late, index_of<CqeSeen>(late), CqFull{.ring = kRing});
    expect_green(late);
    insert_at(events, at, RefillRead{.ifq = 7, .entries = 1});
    expect_green(events);
}

TEST(Completions, WhatAnotherThreadGivesBackAfterTheRefillRingWasReadIsNotMissing) {
    auto [events, at] = ended_without_buffers();
    auto read_late = events;
    insert_at(read_late, at, RefillRead{.ifq = 7, .entries = 0});
    expect_only(kI2, read_late, "but only 4 of 5 buffers were with the user, and 0 in the refill");
    ASSERT_TRUE(std::holds_alternative<BufferReturned>(events[at - 1].body));
    insert_at(events, at - 1, RefillRead{.ifq = 7, .entries = 0});
    expect_green(events);
}

TEST(Completions, NobodyKnowsOfLostCqesWithoutALook) {
    auto events = good_trace();
    erase_nth<CqRead>(events);
    expect_only(kI2, events, "nothing says whether the CQ of ring 5 lost a CQE (no CqRead)");
    insert_at(events, 0, CqRead{.ring = kRing});
    expect_only(kI2, events, "nothing says whether the CQ of ring 5 lost a CQE (no CqRead)");
}

TEST(Completions, LimitOfARequestBindsTheKernel) {
    auto events = good_trace();
    nth<RequestSubmitted>(events).limit = 17375;
    expect_only(kI2, events, "asked for at most 17375 bytes and got 17376");
}

TEST(Completions, OnlyWhatIsBehindALengthSaysByHowMuch) {
    auto events = good_trace();
    nth<RequestSubmitted>(events).limit = 17375;
    auto violations = check_completions(events);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].about, About(BehindLength{17375, 17376}));

    // The same CQE has wrong flags, too.
    std::get<CqeSeen>(events[violations[0].event].body).flags |= uapi::kCqe32;
    violations = check_completions(events);
    ASSERT_EQ(violations.size(), 2U);
    EXPECT_EQ(violations[0].event, violations[1].event);
    EXPECT_NE(violations[0].sentence.find("has flags"), std::string::npos);
    EXPECT_EQ(violations[0].about, About());
    EXPECT_EQ(violations[1].about, About(BehindLength{17375, 17376}));
}

TEST(Completions, TwoRequestsWithOneTokenCannotBeJudged) {
    auto events = good_trace();
    const size_t at = index_of<RequestSubmitted>(events);
    insert_at(events, at + 1, events[at].body);
    expect_only(kI2, events, "two requests have the user_data 101");
}

TEST(Completions, IfqMustBeRegistered) {
    auto events = good_trace();
    erase_nth<IfqRegistered>(events);
    expect_red(kI2, events, "delivered data on ifq 7, which was never registered");
}

}  // namespace
}  // namespace zcrxlab
