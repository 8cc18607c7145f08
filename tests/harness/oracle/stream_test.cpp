// I1: what the check says of a stream that is whole, damaged, shortened, reordered or never judged.
#include "harness/oracle/findings.hpp"
#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

constexpr Invariant kI1 = Invariant::kI1;

TEST(GoodTrace, HoldsInAllShapes) {
    expect_green(good_trace());
    expect_green(good_trace({.mixed = true}));
    expect_green(good_trace({.device = false}));
    expect_green(good_trace({.packets = 1, .packet_bytes = 1}));
    expect_green(good_trace({.packets = 300, .packet_bytes = 4096, .area_pages = 8}));
    expect_green({});
}

TEST(Stream, FlippedByteIsNamedWithBothValues) {
    auto events = good_trace();
    auto& cqe = nth<CqeSeen>(events, 2);
    cqe.mismatch = 1500;
    cqe.expected = 0x12;
    cqe.seen = 0x0a;
    expect_only(kI1, events, "stream 1 has 0x0a at position 1500 where 0x12 was sent");
    const auto violations = check_stream(events);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].event, index_of<CqeSeen>(events, 2));
}

TEST(Stream, LostCqeLeavesAGap) {
    auto events = good_trace();
    erase_nth<CqeSeen>(events, 2);
    expect_red(kI1, events,
               "stream 1 goes on at position 2896 where 1448 was expected: 1448 bytes are missing");
    expect_red(kI1, events, "stream 1 is finished with 15928 bytes, but the peer sent 17376");
}

TEST(Stream, LostLastCqeIsMissedByTheTotal) {
    auto events = good_trace();
    erase_nth<CqeSeen>(events, 22);
    expect_red(kI1, events, "stream 1 is finished with 15928 bytes, but the peer sent 17376");
}

TEST(Stream, RepeatedCqeIsNoticed) {
    auto events = good_trace();
    const size_t at = index_of<CqeSeen>(events, 2);
    insert_at(events, at + 1, events[at].body);
    expect_red(kI1, events, "goes on at position 1448 where 2896 was expected: bytes came again");
}

TEST(Stream, SwappedOrderIsNoticed) {
    auto events = good_trace();
    std::swap(nth<CqeSeen>(events, 2), nth<CqeSeen>(events, 4));
    expect_only(kI1, events, "stream 1 goes on at position 2896 where 1448 was expected");
}

TEST(Stream, TotalsMustAgree) {
    auto events = good_trace();
    nth<PeerSent>(events).total += 1;
    expect_only(kI1, events, "stream 1 is finished with 17376 bytes, but the peer sent 17377");
    nth<PeerSent>(events).total -= 2;
    expect_only(kI1, events, "stream 1 is finished with 17376 bytes, but the peer sent 17375");
}

TEST(Stream, MoreThanWasSentIsNoticedInAStreamEndedEarly) {
    auto events = good_trace();
    nth<PeerSent>(events).total = 100;
    nth<StreamFinished>(events).complete = false;
    expect_only(kI1, events, "stream 1 delivered 17376 bytes, but the peer sent only 100");
}

TEST(Stream, NothingIsProvenWithoutTotalsOrAnEnd) {
    auto events = good_trace();
    erase_nth<PeerSent>(events);
    expect_only(kI1, events, "nothing says how many the peer sent");

    events = good_trace();
    erase_nth<StreamFinished>(events, 1);
    expect_only(kI1, events, "stream 2 was never finished");

    events = good_trace();
    erase_nth<ConnectionOpened>(events);
    expect_red(kI1, events, "data arrived on stream 1, which was never opened");
}

TEST(Stream, FinishedWithoutAnythingReceivedIsRed) {
    auto events = good_trace();
    std::erase_if(events, [](const Event& e) {
        return std::holds_alternative<CqeSeen>(e.body) ||
               std::holds_alternative<BufferReturned>(e.body);
    });
    expect_red(kI1, events,
               "stream 1 is finished, but nothing at all was received: expected 17376");
    for (size_t n = 0; n < 2; ++n) nth<PeerSent>(events, n).total = 0;
    expect_red(kI1, events, "stream 1 is finished, but nothing at all was received: expected 0");
}

