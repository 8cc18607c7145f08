// Tests of checksums against the slow sum of frames.hpp.
#include <gtest/gtest.h>

#include <random>

#include "nic/wire/checksum.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

TEST(Checksum, SumsLikeTheSlowOne) {
    std::mt19937 random(7);
    for (size_t size = 0; size < 300; ++size) {
        Bytes bytes(size);
        for (std::byte& byte : bytes) byte = std::byte(random() & 0xff);
        EXPECT_EQ(internet_sum(bytes), slow_sum(bytes)) << size;
        EXPECT_EQ(internet_sum(bytes, 0xfedc), slow_sum(bytes, 0xfedc)) << size;
        // Any alignment.
        if (size <= 3) continue;
        EXPECT_EQ(internet_sum(std::span(bytes).subspan(3)),
                  slow_sum(Bytes(bytes.begin() + 3, bytes.end())));
    }
    // Every carry there is.
    Bytes ones(kMaximumFrame, std::byte{0xff});
    EXPECT_EQ(internet_sum(ones), 0xffff);
}

TEST(Checksum, KnownAnswerOfRfc1071) {
    // RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 adds up to ddf2.
    Bytes bytes;
    append32(bytes, 0x0001f203);
    append32(bytes, 0xf4f5f6f7);
    EXPECT_EQ(internet_sum(bytes), 0xddf2);
}

TEST(Checksum, FillsAndVerifiesTcpAndUdp) {
    for (int family : {4, 6}) {
        for (unsigned protocol : {6U, 17U}) {
            for (size_t size : {0, 1, 2, 1447, 1448}) {
                FrameShape shape;
                shape.family = family;
                shape.protocol = protocol;
                shape.vlan_tags = 1;
                shape.payload = stream_bytes(0, size);
                BuiltFrame built = build_frame(shape);
                ParsedHeaders h = parse_headers(built.bytes);
                EXPECT_EQ(verify_l4_checksum(built.bytes, h), ChecksumState::kGood);
                EXPECT_EQ(verify_ipv4_checksum(built.bytes, h),
                          family == 4 ? ChecksumState::kGood : ChecksumState::kUnknown);

                Bytes spoilt = built.bytes;
                set16(spoilt, built.l4 + (protocol == 6 ? 16 : 6), 0x1111);
                if (family == 4) set16(spoilt, built.l3 + 10, 0x2222);
                EXPECT_EQ(verify_l4_checksum(spoilt, h), ChecksumState::kBad);
                EXPECT_EQ(verify_ipv4_checksum(spoilt, h),
                          family == 4 ? ChecksumState::kBad : ChecksumState::kUnknown);
                EXPECT_TRUE(fill_l4_checksum(spoilt, h));
                fill_ipv4_checksum(spoilt, h);
                EXPECT_EQ(spoilt, built.bytes);
            }
        }
    }
}

TEST(Checksum, SeesEverySingleInvertedByte) {
    FrameShape shape;
    shape.payload = stream_bytes(0, 101);
    BuiltFrame built = build_frame(shape);
    ParsedHeaders h = parse_headers(built.bytes);
    for (size_t i = built.payload; i < built.bytes.size(); ++i) {
        Bytes spoilt = built.bytes;
        spoilt[i] = ~spoilt[i];
        EXPECT_EQ(verify_l4_checksum(spoilt, h), ChecksumState::kBad) << i;
    }
}

TEST(Checksum, UdpMayGoWithoutOverIpv4Only) {
    FrameShape shape;
    shape.protocol = 17;
    BuiltFrame built = build_frame(shape);
    set16(built.bytes, built.l4 + 6, 0);
    EXPECT_EQ(verify_l4_checksum(built.bytes, parse_headers(built.bytes)), ChecksumState::kUnknown);
    shape.family = 6;
    built = build_frame(shape);
    set16(built.bytes, built.l4 + 6, 0);
    EXPECT_EQ(verify_l4_checksum(built.bytes, parse_headers(built.bytes)), ChecksumState::kBad);
}

TEST(Checksum, LeavesFragmentsAlone) {
    FrameShape shape;
    shape.fragment = 0x2000;
    BuiltFrame built = build_frame(shape);
    Bytes before = built.bytes;
    ParsedHeaders h = parse_headers(built.bytes);
    EXPECT_FALSE(fill_l4_checksum(built.bytes, h));
    EXPECT_EQ(built.bytes, before);
    EXPECT_EQ(verify_l4_checksum(built.bytes, h), ChecksumState::kUnknown);
}

}  // namespace
}  // namespace zcrxlab::nic
