// Tests of the reader of dpdk-testpmd's words, on what it really printed.
#include "tests/acceptance/dpdk/testpmd_output.hpp"

#include <gtest/gtest.h>

namespace zcrxlab::dpdk {
namespace {

constexpr const char* kStopped = R"(Telling cores to stop...
Waiting for lcores to finish...

  ------- Forward Stats for RX Port= 0/Queue= 0 -> TX Port= 1/Queue= 0 -------
  RX-packets: 546803         TX-packets: 546931         TX-dropped: 0             

  ------- Forward Stats for RX Port= 1/Queue= 0 -> TX Port= 0/Queue= 0 -------
  RX-packets: 548214         TX-packets: 548342         TX-dropped: 7             

  ---------------------- Forward statistics for port 0  ----------------------
  RX-packets: 2182270        RX-dropped: 0             RX-total: 2182270
  Bad-ipcsum: 3              Bad-l4csum: 4             Bad-outer-l4csum: 0
  TX-packets: 2188442        TX-dropped: 0             TX-total: 2188442
  ----------------------------------------------------------------------------

  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++
  RX-packets: 4370200        RX-dropped: 1             RX-total: 4370201
  TX-packets: 4371224        TX-dropped: 2             TX-total: 4371226
  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++

Done.
)";

TEST(TestpmdOutput, AForwardingSession) {
    const Forwarded all = forwarded(kStopped);
    EXPECT_TRUE(all.found);
    EXPECT_EQ(all.received, 4370201U);
    EXPECT_EQ(all.sent, 4371224U);
    EXPECT_EQ(all.dropped, 3U);
    EXPECT_EQ(received_by_streams(kStopped), (std::vector<uint64_t>{546803, 548214}));
    EXPECT_FALSE(forwarded("testpmd> ").found);
    EXPECT_TRUE(received_by_streams("RX-packets: 7").empty());
}

TEST(TestpmdOutput, NumbersBehindNames) {
    const auto found = sums(kStopped, {"Bad-ipcsum", "Bad-l4csum", "RX-errors"});
    EXPECT_EQ(found, (std::map<std::string, uint64_t>{{"Bad-ipcsum", 3}, {"Bad-l4csum", 4}}));
    EXPECT_TRUE(sums("RX-errors: none", {"RX-errors"}).empty());
    EXPECT_EQ(sums("RX-errors:  1\nRX-errors: 2", {"RX-errors"}).at("RX-errors"), 3U);
}

TEST(TestpmdOutput, Packets) {
    const auto seen = packets(
        "port 0/queue 2: received 2 packets\n"
        "  src=02 - length=64 - nb_segs=1 - RSS hash=0x4af6da4e - RSS queue=0x2 - hw ptype: "
        "L3_IPV4 L4_UDP  - sw ptype: L2_ETHER L3_IPV4 L4_UDP  - l2_len=14 - Receive queue=0x2\n"
        "  ol_flags: RTE_MBUF_F_RX_RSS_HASH RTE_MBUF_F_RX_L4_CKSUM_GOOD "
        "RTE_MBUF_F_RX_IP_CKSUM_GOOD\n"
        "  src=02 - length=64 - RSS hash=0x1 - RSS queue=0x3 - hw ptype: L3_IPV4  - Receive "
        "queue=0x3\n"
        "  ol_flags: RTE_MBUF_F_RX_RSS_HASH RTE_MBUF_F_RX_L4_CKSUM_BAD\n");
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].hash, 0x4af6da4eU);
    EXPECT_EQ(seen[0].queue, 2U);
    EXPECT_TRUE(seen[0].is_udp4 && seen[0].l3_right && seen[0].l4_right);
    EXPECT_EQ(seen[1].queue, 3U);
    EXPECT_FALSE(seen[1].is_udp4 || seen[1].l3_right || seen[1].l4_right);
    EXPECT_TRUE(packets("").empty());
}

TEST(TestpmdOutput, RedirectionTable) {
    const auto table = redirection_table(
        "RSS RETA configuration: hash index=0, queue=2\n"
        "RSS RETA configuration: hash index=127, queue=1\n");
    EXPECT_EQ(table, (std::map<unsigned, unsigned>{{0, 2}, {127, 1}}));
}

}  // namespace
}  // namespace zcrxlab::dpdk