TEST(Stream, AnEmptyStreamIsGoodIfItsEndWasSeen) {
    const std::vector<Event> events = {
        {1, ConnectionOpened{.stream = 1}},
        {2, RequestSubmitted{.request = 1, .ifq = 0, .stream = 1}},
        {3, PeerSent{.stream = 1, .total = 0}},
        {4, PeerClosed{.stream = 1}},
        {5, CqeSeen{.request = 1, .stream = 1}},
        {6, StreamFinished{.stream = 1}},
    };
    expect_green(events);
}

TEST(Stream, EndOfStreamBeforeTheLastByteIsRedUnlessReset) {
    auto events = good_trace();
    // The final CQE of stream 1 comes before its last data CQE is ever seen.
    erase_nth<CqeSeen>(events, 22);
    nth<StreamFinished>(events).complete = false;
    expect_red(kI1, events, "stream 1 ended after 15928 bytes, but the peer sent 17376");
    nth<PeerClosed>(events).reset = true;
    EXPECT_EQ(text_of(check_stream(events)), "");
}

TEST(Stream, ReachedLimitIsNoEndOfStream) {
    auto events = good_trace();
    erase_nth<CqeSeen>(events, 22);
    nth<StreamFinished>(events).complete = false;
    nth<RequestSubmitted>(events).limit = 11 * 1448;
    EXPECT_EQ(text_of(check_stream(events)), "");
    EXPECT_EQ(text_of(check_completions(events)), "");
}

TEST(Findings, AreCountedWhenTheyAreTooMany) {
    auto events = good_trace({.packets = 100});
    for (size_t n = 0; n < 200; ++n) nth<CqeSeen>(events, n).mismatch = 0;
    const auto violations = check_stream(events);
    ASSERT_EQ(violations.size(), kViolationsSpelledOut + 1);
    EXPECT_EQ(violations.back().sentence, "there are 180 more violations like these");
    EXPECT_EQ(violations.back().about, About(WrongByte{1, 0}));
}

// A known finding that shows a hundred times would hide what nobody knows.
TEST(Findings, WhatStandsForManyHidesNoneThatIsAboutSomethingElse) {
    for (const size_t other : {size_t{3}, kViolationsSpelledOut, kViolationsSpelledOut + 2}) {
        Findings findings(Invariant::kI2);
        for (size_t i = 0; i < kViolationsSpelledOut + 5; ++i)
            findings.add(i, "s", i == other ? About(WrongByte{1, i}) : About(BehindLength{1, i}));
        const std::vector<Violation> taken = findings.take();
        ASSERT_EQ(taken.size(), kViolationsSpelledOut + 2);
        EXPECT_EQ(std::ranges::count(taken, About(WrongByte{1, other}), &Violation::about), 1);
        EXPECT_EQ(taken.back().sentence, "there are 4 more violations like these");
        EXPECT_TRUE(std::holds_alternative<BehindLength>(taken.back().about));
    }
}

TEST(Findings, AreAlikeIfNothingButNumbersTellsThemApart) {
    Findings findings(Invariant::kI10);
    const size_t many = kViolationsSpelledOut + 10;
    for (size_t i = 0; i < many; ++i) {
        findings.add(i, "ring " + std::to_string(i) + " at 0xff" + std::to_string(i % 7) + " rang");
        if (i == many - 2) findings.add(i, "ring 5 at 0xfe1 was freed twice");
    }
    const std::vector<Violation> taken = findings.take();
    ASSERT_EQ(taken.size(), kViolationsSpelledOut + 2);
    EXPECT_EQ(taken[kViolationsSpelledOut].sentence, "ring 5 at 0xfe1 was freed twice");
    EXPECT_EQ(taken.back().sentence, "there are 10 more violations like these");
    EXPECT_EQ(taken.back().event, kViolationsSpelledOut);
}

}  // namespace
}  // namespace zcrxlab
