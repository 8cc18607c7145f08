// Tests of segmentation and coalescing against a model that builds every segment from scratch.
#include <gtest/gtest.h>

#include <random>

#include "nic/wire/coalescing.hpp"
#include "nic/wire/segmentation.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

// What TSO must make of a large frame: each segment as a sender without TSO would have built it.
std::vector<Bytes> model_segments(const FrameShape& large, size_t mss) {
    std::vector<Bytes> segments;
    for (size_t at = 0; at < large.payload.size(); at += mss) {
        FrameShape one = large;
        size_t end = std::min(at + mss, large.payload.size());
        one.payload.assign(large.payload.begin() + at, large.payload.begin() + end);
        one.sequence = large.sequence + static_cast<uint32_t>(at);
        one.identification = (large.identification + static_cast<unsigned>(at / mss)) & 0xffff;
        if (at != 0) one.flags &= ~unsigned{kTcpCwr};
        if (end != large.payload.size()) one.flags &= ~unsigned{kTcpFin | kTcpPsh};
        segments.push_back(build_frame(one).bytes);
    }
    return segments;
}

std::vector<Bytes> cut(Bytes frame, uint16_t mss) {
    ParsedHeaders headers = parse_headers(frame, PacketEnd::kFrame);
    EXPECT_TRUE(can_segment(headers, mss));
    Segmenter segmenter(frame, headers, mss);
    std::vector<Bytes> segments;
    while (auto segment = segmenter.next()) {
        segments.emplace_back(segment->bytes.begin(), segment->bytes.end());
        ParsedHeaders again = parse_headers(segments.back());
        EXPECT_EQ(again.end, segment->headers.end);
        EXPECT_EQ(again.tcp_sequence, segment->headers.tcp_sequence);
        EXPECT_EQ(again.tcp_flags, segment->headers.tcp_flags);
    }
    EXPECT_EQ(segments.size(), segmenter.count());
    return segments;
}

TEST(Segmentation, IsWhatASenderWithoutTsoWouldSend) {
    for (int family : {4, 6}) {
        for (unsigned tags : {0U, 2U}) {
            for (size_t size : {1, 99, 100, 101, 1448, 14480, 60001}) {
                for (uint16_t mss : {16, 100, 1448, 4097, 8948}) {
                    FrameShape shape;
                    shape.family = family;
                    shape.vlan_tags = tags;
                    shape.flags = kTcpAck | kTcpPsh | kTcpFin | kTcpCwr;
                    shape.sequence = 0xfffffff0;
                    shape.identification = 0xfffe;
                    shape.tcp_options = timestamp_option();
                    if (family == 4) shape.ip_options = Bytes(8, std::byte{1});
                    shape.payload = stream_bytes(0, size);
                    EXPECT_EQ(cut(build_frame(shape).bytes, mss), model_segments(shape, mss))
                        << family << " " << tags << " " << size << " " << mss;
                }
            }
        }
    }
}

TEST(Segmentation, TakesFramesLongerThanAnIpLength) {
    FrameShape shape;
    shape.family = 6;
    shape.payload = stream_bytes(0, 200000);
    EXPECT_EQ(cut(build_frame(shape).bytes, 8000), model_segments(shape, 8000));
}

TEST(Segmentation, OfUdpIsWhatASenderOfSmallDatagramsWouldSend) {
    for (int family : {4, 6}) {
        for (unsigned tags : {0U, 2U}) {
            for (size_t size : {1, 99, 100, 101, 1472, 14720, 60001}) {
                for (uint16_t mss : {16, 100, 1472, 4097, 8948}) {
                    FrameShape shape;
                    shape.family = family;
                    shape.vlan_tags = tags;
                    shape.protocol = 17;
                    shape.identification = 0xfffe;
                    if (family == 4) shape.ip_options = Bytes(8, std::byte{1});
                    shape.payload = stream_bytes(0, size);
                    EXPECT_EQ(cut(build_frame(shape).bytes, mss), model_segments(shape, mss))
                        << family << " " << tags << " " << size << " " << mss;
                }
            }
        }
    }
}

