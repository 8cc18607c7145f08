// The table for terminals and as Markdown.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "results/matrix/render.hpp"
#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {
namespace {

// The line of `text` that begins with `start`, blanks squeezed.
std::string line_of(const std::string& text, const std::string& start) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(start, 0) != 0) continue;
        std::istringstream words(line);
        std::string squeezed;
        for (std::string word; words >> word;) squeezed += (squeezed.empty() ? "" : " ") + word;
        return squeezed;
    }
    return "no line begins with " + start;
}

TEST(Text, HasTheTableTheFailuresAndTheCosts) {
    const Matrix matrix = fake_matrix();
    const std::string text = to_text(matrix, table_of(matrix), 100);
    EXPECT_EQ(line_of(text, "gve "), "gve 6.16 7.2 7.3");
    EXPECT_EQ(line_of(text, "guest "), "guest - ok FAILED");
    EXPECT_EQ(line_of(text, "receive "), "receive - ok 1 ok 2");
    EXPECT_EQ(line_of(text, "cqe32 "), "cqe32 - FAILED 1 lost 1");
    EXPECT_EQ(line_of(text, "tcp "), "tcp - known 1 lost 1");
    EXPECT_EQ(line_of(text, "feature add_area "), "feature add_area - - ok 1");
    EXPECT_EQ(line_of(text, "nodev "), "nodev 7.2 7.3");
    EXPECT_EQ(line_of(text, "run, s "), "run, s 140 70");
    EXPECT_NE(text.find("7.3 on gve: panicked\n    The guest's kernel panicked: Oops"),
              std::string::npos);
    EXPECT_NE(text.find("zcrxlab run --kernel 7.2 --nic gve --seed 1 --filter cqe32.hostile\n"),
              std::string::npos);
    EXPECT_NE(text.find("one more such run takes about 115 s"), std::string::npos) << text;
}

TEST(Text, ARunThatIsNotAsCountedIsRed) {
    Matrix matrix = fake_matrix();
    for (MatrixRun& run : matrix.runs)
        if (run.kernel == "7.2" && run.nic == "gve")
            run.results.unexpected = "gve on 7.2.12: 21 known, 20 are expected.";
    const std::string text = to_text(matrix, table_of(matrix), 100);
    EXPECT_EQ(line_of(text, "guest "), "guest - FAILED FAILED");
    EXPECT_NE(text.find("7.2 on gve: not as counted\n    gve on 7.2.12: 21 known, 20 are"),
              std::string::npos)
        << text;
}

TEST(Text, WhatDoesNotFitStandsBelow) {
    const Matrix matrix = fake_matrix();
    const std::string text = to_text(matrix, table_of(matrix), 30);
    EXPECT_EQ(line_of(text, "gve "), "gve 6.16");
    EXPECT_NE(text.find("\ngve               7.3\n"), std::string::npos) << text;
}

TEST(Text, HostileTextDoesNoHarm) {
    Matrix matrix = fake_matrix();
    matrix.runs[0].kernel = kHostileText;
    matrix.runs[1].message = kHostileText;
    const Table table = table_of(matrix);
    for (const std::string& text : {to_text(matrix, table, 100), to_markdown(matrix, table)}) {
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
        EXPECT_EQ(text.find('\xff'), std::string::npos);
    }
    EXPECT_EQ(to_markdown(matrix, table).find("<script"), std::string::npos);
}

TEST(Text, ARunThatSkippedAllIsALine) {
    Matrix matrix = fake_matrix();
    for (TestResult& test : matrix.runs[2].results.tests) {
        test.status = TestStatus::kSkipped;
        test.message = "needs <b>; type: x";
    }
    const Table table = table_of(matrix);
    EXPECT_NE(to_text(matrix, table, 100).find("\ngve on 7.2: every test is skipped: needs <b>\n"),
              std::string::npos);
    EXPECT_NE(
        to_markdown(matrix, table).find("\ngve on 7.2: every test is skipped: needs &lt;b>\n"),
        std::string::npos);
}

TEST(Markdown, EveryTableIsRegular) {
    const Matrix matrix = fake_matrix();
    const std::string text = to_markdown(matrix, table_of(matrix));
    std::istringstream lines(text);
    std::ptrdiff_t bars = 0;
    size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) bars = 0;
        if (line.empty() || line[0] != '|') continue;
        const auto count = std::count(line.begin(), line.end(), '|');
        EXPECT_TRUE(bars == 0 || bars == count) << line;
        bars = count;
        ++rows;
    }
    EXPECT_EQ(rows, 2U * (2 + 6 + 3));
    EXPECT_NE(text.find("| cqe32 | - | **FAILED 1** | lost 1 |"), std::string::npos) << text;
}

TEST(Command, QuotesPatterns) {
    MatrixRun run;
    run.command = "zcrxlab run";
    EXPECT_EQ(command_for(run, "a.b/1_c"), "zcrxlab run --filter a.b/1_c");
    EXPECT_EQ(command_for(run, "a.*"), "zcrxlab run --filter 'a.*'");
    EXPECT_EQ(command_for(run, "it's"), "zcrxlab run --filter 'it'\\''s'");
    EXPECT_EQ(command_for(run, ""), "zcrxlab run");
}

}  // namespace
}  // namespace zcrxlab
