// I4: zero copy is only believed where the device's log proves it byte for byte.
#include <chrono>

#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

constexpr Invariant kI4 = Invariant::kI4;

TEST(ZeroCopy, CopyInPlaceOfDmaIsNamedWithBothPlaces) {
    auto events = good_trace();
    DmaLogEntry& entry = entry_of_cqe(events, 2);
    const uint64_t page = entry.address;
    entry.address = 0x99999000U;
    entry.fault = 3U;
    expect_only(kI4, events,
                "1448 of the 1448 bytes of the CQE at position 1448 of stream 1 were not put there "
                "by the device: position 1448 was delivered at 0x4001e000 (page 0x4001e000, offset "
                "0x3000000002000), but the device had put it to 0x99999000 (DMA write 6, packet 3, "
                "queue 1, fault rule 3), so it was copied");
    EXPECT_EQ(page, 0x4001e000U);
    const auto violations = check_zero_copy(events);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].event, index_of<CqeSeen>(events, 2));
}

TEST(ZeroCopy, UnsplitPacketIsACopyEvenAtTheRightPlace) {
    auto events = good_trace();
    DmaLogEntry& entry = entry_of_cqe(events, 2);
    entry.kind = DmaKind::kUnsplit;
    entry.payload_offset = 66U;
    entry.address = entry.address - 66;
    entry.length = entry.length + 66;
    expect_only(kI4, events, "the device had put it unsplit to 0x4001e000");
}

TEST(ZeroCopy, ItSaysWhoseTheBytesAreThatAStreamGot) {
    auto events = good_trace();
    std::swap(nth<CqeSeen>(events, 2).offset, nth<CqeSeen>(events, 3).offset);
    nth<CqeSeen>(events, 2).mismatch = 1448;
    expect_red(kI4, events, "; what the device put there is of stream 2 (DMA write 8)");
    const auto violations = check_zero_copy(events);
    ASSERT_EQ(violations.size(), 2U);
    EXPECT_EQ(violations[0].about, About(OfAnotherStream{1, 2}));
    // Its bytes have the right values, wherever they came from.
    EXPECT_EQ(violations[1].about, About());
}

TEST(ZeroCopy, AWrongByteOfTheSameStreamIsNoOtherStreams) {
    auto events = good_trace();
    std::swap(nth<CqeSeen>(events, 2).offset, nth<CqeSeen>(events, 4).offset);
    nth<CqeSeen>(events, 2).mismatch = 1448;
    const auto violations = check_zero_copy(events);
    ASSERT_EQ(violations.size(), 2U);
    EXPECT_EQ(violations[0].about, About(WrongPlace{1, 1448}));
    EXPECT_EQ(violations[1].about, About());
}

TEST(ZeroCopy, EachByteIsProvenOfItsOwn) {
    auto events = good_trace();
    entry_of_cqe(events, 2).length = 1447U;
    expect_only(kI4, events,
                "1 of the 1448 bytes of the CQE at position 1448 of stream 1 were not "
                "put there by the device: position 2895");

    events = good_trace();
    DmaLogEntry& entry = entry_of_cqe(events, 2);
    entry.address = entry.address + 1;
    expect_only(kI4, events, "1448 of the 1448 bytes");

    events = good_trace();
    DmaLogEntry& shifted = entry_of_cqe(events, 2);
    shifted.tcp_sequence = shifted.tcp_sequence + 1;
    expect_only(kI4, events, "1448 of the 1448 bytes");
}

TEST(ZeroCopy, SeveralWritesTogetherProveOneCqe) {
    auto events = good_trace();
    DmaLogEntry& first = entry_of_cqe(events, 2);
    DmaLogEntry second = first;
    first.length = 600U;
    second.length = 1000U;  // overlaps the first by 152 bytes
    second.address = second.address + 448;
    second.tcp_sequence = second.tcp_sequence + 448;
    nth<DmaWrites>(events, 1).entries.push_back(second);
    expect_green(events);
}