// The length of a frame still to be cut is the frame's: its UDP header may say anything.
TEST(Segmentation, OfUdpDoesNotNeedItsLengthField) {
    FrameShape shape;
    shape.protocol = 17;
    shape.payload = stream_bytes(0, 5000);
    for (unsigned length : {0U, 9U, 1008U, 65535U}) {
        BuiltFrame frame = build_frame(shape);
        set16(frame.bytes, frame.l4 + 4, length);
        EXPECT_EQ(cut(frame.bytes, 1000), model_segments(shape, 1000)) << length;
    }
}

TEST(Segmentation, RefusesWhatIsNotDataOfTcpOrUdp) {
    FrameShape shape;
    shape.payload = stream_bytes(0, 3000);
    auto can = [](const FrameShape& of, uint16_t mss) {
        return can_segment(parse_headers(build_frame(of).bytes, PacketEnd::kFrame), mss);
    };
    EXPECT_TRUE(can(shape, 1000));
    EXPECT_FALSE(can(shape, kMinimumMss - 1));
    for (unsigned flag : {kTcpSyn, kTcpRst, kTcpUrg}) {
        shape.flags = kTcpAck | flag;
        EXPECT_FALSE(can(shape, 1000));
    }
    shape.flags = kTcpAck;
    shape.protocol = 17;
    EXPECT_TRUE(can(shape, 1000));
    shape.fragment = 0x2000;
    EXPECT_FALSE(can(shape, 1000));
    shape.fragment = 0x4000;
    shape.protocol = 1;
    EXPECT_FALSE(can(shape, 1000));
    shape.protocol = 6;
    shape.fragment = 0x2000;
    EXPECT_FALSE(can(shape, 1000));
    shape.fragment = 0;
    shape.payload.clear();
    EXPECT_FALSE(can(shape, 1000));
}

// A packet as the cable hands it to an end.
struct Owned {
    explicit Owned(Bytes from) : bytes(std::move(from)) {
        packet.bytes = bytes;
        packet.headers = parse_headers(bytes);
        packet.l4_checksum = ChecksumState::kGood;
    }
    Bytes bytes;
    Packet packet;
};

struct Joined {
    Bytes bytes;
    uint16_t mss = 0;
};

// All packets through one coalescer, as a receiver uses it.
std::vector<Joined> coalesce(const std::vector<Bytes>& segments) {
    Coalescer coalescer;
    std::vector<Joined> out;
    auto take = [&] {
        Packet packet = coalescer.take();
        out.push_back({{packet.bytes.begin(), packet.bytes.end()}, packet.rsc_mss});
    };
    for (const Bytes& segment : segments) {
        Owned owned(segment);
        auto offer = coalescer.add(owned.packet);
        if (offer == Coalescer::Offer::kRefused && !coalescer.empty()) {
            take();
            offer = coalescer.add(owned.packet);
        }
        if (offer == Coalescer::Offer::kRefused) out.push_back({segment, 0});
        if (offer == Coalescer::Offer::kComplete) take();
    }
    if (!coalescer.empty()) take();
    return out;
}

Bytes payload_of(const Bytes& frame) {
    ParsedHeaders h = parse_headers(frame);
    return {frame.begin() + h.payload_offset, frame.begin() + h.end};
}

TEST(Coalescing, UndoesSegmentation) {
    for (int family : {4, 6}) {
        for (size_t size : {2000, 14480, 14481, 60000}) {
            for (uint16_t mss : {500, 1447, 1448}) {
                FrameShape shape;
                shape.family = family;
                shape.flags = kTcpAck | kTcpPsh;
                shape.tcp_options = timestamp_option();
                shape.payload = stream_bytes(5, size);
                std::vector<Joined> joined = coalesce(model_segments(shape, mss));
                ASSERT_EQ(joined.size(), 1U);
                EXPECT_EQ(joined[0].mss, mss);
                // The whole frame but its TCP checksum, which holds the pseudo header's sum.
                BuiltFrame large = build_frame(shape);
                set16(large.bytes, large.l4 + 16, 0);
                set16(joined[0].bytes, large.l4 + 16, 0);
                EXPECT_EQ(joined[0].bytes, large.bytes);
            }
        }
    }
}

