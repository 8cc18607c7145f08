// Tests of what each kind of fault does to packets on the cable.
#include <random>

#include "tests/nic/wire/cable_fixture.hpp"

namespace zcrxlab::nic {
namespace {

using CableFaults = CableTest;
using Numbers = std::vector<uint32_t>;

FaultMatch nth(uint64_t number) {
    FaultMatch match;
    match.skip = number - 1;
    match.count = 1;
    return match;
}

TEST_F(CableFaults, Drop) {
    uint32_t id = inject(FaultKind::kDrop, nth(2));
    send_numbers({10, 20, 30});
    EXPECT_EQ(kept_numbers(), (Numbers{10, 30}));
    EXPECT_EQ(counter("wire_rx_faults"), 1U);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].what, "fault drop");
    EXPECT_EQ(events[0].rule, id);
    EXPECT_NE(events[0].text.find("sequence 20"), std::string::npos);
}

TEST_F(CableFaults, OnlyThePortOfTheRuleIsHarmed) {
    inject(FaultKind::kDrop);
    send(build_frame(numbered(1)).bytes, 0, false, 0);
    EXPECT_EQ(kept(1).size(), 1U);
    send(numbered(1));
    EXPECT_TRUE(kept(0).empty());
}

TEST_F(CableFaults, Duplicate) {
    uint32_t id = inject(FaultKind::kDuplicate, nth(1));
    send_numbers({10, 20});
    EXPECT_EQ(kept_numbers(), (Numbers{10, 10, 20}));
    EXPECT_EQ(kept()[0].bytes, kept()[1].bytes);
    EXPECT_NE(kept()[0].delivery.packet, kept()[1].delivery.packet);
    EXPECT_EQ(kept()[0].delivery.fault, id);
    EXPECT_EQ(kept()[1].delivery.fault, id);
    EXPECT_EQ(kept()[2].delivery.fault, 0U);
}

TEST_F(CableFaults, DelayByFrames) {
    inject(FaultKind::kDelay, nth(1), 0, 3, 1000);
    send_numbers({10, 20, 30});
    EXPECT_EQ(kept_numbers(), (Numbers{20, 30}));
    send_numbers({40, 50});
    EXPECT_EQ(kept_numbers(), (Numbers{20, 30, 40, 10, 50}));
    EXPECT_EQ(kept()[3].bytes, build_frame(numbered(10)).bytes);
    EXPECT_EQ(cable.next_deadline(), kNoDeadline);
}

TEST_F(CableFaults, DelayByTime) {
    EXPECT_EQ(cable.next_deadline(), kNoDeadline);
    inject(FaultKind::kDelay, nth(1), 0, 100, 20);
    send_numbers({10, 20});
    EXPECT_EQ(kept_numbers(), (Numbers{20}));
    EXPECT_EQ(cable.next_deadline(), now + 20 * kMillisecond);
    now += 19 * kMillisecond;
    cable.run();
    EXPECT_EQ(kept_numbers(), (Numbers{20}));
    int bursts = devices[0].bursts;
    now += kMillisecond;
    cable.run();
    EXPECT_EQ(kept_numbers(), (Numbers{20, 10}));
    EXPECT_EQ(devices[0].bursts, bursts + 1);
    EXPECT_EQ(cable.next_deadline(), kNoDeadline);
}

TEST_F(CableFaults, DelayOfSegmentsOfOneFrame) {
    FaultMatch match;
    match.every = 3;
    inject(FaultKind::kDelay, match, 0, 2, 1000);
    FrameShape shape;
    shape.payload = stream_bytes(0, 1000);
    send(shape, 100);
    EXPECT_EQ(kept_numbers(), (Numbers{1000, 1100, 1300, 1400, 1200, 1600, 1700, 1500, 1900}));
    for (const auto& one : kept()) {
        uint32_t position = one.delivery.tcp_sequence - 1000;
        Bytes payload(one.bytes.begin() + 54, one.bytes.end());
        EXPECT_EQ(payload, stream_bytes(position, 100));
        FrameShape of;
        EXPECT_TRUE(checksums_right(one.bytes, of));
    }
}

TEST_F(CableFaults, ALargeFrameDoesNotOvertakeInOnePiece) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    inject(FaultKind::kDelay, nth(1), 0, 3, 1000);
    FrameShape shape;
    shape.payload = stream_bytes(0, 1000);
    send_numbers({10});
    send(shape, 100);
    let_hold_pass();
    EXPECT_EQ(kept_numbers(), (Numbers{1000, 10, 1300}));
    // The rule is used up and nothing is held: the next one passes whole.
    send(shape, 100);
    EXPECT_EQ(counter("wire_tx_frames_whole", 1), 1U);
    EXPECT_EQ(cable.faults().entries()[0].seen, 21U);
}

TEST_F(CableFaults, ReorderSwapsNeighbours) {
    inject(FaultKind::kReorder, nth(2), 0, 1, 1000);
    send_numbers({10, 20, 30, 40});
    EXPECT_EQ(kept_numbers(), (Numbers{10, 30, 20, 40}));
    kept().clear();
    inject(FaultKind::kReorder, {}, 0, 1, 1000);
    send_numbers({1, 2, 3, 4});
    EXPECT_EQ(kept_numbers(), (Numbers{2, 1, 4, 3}));
}

