// Tests of the header parser: what is found where, and that malformed frames stay harmless.
#include <gtest/gtest.h>

#include <random>

#include "nic/wire/describe.hpp"
#include "nic/wire/headers.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

void expect_inside(const ParsedHeaders& h, size_t size) {
    ASSERT_LE(h.l3_offset, h.l4_offset);
    ASSERT_LE(h.l4_offset, h.payload_offset);
    ASSERT_LE(h.payload_offset, h.end);
    ASSERT_LE(h.end, size);
}

TEST(Headers, FindsTcpBehindTagsAndOptions) {
    for (int family : {4, 6}) {
        for (unsigned tags : {0U, 1U, 2U}) {
            FrameShape shape;
            shape.family = family;
            shape.vlan_tags = tags;
            shape.tcp_options = Bytes(40, std::byte{1});
            if (family == 4) shape.ip_options = Bytes(40, std::byte{1});
            shape.payload = stream_bytes(0, 33);
            shape.flags = kTcpAck | kTcpPsh;
            BuiltFrame built = build_frame(shape);
            ParsedHeaders h = parse_headers(built.bytes);
            EXPECT_EQ(h.vlan_tags, tags);
            EXPECT_EQ(h.l3, family == 4 ? L3::kIpv4 : L3::kIpv6);
            EXPECT_EQ(h.l4, L4::kTcp);
            EXPECT_EQ(h.l3_offset, built.l3);
            EXPECT_EQ(h.l4_offset, built.l4);
            EXPECT_EQ(h.payload_offset, built.payload);
            EXPECT_EQ(h.payload_length(), 33U);
            EXPECT_EQ(h.source_port, 40000);
            EXPECT_EQ(h.destination_port, 5201);
            EXPECT_EQ(h.tcp_sequence, 1000U);
            EXPECT_EQ(h.tcp_acknowledgment, 77U);
            EXPECT_EQ(h.tcp_flags, kTcpAck | kTcpPsh);
        }
    }
}

TEST(Headers, StepsOverIpv6ExtensionHeaders) {
    FrameShape shape;
    shape.family = 6;
    shape.first_header = 0;  // hop by hop, 16 bytes; destination options, 8 bytes; then TCP
    append16(shape.ip_options, 60 << 8 | 1);
    shape.ip_options.resize(16);
    append16(shape.ip_options, 6 << 8);
    shape.ip_options.resize(24);
    shape.payload = stream_bytes(0, 10);
    BuiltFrame built = build_frame(shape);
    ParsedHeaders h = parse_headers(built.bytes);
    EXPECT_EQ(h.l4, L4::kTcp);
    EXPECT_EQ(h.l4_offset, built.l4);
    EXPECT_EQ(h.payload_length(), 10U);
}

TEST(Headers, LeavesARoutedPacketAlone) {
    FrameShape shape;
    shape.family = 6;
    shape.first_header = 43;
    append32(shape.ip_options, 6U << 24 | 1);  // next header TCP, length 0, type 0, 1 left
    shape.ip_options.resize(8);
    EXPECT_EQ(parse_headers(build_frame(shape).bytes).l4, L4::kOther);
}

TEST(Headers, CallsFragmentsFragments) {
    FrameShape shape;
    for (unsigned fragment : {0x2000U, 0x0001U, 0x2005U}) {
        shape.fragment = fragment;
        ParsedHeaders h = parse_headers(build_frame(shape).bytes);
        EXPECT_EQ(h.l3, L3::kIpv4);
        EXPECT_EQ(h.l4, L4::kFragment);
        EXPECT_EQ(h.source_port, 0);
    }
    shape.family = 6;
    shape.first_header = 44;
    append32(shape.ip_options, 6U << 24 | 0x0001);  // first fragment, more to come
    append32(shape.ip_options, 99);
    EXPECT_EQ(parse_headers(build_frame(shape).bytes).l4, L4::kFragment);
}

