// The log of the simulated NIC, translated.
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cerrno>
#include <vector>

#include "harness/targets/netdevsim_log.hpp"

namespace zcrxlab {
namespace {

NetdevsimWrite write_of(uint64_t sequence, DmaKind kind, uint32_t tcp_sequence, uint8_t flags = 0) {
    NetdevsimWrite write{};
    write.sequence = sequence;
    write.address = 0x1000 * sequence;
    write.packet = sequence;
    write.length = 100;
    write.payload = 66;
    write.tcp_sequence = tcp_sequence;
    write.queue = 1;
    write.kind = static_cast<uint8_t>(kind);
    write.family = 4;
    write.protocol = IPPROTO_TCP;
    write.tcp_flags = flags;
    write.source_port = 40000;
    write.destination_port = 80;
    return write;
}

DmaWrites translate(std::vector<NetdevsimWrite> writes) {
    NetdevsimLog log;
    DmaWrites all;
    EXPECT_TRUE(log.add(writes, all));
    return all;
}

TEST(NetdevsimLog, PayloadIsPlacedInTheStreamOfItsSyn) {
    NetdevsimWrite second = write_of(3, DmaKind::kPayload, 1001);
    second.offset = 66 + 4096;
    const DmaWrites all = translate({write_of(1, DmaKind::kHeader, 1000, 2), second});
    ASSERT_EQ(all.flows.size(), 1U);
    EXPECT_EQ(all.flows[0].initial_sequence, 1000U);
    EXPECT_EQ(all.flows[0].has_syn, 1);
    EXPECT_EQ(all.flows[0].source_port, 40000);
    ASSERT_EQ(all.entries.size(), 2U);
    EXPECT_EQ(all.entries[1].tcp_sequence, 1001U + 4096);
    EXPECT_EQ(all.entries[1].flow, all.entries[0].flow);
    EXPECT_EQ(all.lost, 1U);
}

TEST(NetdevsimLog, HeadersOfAnUnsplitPacketAreNoPayload) {
    NetdevsimWrite more = write_of(2, DmaKind::kUnsplit, 5000);
    more.offset = 4096;
    const DmaWrites all = translate({write_of(1, DmaKind::kUnsplit, 5000), more});
    EXPECT_EQ(all.entries[0].payload_offset, 66U);
    EXPECT_EQ(all.entries[0].tcp_sequence, 5000U);
    EXPECT_EQ(all.entries[1].payload_offset, 0U);
    EXPECT_EQ(all.entries[1].tcp_sequence, 5000U + 4096 - 66);
}

TEST(NetdevsimLog, AnotherSynIsAnotherFlowForEveryReader) {
    const std::vector<NetdevsimWrite> writes = {write_of(1, DmaKind::kHeader, 1000, 2),
                                                write_of(2, DmaKind::kHeader, 1000, 2),
                                                write_of(3, DmaKind::kHeader, 9000, 2)};
    const DmaWrites all = translate(writes);
    ASSERT_EQ(all.flows.size(), 2U);
    EXPECT_EQ(all.entries[0].flow, all.entries[1].flow);
    EXPECT_EQ(all.entries[2].flow, 3U);
}

TEST(NetdevsimLog, WhatIsNoLogIsRefused) {
    NetdevsimLog log;
    DmaWrites all;
    const std::vector<NetdevsimWrite> backwards = {write_of(2, DmaKind::kHeader, 0),
                                                   write_of(1, DmaKind::kHeader, 0)};
    EXPECT_EQ(log.add(backwards, all).error().code, EPROTO);
    const std::vector<NetdevsimWrite> unknown = {write_of(9, static_cast<DmaKind>(7), 0)};
    EXPECT_EQ(log.add(unknown, all).error().code, EPROTO);
}

}  // namespace
}  // namespace zcrxlab
