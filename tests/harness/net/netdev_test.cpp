// Answers of the family `netdev`: providers, page pools, statistics.
#include <gtest/gtest.h>

#include "harness/net/link.hpp"
#include "harness/net/netdev.hpp"
#include "tests/harness/net/hex.hpp"

namespace zcrxlab {
namespace {

NetlinkMessage message(const std::string& hex) {
    return {0x14, 0, 5, from_hex(hex)};
}

TEST(QueueAnswer, AFreeQueue) {
    const auto queue =
        decode_queue(message("0a010000"
                             "0800010003000000"
                             "0800030000000000"
                             "0800020002000000"
                             "0800040005200000"));
    ASSERT_TRUE(queue) << queue.error().sentence;
    EXPECT_EQ(queue->id, 3U);
    EXPECT_EQ(queue->ifindex, 2U);
    EXPECT_EQ(queue->napi, 8197U);
    EXPECT_FALSE(queue->io_uring);
    EXPECT_FALSE(queue->dmabuf);
}

TEST(QueueAnswer, ProvidersAreToldByTheirAttribute) {
    // Before 7.2 the attribute of io_uring is empty, then it may hold the buffer length.
    const auto empty =
        decode_queue(message("0a010000"
                             "0800010001000000"
                             "04000680"));
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->io_uring);
    EXPECT_FALSE(empty->io_uring_buffer);
    const auto with =
        decode_queue(message("0a010000"
                             "0c000680"
                             "0800010000400000"));
    ASSERT_TRUE(with);
    EXPECT_EQ(with->io_uring_buffer, 16384U);
    const auto others =
        decode_queue(message("0a010000"
                             "0800050007000000"
                             "04000780"));
    ASSERT_TRUE(others);
    EXPECT_EQ(others->dmabuf, 7U);
    EXPECT_TRUE(others->xsk);
    EXPECT_FALSE(others->io_uring);
}

TEST(QueueAnswer, ALeasedQueueNamesTheOtherEnd) {
    const auto queue =
        decode_queue(message("0a010000"
                             "20000880"
                             "0800010007000000"
                             "14000280"
                             "0800010001000000"
                             "0800030000000000"));
    ASSERT_TRUE(queue) << queue.error().sentence;
    EXPECT_EQ(queue->lease, 7U);
}

TEST(QueueRequest, ALeaseNamesBothEnds) {
    const NetlinkRequest request = encode_lease(0x14, 3, 2, 1, 0);
    const auto bytes = request.bytes().subspan(16);
    EXPECT_EQ(std::vector<std::byte>(bytes.begin(), bytes.end()), from_hex("10010000"
                                                                           "0800020003000000"
                                                                           "0800030000000000"
                                                                           "28000880"
                                                                           "0800010002000000"
                                                                           "14000280"
                                                                           "0800010001000000"
                                                                           "0800030000000000"
                                                                           "0800030000000000"));
}

TEST(QueueAnswer, MalformedOnesAreErrors) {
    EXPECT_FALSE(
        decode_queue(message("0a010000"
                             "0600010003000000")));
    EXPECT_FALSE(
        decode_queue(message("0a010000"
                             "08000680"
                             "03000100")));
    EXPECT_FALSE(decode_queue(message("0a01")));
}

TEST(PagePoolAnswer, NumbersOfEitherSize) {
    const auto pool =
        decode_page_pool(message("05010000"
                                 "0800010007000000"
                                 "0800020002000000"
                                 "0800030005200000"
                                 "0c0004000002000000000000"
                                 "0c0005000000200000000000"
                                 "08000600"
                                 "03000000"
                                 "04000880"));
    ASSERT_TRUE(pool) << pool.error().sentence;
    EXPECT_EQ(pool->id, 7U);
    EXPECT_EQ(pool->ifindex, 2U);
    EXPECT_EQ(pool->napi, 8197U);
    EXPECT_EQ(pool->inflight, 512U);
    EXPECT_EQ(pool->inflight_memory, 2097152U);
    EXPECT_EQ(pool->detach_time, 3U);
    EXPECT_TRUE(pool->io_uring);
}

TEST(PagePoolAnswer, TheProviderMayTellItsBufferLength) {
    const auto pool =
        decode_page_pool(message("05010000"
                                 "0800010007000000"
                                 "0c000880"
                                 "0800010000400000"));
    ASSERT_TRUE(pool) << pool.error().sentence;
    EXPECT_TRUE(pool->io_uring);
    EXPECT_EQ(pool->io_uring_buffer, 16384U);
}

TEST(PagePoolAnswer, AnOrphanHasNoInterface) {
    const auto pool =
        decode_page_pool(message("05010000"
                                 "0800010007000000"));
    ASSERT_TRUE(pool);
    EXPECT_FALSE(pool->ifindex);
    EXPECT_FALSE(pool->detach_time);
    EXPECT_FALSE(pool->io_uring);
}

TEST(PagePoolAnswer, WhatItCountsIsToldByName) {
    const auto statistics =
        decode_page_pool_statistics(message("09010000"
                                            "10000180"
                                            "0800010007000000"
                                            "04000200"  // an attribute that we do not know
                                            "0800080001000000"
                                            "0c0009000200000000000000"
                                            "08000a0003000000"
                                            "08000b0004000000"
                                            "08000c0005000000"
                                            "08000d0006000000"
                                            "08000e0007000000"
                                            "08000f0008000000"
                                            "0800100009000000"
                                            "080011000a000000"
                                            "080012000b000000"));
    ASSERT_TRUE(statistics) << statistics.error().sentence;
    const PagePoolStatistics expected{.id = 7,
                                      .fast = 1,
                                      .slow = 2,
                                      .slow_high_order = 3,
                                      .refill = 5,
                                      .empty = 4,
                                      .waive = 6,
                                      .cached = 7,
                                      .ring = 9,
                                      .cache_full = 8,
                                      .ring_full = 10,
                                      .released_refcnt = 11};
    EXPECT_EQ(*statistics, expected);
    EXPECT_FALSE(
        decode_page_pool_statistics(message("09010000"
                                            "0600080003000000")));
}

TEST(StatisticsAnswer, CountersKeepTheirNumbers) {
    const auto statistics =
        decode_statistics(message("0c010000"
                                  "0800010002000000"
                                  "0800020000000000"
                                  "0800030003000000"
                                  "080008000a000000"
                                  "0c0009000000000001000000"
                                  "08000c0005000000"));
    ASSERT_TRUE(statistics) << statistics.error().sentence;
    EXPECT_EQ(statistics->id, 3U);
    EXPECT_TRUE(statistics->receive);
    EXPECT_EQ(statistics->packets(), 10U);
    EXPECT_EQ(statistics->bytes(), uint64_t{1} << 32);
    EXPECT_EQ(statistics->counters.at(12), 5U);
    const auto sent =
        decode_statistics(message("0c010000"
                                  "0800020001000000"
                                  "08000b0009000000"));
    ASSERT_TRUE(sent);
    EXPECT_FALSE(sent->receive);
    EXPECT_EQ(sent->bytes(), 9U);
    EXPECT_EQ(sent->packets(), 0U);
}

TEST(LinkAnswer, StateNameAddress) {
    const auto link =
        decode_link(message("00000100"
                            "02000000"
                            "43100100"
                            "00000000"
                            "09000300"
                            "65746830"
                            "00000000"
                            "0800040078050000"
                            "0a000100"
                            "02fc00000001"
                            "0000"
                            "0800300003000000"));
    ASSERT_TRUE(link) << link.error().sentence;
    EXPECT_EQ(link->ifindex, 2U);
    EXPECT_EQ(link->name, "eth0");
    EXPECT_TRUE(link->up);
    EXPECT_TRUE(link->carrier);
    EXPECT_EQ(link->mtu, 1400U);
    EXPECT_EQ(link->hardware_address, "02:fc:00:00:00:01");
    EXPECT_EQ(link->carrier_losses, 3U);
    EXPECT_FALSE(decode_link(message("0000010002000000")));
}

}  // namespace
}  // namespace zcrxlab
