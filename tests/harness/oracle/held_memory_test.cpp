// I3: writes into held memory, overlapping ranges and wrong returns are told apart from right ones.
#include <algorithm>

#include "harness/uapi/io_uring.hpp"
#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

constexpr Invariant kI3 = Invariant::kI3;

TEST(HeldMemory, WriteAfterDeliveryIsNoticedAtTheReturn) {
    auto events = good_trace();
    nth<BufferReturned>(events, 2).changed = 1500;
    expect_only(kI3, events, "held memory changed: position 1500 of stream 1");
}

TEST(HeldMemory, LiveRangesDoNotOverlap) {
    auto events = good_trace();
    // CQE 2 is still held when CQE 3 comes.
    nth<CqeSeen>(events, 3).offset = nth<CqeSeen>(events, 2).offset + 1447;
    expect_red(
        kI3, events,
        "live ranges overlap: position 1448 of stream 2 was delivered at offset "
        "0x30000000025a7 of ifq 7 (1448 bytes), where position 1448 of stream 1 is still held");
}

TEST(HeldMemory, OverlapIsNoticedFromBelowToo) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).offset = nth<CqeSeen>(events, 2).offset - 1447;
    expect_red(kI3, events, "live ranges overlap: position 1448 of stream 2");
    nth<CqeSeen>(events, 3).offset -= 1;
    for (const Violation& v : check_held_memory(events))
        EXPECT_EQ(v.sentence.find("overlap"), std::string::npos) << v.sentence;
}

TEST(HeldMemory, AreaThatIsRegisteredAgainElsewhereDoesNoHarm) {
    auto events = good_trace();
    AreaRegistered moved = nth<AreaRegistered>(events);
    for (uint64_t& page : moved.pages) page += 1ULL << 40;
    insert_at(events, index_of<CqeSeen>(events, 3) + 1, moved);
    EXPECT_EQ(text_of(check_held_memory(events)), "");
}

TEST(HeldMemory, NeighboursInOneBufferAreNoOverlap) {
    auto events = good_trace();
    nth<CqeSeen>(events, 3).offset = nth<CqeSeen>(events, 2).offset + 1448;
    for (const Violation& v : check_held_memory(events))
        EXPECT_EQ(v.sentence.find("overlap"), std::string::npos) << v.sentence;
}

TEST(HeldMemory, SameMemoryThroughTwoIfqsIsAnOverlap) {
    auto events = good_trace();
    const AreaRegistered area = nth<AreaRegistered>(events);
    IfqRegistered ifq = nth<IfqRegistered>(events);
    ifq.ifq = 8;
    AreaRegistered twin = area;
    twin.ifq = 8;
    insert_at(events, 0, twin);
    insert_at(events, 0, ifq);
    CqeSeen cqe = nth<CqeSeen>(events, 3);
    cqe.ifq = 8;
    cqe.offset = nth<CqeSeen>(events, 2).offset;
    events[index_of<CqeSeen>(events, 3)].body = cqe;
    expect_red(kI3, events,
               "live ranges overlap: position 1448 of stream 2 was delivered at offset "
               "0x3000000002000 of ifq 8");
}

TEST(HeldMemory, ReturnOfWhatIsNotHeldIsRedUnlessOnPurpose) {
    auto events = good_trace();
    const size_t at = index_of<BufferReturned>(events, 2);
    BufferReturned again = nth<BufferReturned>(events, 2);
    insert_at(events, at + 1, again);
    expect_only(kI3, events,
                "offset 0x3000000002000 of ifq 7 was returned, but the user does not hold it");
    nth<BufferReturned>(events, 3).on_purpose = true;
    expect_green(events);
}

TEST(HeldMemory, WhatNamesNothingReturnsNothing) {
    auto events = good_trace();
    const size_t at = index_of<BufferReturned>(events, 2);
    BufferReturned senseless = nth<BufferReturned>(events, 2);
    senseless.on_purpose = true;
    insert_at(events, at, senseless);
    expect_green(events);
}

TEST(HeldMemory, AnyOffsetInsideTheRangeReturnsIt) {
    auto events = good_trace();
    nth<BufferReturned>(events, 2).offset += 1447;
    expect_green(events);
    nth<BufferReturned>(events, 2).offset += 1;
    expect_only(kI3, events, "does not hold it");
}

TEST(HeldMemory, ClosedRingHoldsNothing) {
    auto events = good_trace();
    // Never returned, and delivered again by the next ring at the same place.
    std::erase_if(events, [](const Event& e) {
        return std::holds_alternative<BufferReturned>(e.body) ||
               std::holds_alternative<DmaWrites>(e.body);
    });
    EXPECT_NE(text_of(check_held_memory(events)), "");
    nth<RingClosed>(events).interrupted = true;
    const size_t cqes = 24;
    for (size_t n = 0; n < cqes; ++n)
        insert_at(events, index_of<CqeSeen>(events, n), RingClosed{.ifq = 7, .interrupted = true});
    EXPECT_EQ(text_of(check_held_memory(events)), "");
}