TEST(Coalescing, KeepsTheStreamWhateverTheSegments) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<Bytes> segments;
        Bytes sent;
        FrameShape shape;
        shape.family = round % 2 == 0 ? 4 : 6;
        for (int i = 0; i < 60; ++i) {
            size_t size = random() % 3 == 0 ? random() % 1449 : 1448;
            shape.payload = stream_bytes(sent.size(), size);
            shape.sequence = 1000 + static_cast<uint32_t>(sent.size());
            shape.flags = random() % 8 == 0 ? kTcpAck | kTcpPsh : kTcpAck;
            if (random() % 16 == 0) shape.acknowledgment += 1;
            if (random() % 16 == 0) shape.tcp_options = timestamp_option(random());
            segments.push_back(build_frame(shape).bytes);
            sent.insert(sent.end(), shape.payload.begin(), shape.payload.end());
        }
        Bytes received;
        std::vector<Joined> joined = coalesce(segments);
        for (const Joined& one : joined) {
            ParsedHeaders h = parse_headers(one.bytes);
            EXPECT_EQ(h.tcp_sequence, 1000 + received.size());
            EXPECT_LE(h.end - h.l3_offset, 65535U);
            Bytes payload = payload_of(one.bytes);
            received.insert(received.end(), payload.begin(), payload.end());
            // All segments but the last have the size that is announced.
            EXPECT_TRUE(one.mss == 0 || payload.size() > one.mss);
        }
        EXPECT_LT(joined.size(), segments.size());
        EXPECT_EQ(received, sent);
    }
}

TEST(Coalescing, StopsAt64KiB) {
    FrameShape shape;
    shape.family = 6;
    shape.payload = stream_bytes(0, 150000);
    std::vector<Joined> joined = coalesce(model_segments(shape, 1448));
    EXPECT_EQ(joined.size(), 3U);
    for (const Joined& one : joined) EXPECT_LE(one.bytes.size(), 14U + 65535U);
}

// Two segments that follow each other but for one difference.
class CoalescingBoundary : public testing::Test {
  protected:
    CoalescingBoundary() {
        first_.payload = stream_bytes(0, 100);
        first_.tcp_options = timestamp_option();
        second_ = first_;
        second_.payload = stream_bytes(100, 100);
        second_.sequence += 100;
        second_.identification += 1;
    }
    size_t packets() {
        return coalesce({build_frame(first_).bytes, build_frame(second_).bytes}).size();
    }

    FrameShape first_, second_;
};

TEST_F(CoalescingBoundary, FollowingSegmentsAreOne) {
    EXPECT_EQ(packets(), 1U);
}
TEST_F(CoalescingBoundary, Gap) {
    second_.sequence += 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, Overlap) {
    second_.sequence -= 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, AnotherAcknowledgment) {
    second_.acknowledgment += 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, AnotherWindow) {
    second_.window += 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, OtherOptions) {
    second_.tcp_options = timestamp_option(7);
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, FewerOptions) {
    second_.tcp_options.clear();
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, AnotherFlow) {
    second_.source_port += 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, AnotherAddress) {
    second_.source += 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, AnotherVlan) {
    second_.vlan_tags = 1;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, LargerSegment) {
    second_.payload = stream_bytes(100, 101);
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, PushEnds) {
    first_.flags |= kTcpPsh;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, FinEnds) {
    first_.flags |= kTcpFin;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, LastMayPushOrBeSmaller) {
    second_.flags |= kTcpPsh | kTcpFin;
    second_.payload.resize(7);
    EXPECT_EQ(packets(), 1U);
}
TEST_F(CoalescingBoundary, FlagsOtherThanAckStayAlone) {
    for (unsigned flag : {kTcpSyn, kTcpRst, kTcpUrg, kTcpCwr}) {
        second_.flags = kTcpAck | flag;
        EXPECT_EQ(packets(), 2U);
    }
    second_.flags = 0;
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, IpOptionsStayAlone) {
    first_.ip_options = second_.ip_options = Bytes(4, std::byte{1});
    EXPECT_EQ(packets(), 2U);
}
TEST_F(CoalescingBoundary, BadChecksumAndFaultStayAlone) {
    Coalescer coalescer;
    Owned bad(build_frame(first_).bytes);
    bad.packet.l4_checksum = ChecksumState::kBad;
    EXPECT_EQ(coalescer.add(bad.packet), Coalescer::Offer::kRefused);
    Owned harmed(build_frame(first_).bytes);
    harmed.packet.fault.rule = 1;
    EXPECT_EQ(coalescer.add(harmed.packet), Coalescer::Offer::kRefused);
    EXPECT_TRUE(coalescer.empty());
}

}  // namespace
}  // namespace zcrxlab::nic