TEST(ZeroCopy, HoleBetweenTwoWritesIsMeasured) {
    auto events = good_trace();
    DmaLogEntry& first = entry_of_cqe(events, 2);
    DmaLogEntry second = first;
    first.length = 600U;
    second.length = 748U;
    second.address = second.address + 700;
    second.tcp_sequence = second.tcp_sequence + 700;
    nth<DmaWrites>(events, 1).entries.push_back(second);
    expect_only(kI4, events,
                "100 of the 1448 bytes of the CQE at position 1448 of stream 1 were not "
                "put there by the device: position 2048 ");
}

TEST(ZeroCopy, OneWriteProvesSeveralCqes) {
    auto events = good_trace();
    CqeSeen& whole = nth<CqeSeen>(events, 2);
    CqeSeen rest = whole;
    whole.result = 1000;
    rest.result = 448;
    rest.offset += 1000;
    rest.position += 1000;
    insert_at(events, index_of<CqeSeen>(events, 2) + 1, rest);
    // Both references are returned.
    BufferReturned both = nth<BufferReturned>(events, 2);
    both.offset += 1000;
    insert_at(events, index_of<BufferReturned>(events, 2) + 1, both);
    expect_green(events);
}

TEST(ZeroCopy, CqeOverTwoScatteredPagesIsTranslatedPageByPage) {
    TraceShape shape{.packets = 1, .packet_bytes = 4096};
    auto events = good_trace(shape);
    // One buffer of two pages whose pages lie apart: the CQE begins 100 bytes before the border.
    nth<IfqRegistered>(events).buffer_size = 8192;
    nth<CapacityMeasured>(events).total = nth<CapacityMeasured>(events).distinct = 8;
    CqeSeen& cqe = nth<CqeSeen>(events, 0);
    cqe.offset = (3ULL << 48) + 8 * 4096 + 3996;
    nth<BufferReturned>(events, 0).offset = cqe.offset;
    const auto& pages = nth<AreaRegistered>(events).pages;
    DmaLogEntry& first = entry_of_cqe(events, 0);
    DmaLogEntry second = first;
    first.address = pages[8] + 3996;
    first.length = 100U;
    second.address = pages[9];
    second.length = 3996U;
    second.tcp_sequence = second.tcp_sequence + 100;
    nth<DmaWrites>(events, 0).entries.push_back(second);
    expect_green(events);
    nth<DmaWrites>(events, 0).entries.back().address = pages[8] + 4096;
    expect_only(kI4, events, "3996 of the 4096 bytes");
}

TEST(ZeroCopy, MissingWriteIsNamed) {
    auto events = good_trace();
    entry_of_cqe(events, 2).flow = 0U;
    expect_only(kI4, events, "but the device's log has no write of this byte");
}

// Whatever the rest of the log proves: among the lost ones may be a write into what is held.
TEST(ZeroCopy, LostEntriesAreRed) {
    for (const bool device : {true, false}) {
        auto events = good_trace({.device = device});
        insert_at(events, index_of<RingClosed>(events), DmaWrites{.lost = 17});
        events.push_back({0, DriverWatched{}});
        expect_only(kI4, events, "17 entries of the device's log were lost before they were read");
    }
}

