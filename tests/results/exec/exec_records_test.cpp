// Records of a guest that runs a program: what they change, and that none of them ends us.
#include "results/exec/exec_records.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

class ExecRecordsTest : public testing::Test {
  protected:
    ExecNews take(RecordType type, std::string json) {
        return take_record({type, std::move(json)}, {}, outcome_, report_, trace_);
    }

    ExecOutcome outcome_;
    ZcrxReport report_;
    ExecTrace trace_;
};

TEST_F(ExecRecordsTest, TheStartIsNewsOnce) {
    EXPECT_FALSE(take(RecordType::kHello, R"({"event":"started"})").started);
    EXPECT_TRUE(take(RecordType::kProgram, R"({"event":"started"})").started);
    EXPECT_FALSE(take(RecordType::kProgram, R"({"event":"started"})").started);
}

TEST_F(ExecRecordsTest, InputThatWasTaken) {
    EXPECT_EQ(take(RecordType::kProgram, R"({"event":"taken","bytes":5})").taken, 5U);
    for (const char* bytes : {"-5", "\"5\"", "5.5", "null", "1e30", "[]"})
        EXPECT_EQ(
            take(RecordType::kProgram, R"({"event":"taken","bytes":)" + std::string(bytes) + "}")
                .taken,
            std::nullopt)
            << bytes;
}

TEST_F(ExecRecordsTest, MembersOfAnotherTypeAreNotThere) {
    for (const char* text :
         {R"({"event":1})", R"({"event":null})", R"({"event":["taken"],"bytes":1})", "[]", "7", "",
          R"({"event":"ended","exit":"1","signal":1e300,"pid":[],"seconds":"x","left":[1,{}]})",
          R"({"event":"ended","peer":{"exit":1e300,"error":5}})",
          R"({"event":"zcrx","counts":{"piece":5},"dropped":[],"missed":{"x":-1},"failed":"x"})",
          R"({"event":"zcrx-time","seconds":"x","counts":[]})",
          R"({"event":"started","monotonic":-1,"pid":1e300})", R"({"event":"refused","error":1})"})
        EXPECT_EQ(take(RecordType::kProgram, text).taken, std::nullopt) << text;
    take(RecordType::kKernelLog, R"({"lines":[1,"[ 1.0] x",{"a":1}]})");
}

TEST_F(ExecRecordsTest, WhatIsTooDeepIsLeftOut) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_FALSE(take(RecordType::kProgram, R"({"event":"started","x":)" + deep + "}").started);
    EXPECT_FALSE(outcome_.started());
}

}  // namespace
}  // namespace zcrxlab
