// Matrices as JSON, joined, and what they come to.
#include <gtest/gtest.h>

#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {
namespace {

TEST(MatrixJson, ComesBackAsItWas) {
    const Matrix matrix = fake_matrix();
    const auto back = matrix_from_json(to_json(matrix));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(to_json(*back), to_json(matrix));
    EXPECT_EQ(back->terms, matrix.terms);
    ASSERT_EQ(back->runs.size(), matrix.runs.size());
    EXPECT_EQ(back->runs[0].results.ending, Ending::kPanicked);
    EXPECT_EQ(back->runs[2].cost.cpu_seconds, 300);
    EXPECT_EQ(back->runs[4].state, RunState::kNotSupported);
    EXPECT_EQ(back->catalogue.chapters[0].tests[1].needs.at(0), "add_area");
}

TEST(MatrixJson, ARunComesBackWithItsTerms) {
    const Matrix matrix = fake_matrix();
    const auto back = run_from_json(to_json(matrix.terms, matrix.runs[2]));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(back->first, matrix.terms);
    EXPECT_EQ(to_json(back->first, back->second), to_json(matrix.terms, matrix.runs[2]));
}

TEST(MatrixJson, WhatIsNoneIsRefused) {
    const std::string whole = to_json(fake_matrix());
    for (const std::string& wrong :
         {std::string(), std::string("[]"), std::string("{}"), std::string(R"({"format":2})"),
          std::string(R"({"format":1,"terms":{},"catalogue":{},"runs":[1]})"),
          std::string(
              R"({"format":1,"terms":{},"catalogue":{},"runs":[{"kernel":"1","nic":"a"}]})"),
          std::string(R"({"format":1,"terms":{},"catalogue":{},
              "runs":[{"kernel":"1","nic":"a","state":"ran","results":{}}]})"),
          whole.substr(0, whole.size() / 2)}) {
        EXPECT_FALSE(matrix_from_json(wrong)) << wrong.substr(0, 80);
        EXPECT_FALSE(run_from_json(wrong)) << wrong.substr(0, 80);
    }
}

TEST(MatrixJson, WhatIsTooDeepIsRefused) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::string run =
        R"({"kernel":"1","nic":"a","state":"ran","results":{"ending":"finished",)"
        R"("tests":[],"x":)" +
        deep + "}}";
    EXPECT_FALSE(run_from_json(R"({"format":1,"terms":{},"run":)" + run + "}"));
    EXPECT_FALSE(
        matrix_from_json(R"({"format":1,"terms":{},"catalogue":{},"runs":[)" + run + "]}"));
    EXPECT_FALSE(catalogue_from_json(R"({"chapters":[{}],"features":)" + deep + "}"));
}

TEST(MatrixJson, TheListOfScenarios) {
    const auto catalogue = catalogue_from_json(
        R"({"chapters":[{"name":"a","sentence":"s","tests":[{"name":"a.b","sentence":"t",
            "needs":["events"]}]}],"features":[{"name":"events","sentence":"has events"}]})");
    ASSERT_TRUE(catalogue);
    EXPECT_EQ(catalogue->chapters.at(0).tests.at(0).name, "a.b");
    EXPECT_EQ(catalogue->features.at(0).sentence, "has events");
    EXPECT_FALSE(catalogue_from_json(R"({"chapters":[]})"));
    EXPECT_FALSE(catalogue_from_json("no JSON"));
}

TEST(Merge, SharesAreTheWholeAgain) {
    const Matrix whole = fake_matrix();
    // What each of two machines has: all runs, of which the other's are only planned.
    std::vector<Matrix> parts{whole, whole};
    for (size_t i = 0; i < whole.runs.size(); ++i) {
        MatrixRun& elsewhere = parts[i % 2].runs[i];
        elsewhere.state = RunState::kPlanned;
        elsewhere.results = {};
    }
    std::vector<std::string> notes;
    const auto all = merged(parts, notes);
    ASSERT_TRUE(all) << all.error().sentence;
    EXPECT_EQ(to_json(*all), to_json(whole));
    EXPECT_TRUE(notes.empty());
}

TEST(Merge, WhatRanTwiceIsTakenOnceAndSaid) {
    std::vector<std::string> notes;
    const auto all = merged({fake_matrix(), fake_matrix()}, notes);
    ASSERT_TRUE(all);
    EXPECT_EQ(to_json(*all), to_json(fake_matrix()));
    EXPECT_EQ(notes.size(), 2U);
}

TEST(Merge, OtherTermsAreRefused) {
    for (int what = 0; what < 4; ++what) {
        Matrix other = fake_matrix();
        if (what == 0) other.terms.zcrxlab = "0.2.0";
        if (what == 1) other.terms.filter = "";
        if (what == 2) other.terms.options = "--cpus 4";
        if (what == 3) other.terms.seed = 2;
        std::vector<std::string> notes;
        EXPECT_FALSE(merged({fake_matrix(), other}, notes)) << what;
    }
    std::vector<std::string> notes;
    EXPECT_FALSE(merged({}, notes));
}

MatrixRun ran(Ending ending, std::vector<TestStatus> statuses) {
    MatrixRun run;
    run.state = RunState::kRan;
    run.results.ending = ending;
    for (const TestStatus status : statuses)
        run.results.tests.push_back({"a.b", status, 0, "", "", {}});
    return run;
}

int code(std::vector<MatrixRun> runs) {
    Matrix matrix;
    matrix.runs = std::move(runs);
    return exit_code(matrix);
}

TEST(ExitCode, TheWorstRunCounts) {
    const MatrixRun good = ran(Ending::kFinished, {TestStatus::kPassed, TestStatus::kKnown});
    const MatrixRun bad = ran(Ending::kFinished, {TestStatus::kFailed});
    const MatrixRun skipped = ran(Ending::kFinished, {TestStatus::kSkipped});
    const MatrixRun late = ran(Ending::kTimeout, {});
    const MatrixRun dead = ran(Ending::kPanicked, {TestStatus::kPassed});
    MatrixRun missing, unsupported, planned;
    missing.state = RunState::kNotStarted;
    unsupported.state = RunState::kNotSupported;
    EXPECT_EQ(code({good, skipped, unsupported, planned}), 0);
    MatrixRun miscounted = good;
    miscounted.results.unexpected = "gve on 7.3.4: 21 known, 20 are expected.";
    EXPECT_EQ(code({good, miscounted}), 1);
    EXPECT_EQ(code({skipped, unsupported}), 4);
    EXPECT_EQ(code({}), 4);
    EXPECT_EQ(code({good, bad}), 1);
    EXPECT_EQ(code({good, missing}), 64);
    EXPECT_EQ(code({bad, missing}), 1);
    EXPECT_EQ(code({late, bad, good}), 124);
    EXPECT_EQ(code({good, late, dead, bad}), 255);
}

TEST(FolderName, IsOnePlainPart) {
    EXPECT_EQ(folder_name("7.3.4", "gve"), "7.3.4-gve");
    EXPECT_EQ(folder_name("7.9.1+deb13-cloud-amd64", "nodev"), "7.9.1+deb13-cloud-amd64-nodev");
    const std::string one = folder_name("/a/linux x/bzImage", "gve");
    EXPECT_EQ(one.substr(0, 8), "bzImage-");
    EXPECT_NE(one, folder_name("/b/linux/bzImage", "gve"));
    for (const char* path : {"../..", "/", "/tree/", "./a b'c"})
        EXPECT_EQ(folder_name(path, "gve").find_first_of("/ '"), std::string::npos) << path;
}

}  // namespace
}  // namespace zcrxlab
