// What a scenario program on this machine says and how it ends, as a run's summary.
#include "cli/lab/lab_run.hpp"

#include <gtest/gtest.h>

#include "harness/trace/record.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

class LabRunTest : public testing::Test {
  protected:
    // A shell script in the place of the scenario program; descriptor 9 takes records.
    RunSummary run(const std::string& script, unsigned timeout = 60) {
        auto out = ResultsFolder::open(folder_.path() / "out");
        EXPECT_TRUE(out);
        LabRun order;
        order.arguments = {"/bin/sh", "-c", script};
        order.environment = {{"ZCRXLAB_FILTER", "receive.*"}};
        order.timeout = timeout;
        auto summary = run_scenarios_here(order, *out);
        EXPECT_TRUE(summary);
        EXPECT_TRUE(out->finish_logs());
        return *std::move(summary);
    }

    // A file with the records of one test that passed.
    std::string records() const {
        std::string bytes;
        const std::pair<RecordType, const char*> all[] = {
            {RecordType::kPlan, R"({"tests":["a.b","a.c"],"seed":7,"features":{"zcrx":true}})"},
            {RecordType::kTestStarted, R"({"name":"a.b"})"},
            {RecordType::kTestEnded,
             R"({"name":"a.b","status":"passed","seconds":0.5,"message":"","trace":[]})"}};
        for (const auto& [type, json] : all)
            for (const std::byte byte : encode_record(type, json)) bytes += static_cast<char>(byte);
        return folder_.write("records", bytes);
    }

    TemporaryFolder folder_;
};

TEST_F(LabRunTest, RecordsBecomeResults) {
    const RunSummary summary = run("cat " + records() + " >&9; echo said; exit 0");
    EXPECT_EQ(summary.ending, Ending::kFinished);
    ASSERT_EQ(summary.tests.size(), 2U);
    EXPECT_EQ(summary.tests[0].status, TestStatus::kPassed);
    EXPECT_EQ(summary.tests[1].status, TestStatus::kLost);  // planned, and never ended
    EXPECT_FALSE(summary.kernel.empty());
    EXPECT_NE(summary.console.find("said"), std::string::npos);
    EXPECT_NE(folder_.read("out/console.log").find("said"), std::string::npos);
}

TEST_F(LabRunTest, TheEnvironmentIsThere) {
    const RunSummary summary = run("echo \"$ZCRXLAB_FILTER and $ZCRXLAB_RECORDS_FD\"; exit 64");
    EXPECT_NE(summary.console.find("receive.* and 9"), std::string::npos) << summary.console;
    EXPECT_EQ(exit_code(summary), 64);
}

TEST_F(LabRunTest, AKilledProgramIsLost) {
    const RunSummary summary = run("cat " + records() + " >&9; kill -SEGV $$");
    EXPECT_EQ(summary.ending, Ending::kLost);
    EXPECT_NE(summary.ending_message.find("The scenario program was killed by signal 11"),
              std::string::npos)
        << summary.ending_message;
    EXPECT_EQ(exit_code(summary), 255);
}

TEST_F(LabRunTest, OneThatTakesTooLongIsEnded) {
    const RunSummary summary = run("sleep 60", 1);
    EXPECT_EQ(summary.ending, Ending::kTimeout);
    EXPECT_EQ(exit_code(summary), 124);
}

TEST_F(LabRunTest, NonsenseInPlaceOfRecordsIsLost) {
    EXPECT_EQ(run("echo this is no record at all >&9; sleep 60").ending, Ending::kLost);
}

}  // namespace
}  // namespace zcrxlab