TEST(ZeroCopy, NoLogProvesNothing) {
    auto events = good_trace();
    std::erase_if(events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
    expect_only(kI4, events, "ifq 7 delivered data, but the trace has no DMA log of the device");
    EXPECT_EQ(check_zero_copy(events).size(), 1U);
}

TEST(ZeroCopy, WithoutALogTheCountsOfTheQueueAreJudged) {
    auto events = good_trace();
    std::erase_if(events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
    uint64_t delivered = 0;
    for (const Event& event : events)
        if (const auto* cqe = std::get_if<CqeSeen>(&event.body); cqe != nullptr && cqe->result > 0)
            delivered += static_cast<uint64_t>(cqe->result);
    ASSERT_GT(delivered, 0U);
    events.push_back({99, QueueCounted{.ifq = 7, .packets = 3, .bytes = delivered}});
    expect_green(events);
    nth<QueueCounted>(events).bytes = delivered - 1;
    expect_only(kI4, events,
                "ifq 7 delivered " + std::to_string(delivered) +
                    " bytes, but its queue received "
                    "only " +
                    std::to_string(delivered - 1) + " bytes in 3 packets");
    // Of another ifq they say nothing.
    nth<QueueCounted>(events) = {.ifq = 8, .bytes = delivered};
    expect_only(kI4, events, "nor counts of its queue");
}

// The good trace without a log, of which the first three CQEs are in the count of the queue; then
// its ring is closed, in the middle or not.
std::vector<Event> counted_until(uint64_t bytes, bool interrupted) {
    auto events = good_trace();
    std::erase_if(events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
    insert_at(events, index_of<CqeSeen>(events, 3),
              QueueCounted{.ifq = 7, .packets = 3, .bytes = bytes, .goes_on = true});
    nth<RingClosed>(events).interrupted = interrupted;
    return events;
}

TEST(ZeroCopy, WhatComesBehindACountIsExcusedOnlyByARingClosedInTheMiddle) {
    EXPECT_TRUE(check_zero_copy(counted_until(3 * 1448, true)).empty());
    expect_red(kI4, counted_until(3 * 1448 - 1, true),
               "ifq 7 delivered 4344 bytes, but its queue received only 4343 bytes");
    expect_red(kI4, counted_until(3 * 1448, false), "but its queue received only 4344 bytes");
    auto another = counted_until(3 * 1448, true);
    nth<RingClosed>(another).ifq = 8;
    expect_red(kI4, another, "but its queue received only 4344 bytes");
    auto exact = counted_until(3 * 1448, true);
    nth<QueueCounted>(exact).goes_on = false;
    expect_red(kI4, exact, "but its queue received only 4344 bytes");
}

TEST(ZeroCopy, ACountBeforeTheFirstByteProvesNothing) {
    auto events = counted_until(3 * 1448, true);
    const QueueCounted count = nth<QueueCounted>(events);
    erase_nth<QueueCounted>(events);
    insert_at(events, index_of<CqeSeen>(events, 0), count);
    expect_red(kI4, events, "ifq 7 delivered data only behind the count of its queue");
    EXPECT_EQ(check_zero_copy(events).size(), 1U);
}

TEST(ZeroCopy, OnlyTheLastCountMayGoOn) {
    auto events = counted_until(3 * 1448, true);
    events.push_back({99, QueueCounted{.ifq = 7, .packets = 1, .bytes = 1448}});
    expect_red(kI4, events, "but its queue received only 5792 bytes in 4 packets");
}

TEST(ZeroCopy, WhatIsToBeCopiedNeedNotBeCounted) {
    auto events = good_trace();
    std::erase_if(events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
    uint64_t delivered = 0;
    for (const Event& event : events)
        if (const auto* cqe = std::get_if<CqeSeen>(&event.body); cqe != nullptr && cqe->result > 0)
            delivered += static_cast<uint64_t>(cqe->result);
    events.push_back({99, QueueCounted{.ifq = 7, .packets = 3, .bytes = delivered - 10}});
    events.push_back({100, CopiesExpected{.ifq = 7, .bytes = 6, .undecided = 4}});
    expect_green(events);
    nth<CopiesExpected>(events).bytes = 5;
    expect_only(kI4, events, "but its queue received only");
}

TEST(ZeroCopy, CountsDoNotOutweighALog) {
    auto events = good_trace();
    events.push_back({99, QueueCounted{.ifq = 7}});
    expect_green(events);
}

TEST(ZeroCopy, AnEmptyLogProvesNothing) {
    auto events = good_trace();
    for (size_t n = 0; n < 2; ++n) nth<DmaWrites>(events, n).entries.clear();
    expect_only(kI4, events, "has no write of this byte");
}

TEST(ZeroCopy, FlowMustMatchTheConnection) {
    const auto damaged = [](auto&& change) {
        auto events = good_trace();
        for (size_t n = 0; n < 2; ++n) change(nth<DmaWrites>(events, n).flows[0]);
        return events;
    };
    const std::string words = "has no TCP connection (with its SYN) of stream 1's ports";
    expect_only(kI4, damaged([](DmaLogFlow& f) { f.source_port = uint16_t{40001}; }), words);
    expect_only(kI4, damaged([](DmaLogFlow& f) { f.destination_port = uint16_t{1}; }), words);
    expect_only(kI4, damaged([](DmaLogFlow& f) { f.family = 6; }), words);
    expect_only(kI4, damaged([](DmaLogFlow& f) { f.has_syn = 0; }), words);
    expect_only(kI4, damaged([](DmaLogFlow& f) { f.initial_sequence = 5U; }), "stream 1");
}

TEST(ZeroCopy, OfATestThatGaveUpAStreamThatTheDeviceNeverSawIsNotJudged) {
    auto events = good_trace();
    for (size_t n = 0; n < 2; ++n) nth<DmaWrites>(events, n).flows[0].has_syn = 0;
    insert_at(events, 2, CopiesNotTold{7, CopiesUnknown::kNoPositions});
    expect_only(kI4, events, "has no TCP connection (with its SYN) of stream 1's ports");
    nth<CopiesNotTold>(events).why = CopiesUnknown::kGaveUp;
    expect_green(events);
    // The device knows both streams of this one.
    events = good_trace();
    for (size_t n = 0; n < 2; ++n) nth<DmaWrites>(events, n).entries.clear();
    insert_at(events, 2, CopiesNotTold{7, CopiesUnknown::kGaveUp});
    expect_only(kI4, events, "has no write of this byte");
}

TEST(ZeroCopy, WritesOfTheOtherStreamProveNothing) {
    auto events = good_trace();
    for (size_t n = 0; n < 2; ++n)
        std::swap(nth<DmaWrites>(events, n).flows[0].flow, nth<DmaWrites>(events, n).flows[1].flow);
    expect_only(kI4, events, "stream 1");
    expect_only(kI4, events, "stream 2");
}

TEST(ZeroCopy, UnknownPagesProveNothing) {
    auto events = good_trace();
    nth<AreaRegistered>(events).pages.assign(16, 0);
    expect_only(kI4, events, "whose page is not known from the registration");
    nth<AreaRegistered>(events).pages.clear();
    expect_only(kI4, events, "whose page is not known from the registration");
}

TEST(ZeroCopy, PortsUsedAgainAreToldApartByTheirSyn) {
    auto events = good_trace();
    // An older connection with the same ports, of another test of the same device: its flow is in
    // the table, its stream is not in the trace.
    for (size_t n = 0; n < 2; ++n) {
        auto& flows = nth<DmaWrites>(events, n).flows;
        DmaLogFlow old = flows[0];
        old.flow = 2U;
        old.initial_sequence = 77U;
        flows.insert(flows.begin(), old);
        // A SYN that was sent again belongs to the same connection.
        DmaLogFlow again = flows[1];
        again.flow = 9U;
        flows.push_back(again);
    }
    expect_green(events);
    entry_of_cqe(events, 2).flow = 9U;
    expect_green(events);
    for (size_t n = 0; n < 2; ++n) nth<DmaWrites>(events, n).flows[0].flow = 100U;
    expect_only(kI4, events, "stream 1");  // now the newer SYN is the other one
}

TEST(ZeroCopy, ExpectedCopiesAreCountedExactly) {
    auto events = good_trace();
    entry_of_cqe(events, 2).address = 0x99999000U;
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 1448});
    expect_green(events);
    nth<CopiesExpected>(events).bytes = 1447;
    expect_only(kI4, events,
                "on ifq 7 exactly 1447 bytes were to be copied, but 1448 were; the "
                "first: 1448 of the 1448 bytes of the CQE at position 1448");
    nth<CopiesExpected>(events).bytes = 1449;
    expect_only(kI4, events, "exactly 1449 bytes were to be copied, but 1448 were");
    // They add up.
    nth<CopiesExpected>(events).bytes = 1000;
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 448});
    expect_green(events);
}