TEST_F(CableFaults, TheLastPacketOfAllIsNotKeptForEver) {
    inject(FaultKind::kReorder, {}, 0, 1, 20);
    send_numbers({1});
    EXPECT_TRUE(kept().empty());
    now = cable.next_deadline();
    cable.run();
    EXPECT_EQ(kept_numbers(), (Numbers{1}));
}

TEST_F(CableFaults, Corrupt) {
    inject(FaultKind::kCorrupt, nth(1), 3);
    inject(FaultKind::kCorrupt, nth(2), 1003);  // beyond the payload: wraps
    BuiltFrame built = build_frame(numbered(10));
    send(built.bytes, 0, true);
    send(built.bytes, 0, true);
    send(built.bytes, 0, true);
    ASSERT_EQ(kept().size(), 3U);
    Bytes expected = built.bytes;
    expected[built.payload + 3] = ~expected[built.payload + 3];
    EXPECT_EQ(kept()[0].bytes, expected);
    EXPECT_EQ(kept()[0].delivery.l4_checksum, ChecksumState::kBad);
    EXPECT_EQ(kept()[1].bytes, expected);
    EXPECT_EQ(kept()[2].bytes, built.bytes);
    EXPECT_EQ(kept()[2].delivery.l4_checksum, ChecksumState::kGood);
}

TEST_F(CableFaults, Splits) {
    inject(FaultKind::kNoSplit, nth(1));
    inject(FaultKind::kSplitEarly, nth(2), 8);
    inject(FaultKind::kSplitLate, nth(3), 8);
    inject(FaultKind::kSplitEarly, nth(4), 5000);
    inject(FaultKind::kSplitLate, nth(5), 5000);
    send_numbers({1, 2, 3, 4, 5, 6});
    ASSERT_EQ(kept().size(), 6U);
    int expected[] = {0, 46, 62, 1, 64, 54};
    for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(kept()[i].delivery.header_length, expected[i]);
        EXPECT_EQ(kept()[i].delivery.payload_offset, 54);
    }
}

TEST_F(CableFaults, WrongQueue) {
    settings.rss_table.assign(128, 2);
    cable.port(0).set_receive(settings);
    FaultMatch match;
    match.queue = 2;
    match.count = 1;
    inject(FaultKind::kWrongQueue, match, 0, 0, 0, 3);
    inject(FaultKind::kWrongQueue, nth(2), 0, 0, 0, 99);
    send_numbers({1, 2, 3});
    EXPECT_EQ(kept()[0].delivery.queue, 3);
    EXPECT_EQ(kept()[1].delivery.queue, 3);  // the last there is
    EXPECT_EQ(kept()[2].delivery.queue, 2);
}

TEST_F(CableFaults, NoBufferAndLoseInterruptAreTheDevicesWork) {
    inject(FaultKind::kNoBuffer, nth(1));
    inject(FaultKind::kLoseInterrupt, nth(2));
    send_numbers({1, 2, 3});
    EXPECT_TRUE(kept()[0].delivery.no_buffer);
    EXPECT_FALSE(kept()[0].delivery.lose_interrupt);
    EXPECT_TRUE(kept()[1].delivery.lose_interrupt);
    EXPECT_FALSE(kept()[1].delivery.no_buffer);
    EXPECT_FALSE(kept()[2].delivery.no_buffer || kept()[2].delivery.lose_interrupt);
}

TEST_F(CableFaults, HalfPacketIsTheDevicesWork) {
    inject(FaultKind::kHalfPacket, nth(2));
    send_numbers({1, 2});
    EXPECT_EQ(kept()[0].delivery.rest, Rest::kAtOnce);
    EXPECT_EQ(kept()[1].delivery.rest, Rest::kWhenSeen);
}

TEST_F(CableFaults, StuckPacketIsTheDevicesWork) {
    inject(FaultKind::kStuckPacket, nth(2));
    send_numbers({1, 2});
    EXPECT_EQ(kept()[0].delivery.rest, Rest::kAtOnce);
    EXPECT_EQ(kept()[1].delivery.rest, Rest::kWithNext);
}

TEST_F(CableFaults, WhatHitsBuffersAndCompletionsIsTheDevicesWork) {
    inject(FaultKind::kEmptyBuffer, nth(2));
    ASSERT_TRUE(
        cable.faults().add({.what = FaultKind::kBufferError, .buffer = 2, .match = nth(3)}));
    inject(FaultKind::kOvertaken, nth(4));
    inject(FaultKind::kHeaderError, nth(5));
    inject(FaultKind::kForeignTag, nth(6));
    send_numbers({1, 2, 3, 4, 5, 6});
    const Delivery& none = kept()[0].delivery;
    EXPECT_FALSE(none.empty_buffer || none.bad_buffer || none.bad_headers || none.foreign_tag);
    EXPECT_EQ(none.rest, Rest::kAtOnce);
    EXPECT_TRUE(kept()[1].delivery.empty_buffer);
    EXPECT_EQ(kept()[2].delivery.bad_buffer, 2);
    EXPECT_EQ(kept()[3].delivery.rest, Rest::kOvertaken);
    EXPECT_TRUE(kept()[4].delivery.bad_headers);
    EXPECT_TRUE(kept()[5].delivery.foreign_tag);
}

