// How many tests end how is compared with what somebody has written down.
#include "harness/report/expected_counts.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

RunSummary run_with(size_t passed, size_t known, size_t skipped) {
    RunSummary run;
    run.tests.insert(run.tests.end(), passed, {.status = TestStatus::kPassed});
    run.tests.insert(run.tests.end(), known, {.status = TestStatus::kKnown});
    run.tests.insert(run.tests.end(), skipped, {.status = TestStatus::kSkipped});
    return run;
}

std::string compared(std::string_view text, const RunSummary& run) {
    const Result<ExpectedCounts> expected = expected_counts_from(text);
    return expected ? unexpected_counts(*expected, run) : expected.error().sentence;
}

TEST(ExpectedCounts, WhatIsAsWrittenDownIsNotSpokenOf) {
    EXPECT_EQ(compared("passed=3,known=2,skipped=1", run_with(3, 2, 1)), "");
    EXPECT_EQ(compared("skipped=0", run_with(3, 2, 0)), "");
    EXPECT_EQ(compared("failed=0,lost=0", run_with(3, 2, 1)), "");
}

TEST(ExpectedCounts, OneMoreIsToldAndOneFewerToo) {
    EXPECT_EQ(compared("skipped=1", run_with(3, 2, 2)),
              "Not as expected: 2 skipped in place of 1. If that is right, change the numbers of "
              "--expect.");
    EXPECT_EQ(compared("passed=4,known=2,skipped=0", run_with(3, 2, 1)),
              "Not as expected: 3 passed in place of 4, 1 skipped in place of 0. If that is right, "
              "change the numbers of --expect.");
}

TEST(ExpectedCounts, OtherTextIsRefused) {
    for (const char* text : {"", "skipped", "skipped=", "=3", "skipped=-1", "skipped=x", "skip=3",
                             "skipped=3,", ",skipped=3", "skipped=3 known=2"})
        EXPECT_NE(compared(text, run_with(3, 2, 1)).find("is no status and its number"),
                  std::string::npos)
            << text;
    EXPECT_EQ(compared("skipped=3,skipped=3", run_with(3, 2, 1)), "skipped is there twice");
}

}  // namespace
}  // namespace zcrxlab