TEST(ZeroCopy, BytesThatWereWrittenTwiceMayBeCopied) {
    auto events = good_trace();
    entry_of_cqe(events, 2).address = 0x99999000U;
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 1000, .undecided = 448});
    expect_green(events);
    nth<CopiesExpected>(events).undecided = 447;
    expect_only(
        kI4, events,
        "exactly 1000 bytes were to be copied (or up to 447 more, written twice), but 1448");
    nth<CopiesExpected>(events) = {.ifq = 7, .bytes = 1449, .undecided = 448};
    expect_only(kI4, events, "but 1448 were");
}

TEST(ZeroCopy, ZeroCopyWhereACopyWasExpectedIsRed) {
    auto events = good_trace();
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 1448});
    expect_only(kI4, events, "exactly 1448 bytes were to be copied, but 0 were");
    nth<IfqRegistered>(events).zero_copy_expected = false;
    expect_only(kI4, events, "exactly 1448 bytes were to be copied, but 0 were");
}

TEST(ZeroCopy, WhatADeviceWithALogDeliversIsJudgedOrHasAReason) {
    auto events = good_trace();
    nth<IfqRegistered>(events).zero_copy_expected = false;
    const std::string words = "ifq 7 delivered data that nothing judges";
    expect_only(kI4, events, words);
    insert_at(events, 2, CopiesNotTold{.ifq = 8});  // another one's
    expect_only(kI4, events, words);
    nth<CopiesNotTold>(events).ifq = 7;
    expect_green(events);
    erase_nth<CopiesNotTold>(events);
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 0});
    expect_green(events);
    erase_nth<CopiesExpected>(events);
    // A device without a log is no witness.
    std::erase_if(events, [](const Event& e) { return std::holds_alternative<DmaWrites>(e.body); });
    expect_green(events);
}

