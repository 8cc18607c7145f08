// The verdicts of many runs: what differs is found, whatever it differs in.
#include "results/flakes/flakes.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

LoadedRun run_with(unsigned load, std::vector<TestResult> tests) {
    LoadedRun run{.load = load, .name = "a run", .results = {}, .problem = {}};
    run.results.tests = std::move(tests);
    return run;
}

TestResult test(const char* name, TestStatus status, double seconds = 1,
                const char* reference = "") {
    return {.name = name, .status = status, .seconds = seconds, .reference = reference};
}

TEST(Flakes, SameVerdictsDoNotDiffer) {
    const LoadedRun runs[] = {
        run_with(1, {test("a.b", TestStatus::kPassed), test("a.c", TestStatus::kKnown, 1, "x")}),
        run_with(8, {test("a.b", TestStatus::kPassed, 9), test("a.c", TestStatus::kKnown, 1, "x")}),
    };
    const Flakes flakes = flakes_of(runs);
    EXPECT_EQ(flakes.differing, 0U);
    EXPECT_EQ(to_text(flakes),
              "0 of 2 scenarios have verdicts that differ; runs: 1 beside 1 busy loop, 1 beside 8 "
              "busy loops\n");
}

TEST(Flakes, AnotherVerdictInOneRunOfOneLoadDiffers) {
    const LoadedRun runs[] = {
        run_with(1, {test("a.b", TestStatus::kPassed), test("a.c", TestStatus::kPassed, 1)}),
        run_with(1, {test("a.b", TestStatus::kPassed), test("a.c", TestStatus::kPassed, 3)}),
        run_with(4, {test("a.b", TestStatus::kPassed), test("a.c", TestStatus::kFailed, 2)}),
    };
    const Flakes flakes = flakes_of(runs);
    EXPECT_EQ(flakes.differing, 1U);
    EXPECT_EQ(to_text(flakes),
              "1 of 2 scenarios have verdicts that differ; runs: 2 beside 1 busy loop, 1 beside 4 "
              "busy loops\n"
              "  a.c\n"
              "    load 1: 2 passed; seconds (median, longest): 1.0, 3.0\n"
              "    load 4: 1 failed; seconds (median, longest): 2.0, 2.0\n");
    // The one that differs comes first.
    EXPECT_EQ(to_markdown(flakes),
              "# Verdicts of many runs\n\n"
              "1 of 2 scenarios have verdicts that differ; runs: 2 beside 1 busy loop, 1 beside 4 "
              "busy loops.\n\n"
              "| scenario | load 1 | seconds: median, longest | load 4 | seconds: median, longest "
              "|\n"
              "|---|---|---|---|---|\n"
              "| `a.c` | 2 passed | 1.0, 3.0 | 1 failed | 2.0, 2.0 |\n"
              "| `a.b` | 2 passed | 1.0, 1.0 | 1 passed | 1.0, 1.0 |\n");
}

TEST(Flakes, AnotherDefectDiffers) {
    const LoadedRun runs[] = {run_with(1, {test("a.b", TestStatus::kKnown, 1, "one")}),
                              run_with(1, {test("a.b", TestStatus::kKnown, 1, "other")})};
    const Flakes flakes = flakes_of(runs);
    EXPECT_EQ(flakes.differing, 1U);
    EXPECT_NE(to_text(flakes).find("1 known: one, 1 known: other"), std::string::npos);
}

TEST(Flakes, MissingDiffers) {
    const LoadedRun runs[] = {
        run_with(1, {test("a.b", TestStatus::kPassed), test("a.c", TestStatus::kPassed)}),
        run_with(1, {test("a.b", TestStatus::kPassed)})};
    const Flakes flakes = flakes_of(runs);
    EXPECT_EQ(flakes.differing, 1U);
    EXPECT_NE(to_text(flakes).find("1 missing, 1 passed"), std::string::npos);
}

TEST(Flakes, RunsThatBrokeOffAreTold) {
    LoadedRun broken = run_with(4, {});
    broken.problem = "it has no results.json.";
    LoadedRun late = run_with(4, {test("a.b", TestStatus::kPassed)});
    late.results.ending = Ending::kTimeout;
    late.results.ending_message = "It took too long.";
    const LoadedRun runs[] = {run_with(1, {test("a.b", TestStatus::kPassed)}), broken, late};
    const Flakes flakes = flakes_of(runs);
    EXPECT_EQ(flakes.differing, 0U);
    ASSERT_EQ(flakes.problems.size(), 2U);
    EXPECT_EQ(flakes.problems[0], "a run: it has no results.json.");
    EXPECT_EQ(flakes.problems[1], "a run: it ended as \"timeout\". It took too long.");
    EXPECT_EQ(flakes.runs.at(4), 1U);
}

TEST(Flakes, AreReadFromFolders) {
    const TemporaryFolder folder;
    const auto write = [&](const std::string& where, const std::string& text) {
        std::filesystem::create_directories(folder.path() / where);
        std::ofstream(folder.path() / where / "results.json") << text;
    };
    RunSummary summary;
    summary.tests = {test("a.b", TestStatus::kPassed)};
    write("load-1/1", to_json(summary));
    write("load-8/2", to_json(summary));
    write("load-8/10", "no results");
    write("load-x/1", to_json(summary));
    std::filesystem::create_directories(folder.path() / "load-8/11");
    const auto runs = read_loaded_runs(folder.path());
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 4U);
    EXPECT_EQ((*runs)[0].name, "load-1/1");
    EXPECT_EQ((*runs)[1].name, "load-8/2");
    EXPECT_EQ((*runs)[1].load, 8U);
    EXPECT_EQ((*runs)[1].results.tests.size(), 1U);
    EXPECT_NE((*runs)[2].problem, "");
    EXPECT_EQ((*runs)[3].problem, "it has no results.json; its output is in log.");
    EXPECT_FALSE(read_loaded_runs(folder.path() / "load-1"));
}

}  // namespace
}  // namespace zcrxlab