// A trace that ends with buffers held.
std::vector<Event> never_returned() {
    auto events = good_trace({.area_pages = 64, .returned_after = 64});
    std::erase_if(events, [](const Event& e) {
        return std::holds_alternative<BufferReturned>(e.body) ||
               std::holds_alternative<CapacityMeasured>(e.body);
    });
    return events;
}

TEST(HeldMemory, WhatIsHeldAtTheCloseIsComparedOnceMore) {
    auto events = never_returned();
    expect_only(kI3, events,
                "24 CQEs of ifq 7 were still held when its ring was closed, and nothing compared "
                "them (no HeldCompared)");
    insert_at(events, index_of<CqeSeen>(events, 23), HeldCompared{.ifq = 7, .cqes = 23});
    expect_only(kI3, events, "24 CQEs of ifq 7 were still held");
    // Another ring has the ifq, and nothing is given back before that is closed, too.
    nth<RingClosed>(events).ifq_lives_on = true;
    expect_green(events);
    events.push_back({0, RingClosed{.ifq = 7}});
    expect_only(kI3, events, "24 CQEs of ifq 7 were still held");
    events.pop_back();
    nth<RingClosed>(events).ifq_lives_on = false;
    const HeldCompared compared{.ifq = 7, .cqes = 24};
    insert_at(events, index_of<RingClosed>(events), compared);
    expect_green(events);
    nth<HeldCompared>(events, 1).changed = 4711;
    expect_only(kI3, events, "held memory changed: position 4711 of stream 0");
}

// The log comes behind the close, as a runner takes it.
TEST(HeldMemory, DeviceMustNotWriteWhatIsNeverReturned) {
    auto events = never_returned();
    insert_at(events, index_of<RingClosed>(events), HeldCompared{.ifq = 7, .cqes = 24});
    std::vector<DmaWrites> logs;
    while (true) {
        const auto log = std::ranges::find_if(
            events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
        if (log == events.end()) break;
        logs.push_back(std::get<DmaWrites>(log->body));
        events.erase(log);
    }
    for (const DmaWrites& log : logs) events.push_back({0, log});
    events.push_back({0, DriverWatched{}});
    expect_green(events);

    DmaLogEntry again = entry_of_cqe(events, 4);
    again.tcp_sequence = again.tcp_sequence + 50000;
    const uint64_t newest = entry_of_cqe(events, 23).sequence;
    // Nothing says whether what is newer than all that was delivered came before the close.
    again.sequence = newest + 1;
    nth<DmaWrites>(events, 1).entries.push_back(again);
    expect_green(events);
    nth<DmaWrites>(events, 1).entries.back().sequence = newest;
    expect_only(kI3, events, "held memory was written: position 2896 of stream 1");
    // A process that is killed has held it until then.
    nth<RingClosed>(events).interrupted = true;
    expect_only(kI3, events, "held memory was written: position 2896 of stream 1");
}

// A log in which one more write goes to the page of the n-th CQE, and is taken right behind it.
std::vector<Event> overwritten(size_t n, uint64_t sequence_after, DmaKind kind) {
    auto events = good_trace();
    DmaLogEntry foreign = entry_of_cqe(events, n);
    foreign.sequence = foreign.sequence + sequence_after;
    foreign.tcp_sequence = foreign.tcp_sequence + 50000;
    foreign.address = foreign.address + 100;
    foreign.kind = kind;
    DmaWrites log{.entries = {entry_of_cqe(events, n), foreign},
                  .flows = nth<DmaWrites>(events).flows};
    insert_at(events, index_of<CqeSeen>(events, n) + 1, log);
    return events;
}

TEST(HeldMemory, DeviceMustNotWriteWhatIsHeld) {
    for (const DmaKind kind : {DmaKind::kPayload, DmaKind::kHeader, DmaKind::kUnsplit})
        expect_only(kI3, overwritten(4, 1, kind),
                    "held memory was written: position 2996 of stream 1");
}

TEST(HeldMemory, OlderWritesToTheSamePlaceAreHarmless) {
    expect_green(overwritten(4, static_cast<uint64_t>(-1), DmaKind::kPayload));
}

TEST(HeldMemory, TheSameBytesWrittenAgainAreNoOverwrite) {
    auto events = good_trace();
    DmaLogEntry again = entry_of_cqe(events, 4);
    again.sequence = again.sequence + 1;
    insert_at(events, index_of<CqeSeen>(events, 4) + 1,
              DmaWrites{.entries = {again}, .flows = nth<DmaWrites>(events).flows});
    expect_green(events);
}

}  // namespace
}  // namespace zcrxlab
