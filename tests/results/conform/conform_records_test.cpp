// Records of a guest become rounds, and none of them ends us.
#include "results/conform/conform_records.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace zcrxlab {
namespace {

class ConformRecordsTest : public testing::Test {
  protected:
    ConformRecordsTest()
        : records_([this](const ConformRound& round) { rounds_.push_back(round); }) {}
    bool program(const std::string& json) { return records_.take({RecordType::kProgram, json}); }
    void prints(RecordStream stream, const std::string& text) {
        records_.take({RecordType::kOutput, std::string(1, static_cast<char>(stream)) + text});
    }

    std::vector<ConformRound> rounds_;
    ConformRecords records_;
};

TEST_F(ConformRecordsTest, ARoundIsWhatIsToldBetweenItsNameAndItsCounts) {
    program(R"({"event":"round","name":"plain"})");
    EXPECT_TRUE(program(R"({"event":"started"})"));
    prints(RecordStream::kPeer, "a complaint\n{\"streams\":[{\"port\":7,\"se");
    prints(RecordStream::kOutput, R"({"streams":[]})");
    prints(RecordStream::kPeer, "nt\":5,\"end\":\"closed\"}]}\n");
    program(R"({"event":"ended","exit":1,"signal":9,"peer":{"started":true}})");
    EXPECT_TRUE(rounds_.empty());
    program(R"({"event":"zcrx","left":2,"counts":{},"failed":{},"missed":{}})");
    ASSERT_EQ(rounds_.size(), 1U);
    EXPECT_EQ(rounds_[0].situation->name, "plain");
    ASSERT_TRUE(rounds_[0].peer);
    EXPECT_EQ(rounds_[0].peer->streams.at(0).sent, 5U);
    EXPECT_TRUE(rounds_[0].program.by_itself);
    EXPECT_TRUE(rounds_[0].program.listened);
    EXPECT_EQ(rounds_[0].program.signal, 9);
    EXPECT_EQ(rounds_[0].kernel.left, 2U);
    EXPECT_EQ(rounds_[0].kernel.not_counted, "");
    // Of the first nothing is left in the second.
    program(R"({"event":"round","name":"ipv6"})");
    EXPECT_FALSE(program(R"({"event":"started"})")) << "it is news once";
    program(R"({"event":"ended","exit":0,"asked":true,"peer":{"started":false}})");
    program(R"({"event":"zcrx"})");
    ASSERT_EQ(rounds_.size(), 2U);
    EXPECT_FALSE(rounds_[1].peer);
    EXPECT_FALSE(rounds_[1].program.by_itself);
    EXPECT_FALSE(rounds_[1].program.listened);
    EXPECT_EQ(rounds_[1].kernel.left, 0U);
}

TEST_F(ConformRecordsTest, WhatBelongsToNoRoundIsNone) {
    for (const char* text :
         {"", "[]", R"({"event":7})", R"({"event":"zcrx"})", R"({"event":"ended"})",
          R"({"event":"round","name":"elsewhere"})", R"({"event":"zcrx"})"})
        program(text);
    records_.take({RecordType::kOutput, ""});
    records_.take({RecordType::kHello, "{}"});
    EXPECT_TRUE(rounds_.empty());
}

TEST_F(ConformRecordsTest, AProgramThatCannotBeStartedIsTold) {
    program(R"({"event":"round","name":"plain"})");
    program(R"({"event":"refused","error":"start it: No such file."})");
    program(R"({"event":"zcrx"})");
    ASSERT_EQ(rounds_.size(), 1U);
    EXPECT_EQ(rounds_[0].program.refused, "start it: No such file.");
}

TEST_F(ConformRecordsTest, TheKernelsCountsBecomeFacts) {
    program(R"({"event":"round","name":"plain"})");
    program(
        R"({"event":"zcrx","left":0,"failed":{"control":"x"},"missed":{},"counts":{)"
        R"("piece":"{ common_pid: a [ 7], ifq: 9, ok: 1 } hitcount: 4 len: 4000\n",)"
        R"("result":"{ common_pid: a [ 7], ctx: 5, ret: 18446744073709551588 } hitcount: 2\n)"
        R"({ file: 3, ret: 18446744073709551588 } hitcount: 2\n",)"
        R"("armed":"{ file: 3 } hitcount: 2\n",)"
        R"("register":"{ common_pid: a [ 7], ctx: 5, ret: 0 } hitcount: 1\n",)"
        R"("receive":"{ ctx: 5, ifq: 9, queue: 2 } hitcount: 5\n)"
        R"({ file: 3, ports: 529551555 } hitcount: 5\n",)"
        R"("packet":"{ common_pid: a [ 7], ports: 529551555, mapping: 3 } hitcount: 4 ret: 4000\n",)"
        R"("returned":"{ ifq: 9 } hitcount: 3 refs: 3\n",)"
        R"("closed":"{ ifq: 9, tail: 6, head: 4 } hitcount: 2\n",)"
        R"("refill":"{ ifq: 9 } hitcount: 4\n\tmax: 300 tail: 301\n",)"
        R"("area":"{ ifq: 9 } hitcount: 4 max: 30 all: 128\n",)"
        R"("created":"{ ctx: 5, cq_entries: 128 } hitcount: 1\n",)"
        R"("sizes":"{ ctx: 5, entries: 64, area: 1048576 } hitcount: 1\n"}})");
    ASSERT_EQ(rounds_.size(), 1U);
    const ReceiveFacts& facts = rounds_[0].kernel;
    EXPECT_EQ(facts.bytes, 4000U);
    EXPECT_EQ(facts.errors.at(-28), 2U);
    EXPECT_EQ(facts.registered.at(0), 1U);
    ASSERT_EQ(facts.queues.size(), 1U);
    const QueueFacts& queue = facts.queues[0];
    EXPECT_EQ(queue.pieces, 4U);
    EXPECT_EQ(queue.given_back, 6U);
    EXPECT_EQ(queue.unreadable, 1U);
    EXPECT_EQ(queue.most_in_ring, 300U);
    EXPECT_EQ(queue.ring_entries, 64U);
    EXPECT_EQ(queue.area_buffers, 128U) << "of 8 KiB each";
    EXPECT_EQ(queue.cq_entries, 128U);
    ASSERT_EQ(facts.by_stream.size(), 1U);
    EXPECT_EQ(facts.by_stream.begin()->second, 4000U);
    ASSERT_EQ(facts.requests.size(), 1U);
    EXPECT_EQ(facts.requests.begin()->first, facts.by_stream.begin()->first);
    EXPECT_EQ(facts.requests.begin()->second.ended_by, std::set<int>{-28});
    EXPECT_TRUE(facts.requests.begin()->second.none_afterwards);
}

}  // namespace
}  // namespace zcrxlab