TEST_F(CableFaults, LinkFlap) {
    inject(FaultKind::kLinkFlap, nth(2), 0, 0, 100);
    send_numbers({1, 2, 3});
    EXPECT_EQ(kept_numbers(), (Numbers{1}));
    EXPECT_FALSE(devices[0].link);
    EXPECT_TRUE(devices[1].link);
    EXPECT_EQ(cable.next_deadline(), now + 100 * kMillisecond);
    now += 100 * kMillisecond;
    cable.run();
    EXPECT_TRUE(devices[0].link);
    send_numbers({4});
    EXPECT_EQ(kept_numbers(), (Numbers{1, 4}));
}

TEST_F(CableFaults, LinkFlapInsideALargeFrame) {
    inject(FaultKind::kLinkFlap, nth(2), 0, 0, 100);
    FrameShape shape;
    shape.payload = stream_bytes(0, 1000);
    send(shape, 100);
    EXPECT_EQ(kept_numbers(), (Numbers{1000}));
    EXPECT_EQ(counter("wire_rx_link_down"), 8U);
}

TEST_F(CableFaults, Reset) {
    inject(FaultKind::kReset, nth(1));
    send_numbers({1, 2});
    EXPECT_EQ(devices[0].resets, 1);
    EXPECT_EQ(kept_numbers(), (Numbers{2}));
}

TEST_F(CableFaults, HarmedPacketsAreNotCoalesced) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    inject(FaultKind::kNoSplit, nth(3));
    FrameShape shape;
    shape.payload = stream_bytes(0, 500);
    send(shape, 100);
    let_hold_pass();
    ASSERT_EQ(kept().size(), 3U);
    EXPECT_EQ(kept()[0].delivery.rsc_mss, 100);
    EXPECT_EQ(kept()[1].delivery.rsc_mss, 0);
    EXPECT_EQ(kept()[1].delivery.header_length, 0);
    EXPECT_EQ(kept()[2].delivery.rsc_mss, 100);
    EXPECT_EQ(kept_numbers(), (Numbers{1000, 1200, 1300}));
}

// The same packets through the same rules twice must end the same way; TSO and RSC do not matter to
// which segments are hit.
TEST(CableRepeats, SameSeedSameFaults) {
    auto run = [](bool rsc, bool tso) {
        FakeWireDevice device;
        uint64_t now = 1;
        Cable cable({[&now] { return now; }, nullptr, {}, 64});
        cable.attach(0, &device);
        ReceiveSettings settings;
        settings.queues = 2;
        settings.rsc = rsc;
        cable.port(0).set_receive(settings);
        FaultRule rule;
        rule.match.probability = 0.05;
        rule.match.seed = 99;
        EXPECT_TRUE(cable.faults().add(rule).ok());
        rule.what = FaultKind::kDelay;
        rule.frames = 3;
        rule.milliseconds = 1000;
        EXPECT_TRUE(cable.faults().add(rule).ok());
        FrameShape shape;
        for (int i = 0; i < 50; ++i) {
            if (tso) {
                Outgoing frame;
                shape.payload = stream_bytes(i * 2000, 2000);
                shape.sequence = i * 2000;
                frame.bytes = build_frame(shape).bytes;
                frame.mss = 100;
                cable.port(1).transmit(std::move(frame));
                continue;
            }
            for (int j = 0; j < 20; ++j) {
                shape.payload = stream_bytes(i * 2000 + j * 100, 100);
                shape.sequence = i * 2000 + j * 100;
                Outgoing frame;
                frame.bytes = build_frame(shape).bytes;
                cable.port(1).transmit(std::move(frame));
            }
        }
        // Nothing is held any more of what waits to be joined; what a fault delays, is.
        now += FlowLimits{}.hold;
        cable.run();
        // The order of the stream's hundreds as they arrived.
        Numbers order;
        for (const auto& one : device.kept) {
            uint32_t length = one.bytes.size() - one.delivery.payload_offset;
            for (uint32_t at = 0; at < length; at += 100)
                order.push_back(one.delivery.tcp_sequence + at);
        }
        return order;
    };
    Numbers first = run(false, true);
    EXPECT_GT(first.size(), 900U);
    EXPECT_LT(first.size(), 1000U);
    EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
    EXPECT_EQ(run(false, true), first);
    EXPECT_EQ(run(true, true), first);
    EXPECT_EQ(run(false, false), first);
}

TEST_F(CableFaults, KeptPacketsAreBounded) {
    inject(FaultKind::kDelay, {}, 0, 1000000, 1000000);
    for (int i = 0; i < 5000; ++i) send(numbered(1));
    EXPECT_GT(kept().size(), 800U);
}

}  // namespace
}  // namespace zcrxlab::nic