TEST(ZeroCopy, WhatATestReceivesByItselfHasAReasonNotToBeJudged) {
    auto events = good_trace();
    const size_t closed = index_of<RingClosed>(events);
    insert_at(events, closed, OtherSubmitted{kRingOfGoodTrace, 5, "recv_zc"});
    insert_at(events, closed + 1,
              OtherCqeSeen{.ring = kRingOfGoodTrace, .request = 5, .result = 1});
    expect_only(kI4, events, "ifq 7 delivered data that nothing judges");
    nth<OtherSubmitted>(events).operation = "read";  // its result is no data of the ifq
    expect_green(events);
    nth<OtherSubmitted>(events).operation = "recv_zc";
    insert_at(events, 2, CopiesNotTold{7, CopiesUnknown::kNoPositions});
    expect_green(events);
}

TEST(ZeroCopy, WithoutADeviceEverythingIsCopied) {
    auto events = good_trace({.device = false});
    insert_at(events, 2, CopiesExpected{.ifq = 7, .bytes = 2 * 17376});
    expect_green(events);
    nth<CopiesExpected>(events).bytes = 1;
    expect_only(kI4, events, "exactly 1 bytes were to be copied, but 34752 were");
}

TEST(ZeroCopy, PositionsBeyond4GiBWrapWithTheSequenceNumber) {
    auto events = good_trace();
    for (Event& event : events)
        if (auto* cqe = std::get_if<CqeSeen>(&event.body)) cqe->position += 1ULL << 32;
    EXPECT_EQ(text_of(check_zero_copy(events)), "");
}

TEST(ZeroCopy, DamagedEntriesProveNothingAndDoNoHarm) {
    auto events = good_trace();
    DmaLogEntry& entry = entry_of_cqe(events, 2);
    entry.length = 0xffffffffU;
    expect_only(kI4, events, "has no write of this byte");
    entry_of_cqe(events, 4).length = 0U;
    entry_of_cqe(events, 6).kind = DmaKind::kUnsplit;
    entry_of_cqe(events, 6).payload_offset = 0xffffffffU;
    expect_only(kI4, events, "has no write of this byte");
    // A damaged CQE neither.
    nth<CqeSeen>(events, 8).result = 0x7fffffff;
    nth<CqeSeen>(events, 10).offset = ~0ULL;
    nth<CqeSeen>(events, 12).position = ~0ULL;
    expect_red(kI4, events, "bytes");
}

// 64 MiB over an area of 1 MiB: 46 thousand CQEs. The bound is generous; what is excluded is work
// that grows with the square.
TEST(ZeroCopy, LongTracesAreJudgedQuickly) {
    const auto events = good_trace({.packets = 23170, .packet_bytes = 1448, .area_pages = 256});
    const auto began = std::chrono::steady_clock::now();
    expect_green(events);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace zcrxlab
