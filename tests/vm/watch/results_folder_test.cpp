// What records of any content become in the results folder.
#include "vm/watch/results_folder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

class ResultsFolderTest : public testing::Test {
  protected:
    void take(RecordType type, std::string json) { out_->record({type, std::move(json)}); }
    std::string written(const char* name) {
        EXPECT_TRUE(out_->finish_logs());
        return folder_.read(name);
    }

    TemporaryFolder folder_;
    Result<ResultsFolder> out_ = ResultsFolder::open(folder_.path());
};

TEST_F(ResultsFolderTest, EventsAreLinesWithTheirTest) {
    take(RecordType::kTrace, R"({"test":"a.b","events":[{"t":1},{"t":2}]})");
    EXPECT_EQ(written("trace.jsonl"), "{\"t\":1,\"test\":\"a.b\"}\n{\"t\":2,\"test\":\"a.b\"}\n");
}

TEST_F(ResultsFolderTest, TheCompleteKernelLogTakesThePlaceOfItsParts) {
    take(RecordType::kKernelLog, R"({"lines":["boot"]})");
    take(RecordType::kTestStarted, R"({"name":"a.b"})");
    take(RecordType::kKernelLog, R"({"lines":["part"]})");
    take(RecordType::kKernelLog, R"({"lines":["part","rest"],"complete":true})");
    EXPECT_EQ(written("kernel.log"), "boot\npart\nrest\n");
}

TEST_F(ResultsFolderTest, MembersOfAnotherTypeAreNotThere) {
    take(RecordType::kKernelLog, R"({"lines":["a"],"complete":"yes"})");
    take(RecordType::kKernelLog, R"({"lines":["b",1,null],"complete":1})");
    take(RecordType::kKernelLog, R"({"lines":{"c":"c"},"complete":true})");
    take(RecordType::kKernelLog, R"({"lines":7})");
    take(RecordType::kTrace, R"({"events":"all"})");
    take(RecordType::kTrace, R"({"events":{"t":"e"},"test":1})");
    take(RecordType::kTrace, R"({"events":[1,"x",null,[]],"test":1})");
    EXPECT_EQ(written("kernel.log"), "a\nb\n");
    EXPECT_EQ(written("trace.jsonl"), "");
}

TEST_F(ResultsFolderTest, WhatIsTooDeepIsLeftOut) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    take(RecordType::kTrace, R"({"test":"a.b","events":[{"t":1,"x":)" + deep + "}]}");
    take(RecordType::kKernelLog, R"({"lines":["a"],"complete":)" + deep + "}");
    EXPECT_EQ(written("trace.jsonl"), "");
    EXPECT_EQ(written("kernel.log"), "");
}

}  // namespace
}  // namespace zcrxlab
