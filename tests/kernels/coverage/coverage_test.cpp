// Reports of gcov are added up, and shown as they are.
#include <gtest/gtest.h>

#include "kernels/coverage/coverage.hpp"
#include "kernels/coverage/profile.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kReport = R"({
  "format_version": "1", "gcc_version": "12", "current_working_directory": "/out",
  "data_file": "object.gcda",
  "files": [
    {"file": "/tree/io_uring/zcrx.c",
     "functions": [
       {"name": "taken", "start_line": 1, "execution_count": 3},
       {"name": "left", "start_line": 5, "execution_count": 0}],
     "lines": [
       {"line_number": 1, "count": 3, "function_name": "taken", "branches": []},
       {"line_number": 2, "count": 3, "function_name": "taken",
        "branches": [{"count": 3, "fallthrough": true, "throw": false},
                     {"count": 0, "fallthrough": false, "throw": false}]},
       {"line_number": 3, "count": 0, "function_name": "taken", "branches": []},
       {"line_number": 6, "count": 0, "function_name": "left", "branches": []}]},
    {"file": "/tree/include/net/tcp.h", "functions": [], "lines": [{"line_number": 1, "count": 1}]},
    {"file": "/elsewhere/a.c", "functions": [], "lines": [{"line_number": 1, "count": 1}]}]})";

Coverage counted(int times) {
    Coverage coverage;
    for (int i = 0; i < times; ++i) EXPECT_TRUE(add_gcov(coverage, kReport, "/tree"));
    return coverage;
}

TEST(Coverage, CountsLinesAndBranchesOfSourcesOfTheTree) {
    const Coverage coverage = counted(1);
    ASSERT_EQ(coverage.size(), 1U);
    const FileCoverage& file = coverage.at("io_uring/zcrx.c");
    const Tally whole = file.tally();
    EXPECT_EQ(whole.lines, 4U);
    EXPECT_EQ(whole.lines_run, 2U);
    EXPECT_EQ(whole.branches, 2U);
    EXPECT_EQ(whole.branches_taken, 1U);
    const Tally taken = file.tally(file.functions.at("taken"));
    EXPECT_EQ(taken.lines, 3U);
    EXPECT_EQ(taken.lines_run, 2U);
    EXPECT_FALSE(taken.whole());
    EXPECT_EQ(file.tally(file.functions.at("left")).lines_run, 0U);
    EXPECT_EQ(lines_never_run(file, file.functions.at("taken")), "3");
}

TEST(Coverage, TellsLinesNeverRunAsRanges) {
    FileCoverage file;
    for (const uint32_t at : {10U, 12U, 13U, 20U, 30U}) file.lines[at].function = "some";
    file.lines[20].count = 1;
    EXPECT_EQ(lines_never_run(file, {.name = "some"}), "10-13, 30");
    EXPECT_EQ(lines_never_run(file, {.name = "other"}), "");
}

TEST(Coverage, AddsReportsUp) {
    const Coverage coverage = counted(2);
    const FileCoverage& file = coverage.at("io_uring/zcrx.c");
    EXPECT_EQ(file.lines.at(1).count, 6U);
    EXPECT_EQ(file.lines.at(2).branches, (std::vector<uint64_t>{6, 0}));
    EXPECT_EQ(file.functions.at("taken").calls, 6U);
    EXPECT_EQ(file.tally().lines, 4U);

    Coverage sum = counted(1);
    add(sum, coverage);
    EXPECT_EQ(sum.at("io_uring/zcrx.c").lines.at(2).branches, (std::vector<uint64_t>{9, 0}));
    EXPECT_EQ(sum.at("io_uring/zcrx.c").functions.at("taken").calls, 9U);
}

TEST(Coverage, RefusesWhatIsNoReport) {
    Coverage coverage;
    for (const char* text : {"", "{", "[]", "{}", "7"}) {
        const auto added = add_gcov(coverage, text, "/tree");
        ASSERT_FALSE(added) << text;
        EXPECT_EQ(added.error().code, EPROTO);
    }
    // Odd parts of a report are left out.
    EXPECT_TRUE(add_gcov(coverage, R"({"files": [7, {"file": 1}, {"file": "/tree/a.c",
        "lines": [1, {"line_number": -1}, {"line_number": 1, "count": "x", "branches": [1]}]}]})",
                         "/tree"));
    EXPECT_EQ(coverage.at("a.c").lines.at(1).count, 0U);
}

TEST(Profile, IsDecoded) {
    const auto profile = parse_profile(R"({"object": "out/io_uring/zcrx.gcda", "hex": "00ff7a"})");
    ASSERT_TRUE(profile) << profile.error().sentence;
    EXPECT_EQ(profile->bytes, std::string("\x00\xff\x7a", 3));
}

TEST(Profile, IsRefusedIfItLeadsElsewhere) {
    for (const char* line :
         {"", "[]", R"({"object": "a.gcda"})", R"({"object": "/etc/a.gcda", "hex": ""})",
          R"({"object": "../a.gcda", "hex": ""})", R"({"object": "a.c", "hex": ""})",
          R"({"object": "a.gcda", "hex": "0"})", R"({"object": "a.gcda", "hex": "0x"})"})
        EXPECT_FALSE(parse_profile(line)) << line;
}

}  // namespace
}  // namespace zcrxlab
