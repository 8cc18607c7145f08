// Messages of the family `ethtool`, with bytes recorded from a kernel.
#include <gtest/gtest.h>

#include "harness/net/ethtool.hpp"
#include "tests/harness/net/hex.hpp"

namespace zcrxlab {
namespace {

// The payload of a generic netlink message as it was recorded.
NetlinkMessage message(std::string_view hex) {
    return {0x15, 0, 5, from_hex(hex)};
}

// Recorded from virtio-net.
constexpr const char* kRings =
    "10010000180001800800010004000000090002006574683000000000080002000001000008000600000100000800"
    "050000010000080009000001000005000d000000000005000e0000000000";
constexpr const char* kChannels =
    "12010000180001800800010004000000090002006574683000000000080005000100000008000900"
    "01000000";

TEST(Rings, AreReadAsRecorded) {
    const auto rings = decode_rings(message(kRings));
    ASSERT_TRUE(rings) << rings.error().sentence;
    EXPECT_EQ(rings->rx_max, 256U);
    EXPECT_EQ(rings->rx, 256U);
    EXPECT_EQ(rings->tx_max, 256U);
    EXPECT_EQ(rings->tx, 256U);
    EXPECT_FALSE(rings->data_split);
    EXPECT_FALSE(rings->hds_thresh);
    EXPECT_FALSE(rings->rx_buf_len);
}

TEST(Rings, HeaderSplitAndThreshold) {
    const auto rings =
        decode_rings(message("10010000"
                             "05000b0002000000"
                             "0800110000000000"
                             "08001200ff030000"
                             "08000a0000100000"
                             "0800080000010000"));
    ASSERT_TRUE(rings) << rings.error().sentence;
    EXPECT_EQ(rings->rx_jumbo, 256U);
    EXPECT_EQ(rings->data_split, DataSplit::kEnabled);
    EXPECT_EQ(rings->hds_thresh, 0U);
    EXPECT_EQ(rings->hds_thresh_max, 1023U);
    EXPECT_EQ(rings->rx_buf_len, 4096U);
}

TEST(Rings, WrongSizesAndStatesAreErrors) {
    EXPECT_FALSE(
        decode_rings(message("10010000"
                             "0500060001000000")));  // rx of one byte
    EXPECT_FALSE(
        decode_rings(message("10010000"
                             "08000b0002000000")));  // split of four
    EXPECT_FALSE(
        decode_rings(message("10010000"
                             "05000b0009000000")));  // no such state
    EXPECT_FALSE(decode_rings(message("1001")));
    EXPECT_FALSE(
        decode_rings(message("10010000"
                             "0c00060001000000")));
}

TEST(Rings, OnlyWhatIsGivenIsSent) {
    RingSizes rings;
    rings.data_split = DataSplit::kEnabled;
    EXPECT_EQ(to_hex(encode_rings(0x15, "eth0", rings).bytes()),
              "2c000000150001000000000000000000"
              "10010000"  // RINGS_SET
              "1000018009000200"
              "65746830"
              "00000000"
              "05000b0002000000");
    RingSizes all;
    all.rx = 512;
    all.tx = 256;
    all.hds_thresh = 0;
    EXPECT_EQ(to_hex(encode_rings(0x15, "eth0", all).bytes()).substr(72),
              "0800060000020000"
              "0800090000010000"
              "0800110000000000");
}

TEST(ChannelCounts, AreReadAsRecorded) {
    const auto channels = decode_channels(message(kChannels));
    ASSERT_TRUE(channels) << channels.error().sentence;
    EXPECT_EQ(channels->combined_max, 1U);
    EXPECT_EQ(channels->combined, 1U);
    EXPECT_FALSE(channels->rx);
    EXPECT_EQ(channels->receive(), 1U);
}

TEST(ChannelCounts, AreSent) {
    Channels channels;
    channels.combined = 4;
    EXPECT_EQ(to_hex(encode_channels(0x15, "eth0", channels).bytes()).substr(32),
              "12010000"
              "1000018009000200"
              "65746830"
              "00000000"
              "0800090004000000");
}

TEST(FeatureBits, ANameWithoutItsEndIsAnError) {
    const auto features =
        decode_features(message("0b010000"
                                "14000280"          // HW
                                "10000380"          // bits
                                "0c000180"          // one bit
                                "080002006e747570"  // "ntup" without its final 0
                                ));
    ASSERT_FALSE(features);
    EXPECT_EQ(features.error().code, EBADMSG);
}

TEST(FeatureBits, RoundTripThroughOurOwnBuilder) {
    // Laid out as the kernel does it, through the builder that is tested byte by byte.
    NetlinkRequest built = NetlinkRequest::generic(0x15, 11, 1, 0);
    built.begin(2).put_u32(2, 64).begin(3);
    built.begin(1).put_u32(1, 0).put_string(2, "tx-scatter-gather").put_flag(3).end();
    built.begin(1).put_u32(1, 9).put_string(2, "rx-ntuple-filter").put_flag(3).end();
    built.begin(1).put_u32(1, 12).put_string(2, "netns-local").end();
    built.end().end();
    built.begin(4).put_flag(1).put_u32(2, 64).begin(3);
    built.begin(1).put_u32(1, 9).put_string(2, "rx-ntuple-filter").end();
    built.end().end();
    built.begin(3).put_flag(1).put_u32(2, 64).begin(3);
    built.begin(1).put_u32(1, 0).put_string(2, "tx-scatter-gather").end();
    built.begin(1).put_u32(1, 12).put_string(2, "netns-local").end();
    built.end().end();
    built.begin(99).put_u32(1, 1).end();  // what a later kernel may add
    const auto bytes = built.bytes().subspan(16);
    const NetlinkMessage reply{0x15, 0, 5, {bytes.begin(), bytes.end()}};
    const auto features = decode_features(reply);
    ASSERT_TRUE(features) << features.error().sentence;
    EXPECT_EQ(features->active.size(), 3U);
    EXPECT_TRUE(features->active.at("rx-ntuple-filter"));
    EXPECT_FALSE(features->active.at("tx-scatter-gather"));
    EXPECT_FALSE(features->active.at("netns-local"));
    EXPECT_EQ(features->changeable,
              (std::vector<std::string>{"rx-ntuple-filter", "tx-scatter-gather"}));
    EXPECT_EQ(features->requested, (std::map<std::string, bool>{{"rx-ntuple-filter", false},
                                                                {"tx-scatter-gather", true}}));
}

TEST(FeatureBits, AreSentByName) {
    EXPECT_EQ(to_hex(encode_feature(0x15, "eth0", "ntup", true).bytes()).substr(32),
              "0c010000"
              "1000018009000200"
              "65746830"
              "00000000"
              "1c000380"                  // WANTED
              "18000380"                  // bits
              "14000180"                  // one bit
              "090002006e74757000000000"  // its name
              "04000300");                // on
    EXPECT_EQ(to_hex(encode_feature(0x15, "eth0", "ntup", false).bytes()).substr(72),
              "18000380"
              "14000380"
              "10000180"
              "090002006e74757000000000");
}

TEST(RssReply, TableAndKey) {
    const auto rss =
        decode_rss(message("26010000"
                           "0800030001000000"
                           "14000400"
                           "00000000"
                           "01000000"
                           "02000000"
                           "03000000"
                           "0a000500"
                           "aabbccddeeff0000"));
    ASSERT_TRUE(rss) << rss.error().sentence;
    EXPECT_EQ(rss->function, 1U);
    EXPECT_EQ(rss->table, (std::vector<uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(to_hex(rss->key), "aabbccddeeff");
    EXPECT_FALSE(
        decode_rss(message("26010000"
                           "0a000400"
                           "000000000100"
                           "0000")));
}

}  // namespace
}  // namespace zcrxlab
