// Counters in the texts of /proc: what is not there is not 0.
#include "harness/net/counters.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace zcrxlab {
namespace {

constexpr const char* kVmstat =
    "nr_free_pages 7\nnr_foll_pin_acquired 100\nnr_foll_pin_released 70\n";
constexpr const char* kStatus = "Name:\tzcrx\nVmLck:\t       8 kB\nVmPin:\t    4096 kB\n";

TEST(Counters, AreReadWhereTheyStand) {
    const Result<MemoryCounters> counters = memory_counters_in(kVmstat, kStatus);
    ASSERT_TRUE(counters.ok());
    EXPECT_EQ(counters->pinned_pages, 30);
    EXPECT_EQ(counters->pinned_kb, 4096);
    EXPECT_EQ(counters->locked_kb, 8);
}

TEST(Counters, WhatIsNotThereIsAnError) {
    for (const char* vmstat : {"", "nr_foll_pin_acquired 1\n", "nr_foll_pin_released 1\n",
                               "nr_foll_pin_acquired x\nnr_foll_pin_released 1\n"}) {
        const Result<MemoryCounters> counters = memory_counters_in(vmstat, kStatus);
        ASSERT_FALSE(counters.ok()) << vmstat;
        EXPECT_EQ(counters.error().code, ENODATA);
    }
    for (const char* status : {"", "VmLck:\t8 kB\n", "VmPin:\t8 kB\n", "VmLck:\t8\nVmPin:\t8\n"})
        EXPECT_FALSE(memory_counters_in(kVmstat, status).ok()) << status;
}

TEST(TcpCounter, IsFoundInItsTable) {
    const char* const netstat =
        "TcpExt: SyncookiesSent TCPOFOQueue TCPSpuriousRtxHostQueues\n"
        "TcpExt: 0 17 3\n"
        "IpExt: InNoRoutes TCPOFOQueue\n"
        "IpExt: 1 99\n";
    EXPECT_EQ(*tcp_counter_in(netstat, "TCPOFOQueue"), 17U);
    EXPECT_EQ(*tcp_counter_in(netstat, "InNoRoutes"), 1U);
    EXPECT_EQ(tcp_counter_in(netstat, "TCPOFO").error().code, ENODATA);
    for (const char* nonsense : {"", "TcpExt: A\n", "TcpExt: A B\nTcpExt: x", "\n\n\n"})
        EXPECT_EQ(tcp_counter_in(nonsense, "A").error().code, ENODATA) << nonsense;
}

TEST(SlabObjects, AreCountedByCache) {
    const char* const slabinfo =
        "slabinfo - version: 2.1\n"
        "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : "
        "tunables\n"
        "io_kiocb              17     32    256   16    1 : tunables    0    0    0 : slabdata\n"
        "kmalloc-8            512    512      8  512    1 : tunables    0    0    0 : slabdata\n"
        "kmalloc-16\n"
        "\n";
    const std::map<std::string, int64_t> objects = slab_objects_in(slabinfo);
    EXPECT_EQ(objects, (std::map<std::string, int64_t>{{"io_kiocb", 17}, {"kmalloc-8", 512}}));
    EXPECT_TRUE(slab_objects_in("").empty());
}

using Counts = std::vector<std::map<std::string, int64_t>>;
using Growing = std::vector<GrowingCache>;

TEST(GrowingCaches, HaveMoreInEachCount) {
    const Counts counts = {
        {{"a", 5}, {"b", 100}}, {{"a", 15}, {"b", 100}}, {{"a", 26}, {"b", 190}}};
    EXPECT_EQ(growing_caches(counts, 10), (Growing{GrowingCache{"a", {5, 15, 26}}}));
    EXPECT_EQ(growing_caches(counts, 10).front().more(), 21);
    EXPECT_TRUE(growing_caches(counts, 11).empty());
}

TEST(GrowingCaches, BeginWithTheOneThatGrewMost) {
    EXPECT_EQ(growing_caches(Counts{{{"a", 0}, {"b", 0}}, {{"a", 20}, {"b", 30}}}, 10),
              (Growing{GrowingCache{"b", {0, 30}}, GrowingCache{"a", {0, 20}}}));
}

TEST(GrowingCaches, MayBeNew) {
    EXPECT_EQ(growing_caches(Counts{{}, {{"a", 10}}, {{"a", 20}}}, 10),
              (Growing{GrowingCache{"a", {0, 10, 20}}}));
}

TEST(GrowingCaches, AreNoneThatGrewOnceOnly) {
    EXPECT_TRUE(growing_caches(Counts{{{"a", 0}}, {{"a", 1000}}, {{"a", 1000}}}, 10).empty());
    EXPECT_TRUE(growing_caches(Counts{{{"a", 0}}, {{"a", 0}}, {{"a", 1000}}}, 10).empty());
}

TEST(GrowingCaches, NeedTwoCounts) {
    EXPECT_TRUE(growing_caches(Counts{}, 0).empty());
    EXPECT_TRUE(growing_caches(Counts{{{"a", 1}}}, 0).empty());
}

}  // namespace
}  // namespace zcrxlab
