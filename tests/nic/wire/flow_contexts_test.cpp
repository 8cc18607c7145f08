// Tests of what RSC holds back: each way in which a context ends, order, and bounds.
#include "nic/wire/flow_contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

constexpr uint64_t kHold = 1000;
constexpr uint32_t kSegment = 100;  // bytes

// Packets that arrive, and what became of them: a row for each delivered one.
class FlowContextsTest : public testing::Test {
  protected:
    struct Row {
        unsigned port = 0;  // the flow's
        uint32_t sequence = 0;
        uint32_t length = 0;
        uint32_t segments = 0;
        uint64_t at = 0;
        bool operator==(const Row& other) const {
            return port == other.port && sequence == other.sequence && length == other.length &&
                   segments == other.segments;
        }
    };

    explicit FlowContextsTest(size_t contexts = 3)
        : flows({contexts, kHold}, [this](const Packet& packet, uint32_t segments) {
              const ParsedHeaders& h = packet.headers;
              rows.push_back({h.source_port, h.tcp_sequence, h.payload_length(), segments, now});
              EXPECT_EQ(packet.rsc_mss != 0, segments > 1);
              // What is announced is what the bytes say.
              const ParsedHeaders parsed = parse_headers(packet.bytes);
              EXPECT_EQ(parsed.payload_length(), h.payload_length());
              if (h.l4 != L4::kTcp) return;
              for (uint32_t i = 0; i < h.payload_length(); ++i)
                  ASSERT_EQ(packet.bytes[h.payload_offset + i], stream_byte(h.tcp_sequence + i));
          }) {}

    static FrameShape segment(unsigned port, uint32_t sequence, size_t length = kSegment) {
        FrameShape shape;
        shape.source_port = port;
        shape.sequence = sequence;
        shape.payload = stream_bytes(sequence, length);
        return shape;
    }
    void add(const FrameShape& shape, ChecksumState l4 = ChecksumState::kGood, uint32_t fault = 0,
             size_t trailing = 0) {
        Bytes bytes = build_frame(shape).bytes;
        bytes.resize(bytes.size() + trailing);
        Packet packet;
        packet.bytes = bytes;
        packet.headers = parse_headers(bytes);
        packet.l4_checksum = l4;
        packet.fault.rule = fault;
        flows.add(packet, now, limits);
    }
    void add(unsigned port, uint32_t sequence) { add(segment(port, sequence)); }

    uint64_t now = 5;
    RscLimits limits;
    std::vector<Row> rows;
    FlowContexts flows;
};

TEST_F(FlowContextsTest, FlowsThatTakeTurnsAreJoinedEach) {
    for (uint32_t sequence : {0U, 100U, 200U})
        for (unsigned port : {1U, 2U, 3U}) add(port, sequence);
    EXPECT_TRUE(rows.empty());
    flows.deliver_all();
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 300, 3}, {2, 0, 300, 3}, {3, 0, 300, 3}}));
    EXPECT_TRUE(flows.empty());
}

TEST_F(FlowContextsTest, TimeEndsAContextCountedFromItsFirstSegment) {
    add(1, 0);
    EXPECT_EQ(flows.next_deadline(), now + kHold);
    now += kHold - 1;
    add(1, 100);
    flows.expire(now);
    EXPECT_TRUE(rows.empty());
    now += 1;
    flows.expire(now);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 200, 2}}));
    EXPECT_EQ(flows.expired(), 1U);
    EXPECT_EQ(flows.next_deadline(), std::numeric_limits<uint64_t>::max());
}

TEST_F(FlowContextsTest, AsManySegmentsAsTheLimitSaysEndAContext) {
    limits.segments = 2;
    for (uint32_t sequence : {0U, 100U, 200U}) add(1, sequence);
    flows.deliver_all();
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 200, 2}, {1, 200, 100, 1}}));
    rows.clear();
    limits.segments = 1;
    add(1, 300);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 300, 100, 1}}));
    EXPECT_TRUE(flows.empty());
}

TEST_F(FlowContextsTest, AShorterSegmentBeginsNothingAndEndsWhatIsThere) {
    limits.shortest = kSegment;
    add(segment(1, 0, kSegment - 1));
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, kSegment - 1, 1}}));
    rows.clear();
    add(1, 1000);
    add(segment(1, 1000 + kSegment, kSegment - 1));
    EXPECT_EQ(rows, (std::vector<Row>{{1, 1000, 2 * kSegment - 1, 2}}));
}

TEST_F(FlowContextsTest, APacketThatComesTooLateFindsNoContext) {
    add(1, 0);
    now += kHold;
    add(1, 100);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}}));
}

TEST_F(FlowContextsTest, TheOldestMakesRoomForAFourthFlow) {
    for (unsigned port : {1U, 2U, 3U}) add(port, 0);
    add(1, 100);
    add(4, 0);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 200, 2}}));
    EXPECT_EQ(flows.evicted(), 1U);
}

