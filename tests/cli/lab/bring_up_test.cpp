// The selection for authors of drivers, and what a run of it says of a driver.
#include "cli/lab/bring_up.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>

namespace zcrxlab {
namespace {

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char chunk[4096];
    for (size_t got = 0; (got = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;)
        text.append(chunk, got);
    ::pclose(pipe);
    return text;
}

std::vector<std::string> patterns() {
    std::vector<std::string> list;
    std::istringstream words(bring_up_filter());
    for (std::string pattern; std::getline(words, pattern, ':');) list.push_back(pattern);
    return list;
}

TEST(BringUp, EachPatternNamesAScenario) {
    for (const std::string& pattern : patterns()) {
        const std::string list =
            output_of(ZCRX_SCENARIOS " --list --json --filter '" + pattern + "'");
        EXPECT_NE(list.find("\"name\":\"" + pattern.substr(0, pattern.find('*'))),
                  std::string::npos)
            << pattern << " names no scenario:\n"
            << list.substr(0, 400);
    }
}

TEST(BringUp, NoPatternStandsTwice) {
    const auto all = patterns();
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TestResult result(const char* name, TestStatus status, const char* message = "") {
    TestResult test;
    test.name = name;
    test.status = status;
    test.message = message;
    return test;
}

TEST(BringUp, TheReportSaysWhatFailedAndWhereToLook) {
    RunSummary run;
    run.nic = "nic:eth1";
    run.tests = {result("receive.one_byte", TestStatus::kPassed),
                 result("bring_up.cycles", TestStatus::kFailed, "I6 (...)"),
                 result("bring_up.refused/open", TestStatus::kSkipped, "needs faults; type: x"),
                 result("bring_up.refused/close", TestStatus::kSkipped, "needs faults; type: x")};
    const std::string report = bring_up_report(run);
    EXPECT_NE(report.find("bring-up of nic:eth1:\n"
                          "  a queue is taken, and receives: 1 passed\n"
                          "  a queue is given back: nothing was asked\n"),
              std::string::npos)
        << report;
    EXPECT_NE(report.find("  an operation fails: 2 not asked\n"
                          "    not asked, since it needs faults; type: x\n"
                          "  a hundred times: 1 failed\n"
                          "    failed bring_up.cycles\n"
                          "    look at whether ndo_queue_stop"),
              std::string::npos)
        << report;
}

TEST(BringUp, WhatIsLostIsNoPass) {
    RunSummary run;
    run.tests = {result("bring_up.cycles", TestStatus::kLost)};
    const std::string report = bring_up_report(run);
    EXPECT_NE(report.find("a hundred times: 1 lost\n    lost bring_up.cycles\n    look at"),
              std::string::npos)
        << report;
}

TEST(BringUp, NamesThatAreNotTrustedStayOnTheirLine) {
    RunSummary run;
    run.nic = "nic:\x1b[2J";
    run.tests = {result("receive.sizes/a\nok 1", TestStatus::kFailed)};
    const std::string report = bring_up_report(run);
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
    EXPECT_EQ(report.find("\nok 1"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