TEST(Headers, KnowsUdpAndIcmpAndTheRest) {
    FrameShape shape;
    shape.protocol = 17;
    shape.payload = stream_bytes(0, 5);
    ParsedHeaders h = parse_headers(build_frame(shape).bytes);
    EXPECT_EQ(h.l4, L4::kUdp);
    EXPECT_EQ(h.payload_length(), 5U);
    shape.protocol = 1;
    EXPECT_EQ(parse_headers(build_frame(shape).bytes).l4, L4::kIcmp);
    shape.protocol = 58;  // ICMPv6 has no meaning in IPv4
    EXPECT_EQ(parse_headers(build_frame(shape).bytes).l4, L4::kOther);
    shape.family = 6;
    EXPECT_EQ(parse_headers(build_frame(shape).bytes).l4, L4::kIcmp);
}

TEST(Headers, KeepsPaddingOutOfThePayload) {
    BuiltFrame built = build_frame({});
    built.bytes.resize(60);
    ParsedHeaders h = parse_headers(built.bytes);
    EXPECT_EQ(h.l4, L4::kTcp);
    EXPECT_EQ(h.payload_length(), 0U);
    EXPECT_EQ(parse_headers(built.bytes, PacketEnd::kFrame).payload_length(), 6U);
}

TEST(Headers, RefusesContradictions) {
    FrameShape shape;
    shape.payload = stream_bytes(0, 20);
    BuiltFrame good = build_frame(shape);

    Bytes bytes = good.bytes;
    set16(bytes, good.l3 + 2, 1000);  // longer than the frame
    EXPECT_EQ(parse_headers(bytes).l3, L3::kOther);
    bytes = good.bytes;
    set16(bytes, good.l3 + 2, 19);  // shorter than its header
    EXPECT_EQ(parse_headers(bytes).l3, L3::kOther);
    bytes = good.bytes;
    bytes[good.l3] = std::byte{0x44};  // header of 16 bytes
    EXPECT_EQ(parse_headers(bytes).l3, L3::kOther);
    bytes = good.bytes;
    bytes[good.l4 + 12] = std::byte{0x40};  // TCP header of 16 bytes
    EXPECT_EQ(parse_headers(bytes).l4, L4::kOther);
    bytes = good.bytes;
    bytes[good.l4 + 12] = std::byte{0xf0};  // TCP header of 60 bytes in 40
    EXPECT_EQ(parse_headers(bytes).l4, L4::kOther);
}

TEST(Headers, SurvivesEveryCutAndWildBytes) {
    std::mt19937 random(1);
    for (int family : {4, 6}) {
        FrameShape shape;
        shape.family = family;
        shape.vlan_tags = 1;
        shape.tcp_options = timestamp_option();
        shape.payload = stream_bytes(0, 40);
        Bytes whole = build_frame(shape).bytes;
        for (size_t size = 0; size <= whole.size(); ++size) {
            Bytes cut(whole.begin(), whole.begin() + size);
            for (PacketEnd from : {PacketEnd::kIpLength, PacketEnd::kFrame})
                expect_inside(parse_headers(cut, from), size);
        }
        for (int round = 0; round < 20000; ++round) {
            Bytes wild = whole;
            for (int i = 0; i < 4; ++i) wild[random() % wild.size()] = std::byte(random() & 0xff);
            expect_inside(parse_headers(wild), wild.size());
            describe(parse_headers(wild, PacketEnd::kFrame));
        }
    }
}

TEST(Describe, SaysWhoSendsWhat) {
    FrameShape shape;
    shape.payload = stream_bytes(0, 7);
    shape.flags = kTcpAck | kTcpPsh;
    EXPECT_EQ(describe(parse_headers(build_frame(shape).bytes)),
              "TCP 10.0.0.1:40000 > 10.0.0.2:5201 [PA] sequence 1000 length 7");
    shape.family = 6;
    shape.protocol = 17;
    EXPECT_EQ(describe(parse_headers(build_frame(shape).bytes)),
              "UDP [fd00::a00:1]:40000 > [fd00::a00:2]:5201 length 7");
}

}  // namespace
}  // namespace zcrxlab::nic