TEST_F(FlowContextsTest, APacketThatEndsByItselfTakesNoContext) {
    for (unsigned port : {1U, 2U, 3U}) add(port, 0);
    FrameShape alone = segment(4, 0);
    alone.flags |= 0x08;  // PSH
    add(alone);
    EXPECT_EQ(rows, (std::vector<Row>{{4, 0, 100, 1}}));
    EXPECT_EQ(flows.evicted(), 0U);
}

TEST_F(FlowContextsTest, PushAndFinEndWithTheirSegment) {
    for (unsigned flag : {0x08U, 0x01U}) {
        rows.clear();
        add(1, 0);
        FrameShape last = segment(1, 100);
        last.flags |= flag;
        add(last);
        EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 200, 2}})) << flag;
        EXPECT_TRUE(flows.empty());
    }
}

TEST_F(FlowContextsTest, OtherFlagsGoAloneBehindWhatIsHeld) {
    for (unsigned flag : {0x02U, 0x04U, 0x20U, 0x80U}) {  // SYN, RST, URG, CWR
        rows.clear();
        add(1, 0);
        add(2, 0);
        FrameShape other = segment(1, 100);
        other.flags |= flag;
        add(other);
        EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 100, 100, 1}})) << flag;
        flows.deliver_all();
    }
}

TEST_F(FlowContextsTest, AnAcknowledgmentGoesBehindTheDataBeforeIt) {
    add(1, 0);
    add(2, 0);
    add(segment(1, 100, 0));
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 100, 0, 1}}));
    add(segment(2, 100, 0));
    EXPECT_EQ(rows.size(), 4U);
}

TEST_F(FlowContextsTest, OutOfOrderEndsOneContextAndBeginsAnother) {
    add(1, 0);
    add(1, 200);
    add(1, 100);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 200, 100, 1}}));
    add(1, 200);
    flows.deliver_all();
    EXPECT_EQ(rows.back(), (Row{1, 100, 200, 2}));
}

TEST_F(FlowContextsTest, ChangedHeadersEndIt) {
    const std::vector<void (*)(FrameShape&)> changes = {
        [](FrameShape& s) { s.acknowledgment += 1; },
        [](FrameShape& s) { s.window += 1; },
        [](FrameShape& s) { s.vlan_tags = 1; },
        [](FrameShape& s) { s.tcp_options = Bytes(4, std::byte{1}); },
        [](FrameShape& s) { s.ip_options = Bytes(4, std::byte{1}); },
        [](FrameShape& s) { s.identification += 2; },
    };
    for (const auto change : changes) {
        rows.clear();
        add(1, 0);
        FrameShape other = segment(1, 100);
        change(other);
        add(other);
        flows.deliver_all();
        EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 100, 100, 1}}));
    }
}

TEST_F(FlowContextsTest, ASmallerSegmentEndsItALargerOneDoesNotBelongToIt) {
    add(1, 0);
    add(segment(1, 100, 1));
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 101, 2}}));
    add(1, 200);
    add(segment(1, 300, 101));
    EXPECT_EQ(rows.back(), (Row{1, 200, 100, 1}));
}

TEST_F(FlowContextsTest, ItEndsAtTheLengthOfAnIpPacket) {
    for (uint32_t i = 0; i < 700; ++i) add(1, i * kSegment);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].segments, (65535 - 40) / kSegment);
}

TEST_F(FlowContextsTest, AWrongChecksumAndAFaultGoAlone) {
    add(1, 0);
    add(segment(1, 100), ChecksumState::kBad);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 100, 100, 1}}));
    add(2, 0);
    add(segment(2, 100), ChecksumState::kGood, 7);
    EXPECT_EQ(rows.size(), 4U);
}

TEST_F(FlowContextsTest, ASegmentWithSomethingBehindItGoesAlone) {
    add(1, 0);
    add(segment(1, 100), ChecksumState::kGood, 0, 4);
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 100, 1}, {1, 100, 100, 1}}));
}

TEST_F(FlowContextsTest, AFragmentDoesNotOvertakeWhatIsHeldBetweenItsAddresses) {
    add(1, 0);
    FrameShape elsewhere = segment(2, 0);
    elsewhere.source += 1;
    add(elsewhere);
    FrameShape fragment = segment(3, 0);
    fragment.fragment = 0x2000;
    add(fragment);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0], (Row{1, 0, 100, 1}));
    EXPECT_FALSE(flows.empty());
}

TEST_F(FlowContextsTest, OthersPassWhatIsHeld) {
    add(1, 0);
    FrameShape datagram = segment(1, 0);
    datagram.protocol = 17;
    add(datagram);
    EXPECT_EQ(rows.size(), 1U);
    EXPECT_FALSE(flows.empty());
}

TEST_F(FlowContextsTest, SameExtensionHeadersAreJoinedOthersAreNot) {
    FrameShape first = segment(1, 0);
    first.family = 6;
    first.first_header = 60;  // destination options
    first.ip_options = {std::byte{6}, std::byte{0}, std::byte{1}, std::byte{4},
                        std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}};
    FrameShape second = first;
    second.sequence = 100;
    second.payload = stream_bytes(100, kSegment);
    add(first);
    add(second);
    flows.deliver_all();
    EXPECT_EQ(rows, (std::vector<Row>{{1, 0, 200, 2}}));
    second.ip_options.back() = std::byte{1};
    add(first);
    add(second);
    flows.deliver_all();
    EXPECT_EQ(rows.size(), 3U);
}

// IPv4 identifications count up, or stay as they are; what begins in one way goes on in it.
TEST_F(FlowContextsTest, IdentificationsCountUpOrStay) {
    const auto segments_of_first = [&](std::vector<unsigned> identifications) {
        rows.clear();
        for (size_t i = 0; i < identifications.size(); ++i) {
            FrameShape shape = segment(1, static_cast<uint32_t>(i) * kSegment);
            shape.identification = identifications[i];
            add(shape);
        }
        flows.deliver_all();
        return rows.front().segments;
    };
    EXPECT_EQ(segments_of_first({7, 8, 9}), 3U);
    EXPECT_EQ(segments_of_first({7, 7, 7}), 3U);
    EXPECT_EQ(segments_of_first({0xffff, 0, 1}), 3U);
    EXPECT_EQ(segments_of_first({7, 8, 8}), 2U);
    EXPECT_EQ(segments_of_first({7, 7, 8}), 2U);
    EXPECT_EQ(segments_of_first({7, 6}), 1U);
}

// Whatever comes in whatever order: each flow keeps its bytes and their order, nothing is held
// longer than it may be, and no more flows than there is room for.
TEST_F(FlowContextsTest, KeepsEveryFlowWhateverComes) {
    std::mt19937 random(11);
    std::map<unsigned, uint32_t> sent;
    std::map<unsigned, uint64_t> oldest;  // of each flow, when its first byte that waits came
    std::map<unsigned, uint32_t> received;
    uint64_t joined = 0;
    const auto judge = [&] {
        for (const Row& row : rows) {
            EXPECT_EQ(row.sequence, received[row.port]);
            received[row.port] += row.length;
            joined += row.segments > 1 ? 1 : 0;
            if (received[row.port] == sent[row.port]) oldest.erase(row.port);
        }
        rows.clear();
        EXPECT_LE(oldest.size(), 3U);
        for (const auto& [port, since] : oldest) EXPECT_LT(now, since + kHold);
    };
    for (int i = 0; i < 20000; ++i) {
        now += random() % (kHold / 8);
        flows.expire(now);
        judge();
        const unsigned port = 1 + random() % 5;
        const size_t length = random() % 6 == 0 ? random() % (kSegment + 1) : kSegment;
        FrameShape shape = segment(port, sent[port], length);
        if (random() % 16 == 0) shape.flags |= 0x08;
        if (random() % 16 == 0) shape.window += random() % 2;
        const uint64_t since = now;
        const uint32_t before = received[port];
        sent[port] += static_cast<uint32_t>(length);
        if (length > 0) oldest.try_emplace(port, since);
        add(shape);
        judge();
        // What is still waiting came with this packet, if anything was delivered.
        if (received[port] != before && oldest.contains(port)) oldest[port] = since;
    }
    flows.deliver_all();
    judge();
    EXPECT_EQ(received, sent);
    EXPECT_GT(joined, 500U);
}

// A device may do anything while it is given a packet.
TEST(FlowContextsCalledBack, MayBeEndedByTheOneItDeliversTo) {
    FlowContexts* inside = nullptr;
    std::vector<uint32_t> sequences;
    FlowContexts flows({2, kHold}, [&](const Packet& packet, uint32_t) {
        const Bytes before(packet.bytes.begin(), packet.bytes.end());
        inside->deliver_all();
        EXPECT_TRUE(std::equal(before.begin(), before.end(), packet.bytes.begin()));
        sequences.push_back(packet.headers.tcp_sequence);
    });
    inside = &flows;
    for (uint32_t i = 0; i < 3; ++i) {
        FrameShape shape;
        shape.source_port = i;
        shape.sequence = i;
        shape.payload = stream_bytes(i, kSegment);
        Bytes bytes = build_frame(shape).bytes;
        Packet packet;
        packet.bytes = bytes;
        packet.headers = parse_headers(bytes);
        packet.l4_checksum = ChecksumState::kGood;
        flows.add(packet, 0);
    }
    std::sort(sequences.begin(), sequences.end());
    EXPECT_EQ(sequences, (std::vector<uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace zcrxlab::nic
