// Scope, reasons, and what is shown.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/c_source/functions.hpp"
#include "tests/results/coverage/fake_report.hpp"

namespace zcrxlab {
namespace {

TEST(SourceFunctions, AreFoundByTheirBraces) {
    const auto functions = functions_of(
        "#define X(a) \\\n\ta\n"
        "struct thing {\n\tint a;\n};\n"
        "/* a comment\n */\n"
        "static struct page *\n"
        "of_two_lines(struct page *p,\n\t     int (*call)(void))\n"
        "{\n\tif (p) {\n\t}\n}\n"
        "EXPORT_SYMBOL(of_two_lines);\n"
        "int short_one(void)\n{\n}\n"
        "static const struct ops ops = {\n\t.a = short_one,\n};\n");
    ASSERT_EQ(functions.size(), 2U);
    EXPECT_EQ(functions[0].name, "of_two_lines");
    EXPECT_EQ(functions[0].first_line, 8U);
    EXPECT_EQ(functions[0].last_line, 14U);
    EXPECT_EQ(functions[1].name, "short_one");
    EXPECT_EQ(functions[1].first_line, 16U);
    EXPECT_EQ(functions_of("int cut(void)\n{\n").size(), 0U);
    EXPECT_EQ(functions_of("{\n}\n").size(), 0U);
}

TEST(Scope, IsReadAndNamesObjects) {
    const auto scope = parse_scope("# what\na/b.c\n\n c d # some\n  e\nx.c one\n");
    ASSERT_TRUE(scope) << scope.error().sentence;
    EXPECT_EQ(scope->at("a/b.c"), (std::set<std::string>{"c", "d", "e"}));
    EXPECT_EQ(scope->at("x.c"), std::set<std::string>{"one"});
    EXPECT_EQ(objects_of(*scope), (std::vector<std::string>{"a/b.o", "x.o"}));
    for (const char* text : {" function\n", "/etc/a.c\n", "a.h\n", "function\n"})
        EXPECT_FALSE(parse_scope(text)) << text;
}

TEST(Scope, CutsCoverageDownAndGivesLinesToInlinedFunctions) {
    const CoverageReport report = fake_report();
    const FileCoverage& file = report.columns.front().coverage.at("io_uring/zcrx.c");
    EXPECT_EQ(file.lines.at(12).function, "half");
    EXPECT_EQ(file.functions.at("half").calls, 1'234'567U);
    EXPECT_EQ(file.tally(file.functions.at("taken")).lines, 4U);

    const auto part =
        within({{"io_uring/zcrx.c", {"half"}}}, report.columns.front().coverage, report.sources);
    ASSERT_TRUE(part) << part.error().sentence;
    EXPECT_EQ(part->at("io_uring/zcrx.c").lines.size(), 3U);
    EXPECT_EQ(part->at("io_uring/zcrx.c").functions.size(), 1U);
    EXPECT_FALSE(
        within({{"io_uring/zcrx.c", {"gone"}}}, report.columns.front().coverage, report.sources));
    EXPECT_TRUE(within({{"other.c", {}}}, report.columns.front().coverage, {})->empty());
}

TEST(Reasons, AreRead) {
    const auto reasons = parse_reasons("# all\na.c f: because\n  of this: that\n\nb.c g: x\n");
    ASSERT_TRUE(reasons) << reasons.error().sentence;
    EXPECT_EQ(reasons->at({"a.c", "f"}), "because of this: that");
    EXPECT_EQ(reasons->at({"b.c", "g"}), "x");
    for (const char* text : {"a.c f\n", " goes on\n", "a.c: x\n", "a.c f: x\na.c f: y\n"})
        EXPECT_FALSE(parse_reasons(text)) << text;
}

TEST(Reasons, ThatDoNotFitAreTold) {
    const CoverageReport report = fake_report();
    const Coverage& coverage = report.columns.front().coverage;
    const std::string path = "io_uring/zcrx.c";
    // `never` has none.
    ASSERT_EQ(report.misfits.size(), 1U);
    EXPECT_EQ(report.misfits[0],
              path + " never: lines 16-18 were never run, and no reason is given");
    const auto told = misfits({{{path, "half"}, "x"},
                               {{path, "never"}, "x"},
                               {{path, "taken"}, "x"},
                               {{path, "gone"}, "x"}},
                              coverage);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_NE(told[0].find("gone: a reason is given, but there is no such"), std::string::npos);
    EXPECT_NE(told[1].find("taken: a reason is given, but every line"), std::string::npos);
}

TEST(CoverageReport, IsATableWithColumns) {
    const std::string text = to_text(fake_report());
    EXPECT_NE(text.find("66.7 % 50.0 %"), std::string::npos) << text;
    EXPECT_NE(text.find("selftest+liburing"), std::string::npos) << text;
    EXPECT_NE(text.find("half: 1 of 3 lines never run (13)"), std::string::npos) << text;
    EXPECT_NE(text.find("two() is <never> needed"), std::string::npos) << text;
    EXPECT_NE(text.find("no reason is given"), std::string::npos) << text;
    EXPECT_EQ(text.find("taken:"), std::string::npos) << text;
}

TEST(CoverageReport, DoesNotListWhatIsInADriverWithoutADevice) {
    CoverageReport report = fake_report();
    for (auto& [number, line] : report.columns.front().coverage.at("io_uring/zcrx.c").lines)
        line.count = 0;
    const std::string text = to_text(report);
    EXPECT_NE(text.find("nothing was run in io_uring/zcrx.c"), std::string::npos) << text;
    EXPECT_EQ(text.find("half:"), std::string::npos) << text;
}

TEST(CoverageReport, OfTwoNicsIsAboutWhatNeitherHasReached) {
    const std::string path = "io_uring/zcrx.c";
    const CoverageReport fake = fake_report();
    const Coverage& counted = fake.columns.front().coverage;
    Coverage rest = counted;
    for (auto& [number, line] : rest.at(path).lines) line.count = line.count == 0 ? 1 : 0;
    CoverageReport report;
    report.columns = suite_columns({{"gve", counted}, {"bnxt", rest}});
    ASSERT_EQ(report.columns.size(), 3U);
    EXPECT_TRUE(misfits({}, report.columns.front().coverage).empty());
    report.columns.push_back({"selftest", counted});
    EXPECT_EQ(table_columns(report).size(), 4U) << "one of somebody else is not summed up";
    report.columns.push_back({"liburing", rest});
    const auto table = table_columns(report);
    ASSERT_EQ(table.size(), 6U);
    EXPECT_EQ(table.back().name, "selftest+liburing");
    EXPECT_NE(to_text(report).find("100.0 %"), std::string::npos);

    EXPECT_EQ(suite_columns({{"gve", counted}}).size(), 1U);
    EXPECT_EQ(suite_columns({{"gve", counted}}).front().name, "suite");
}

TEST(CoverageReport, IsData) {
    const auto json = nlohmann::json::parse(to_json(fake_report()));
    const auto& file = json["files"][0];
    EXPECT_EQ(file["lines"], 9);
    EXPECT_EQ(file["suites"]["suite"]["lines"], 6);
    EXPECT_EQ(file["suites"]["liburing"]["lines"], 0);
    EXPECT_EQ(file["suites"]["selftest+liburing"]["lines"], 6);
    EXPECT_EQ(file["functions"][0]["name"], "half");
    EXPECT_EQ(file["functions"][0]["never_run"], "13");
    EXPECT_EQ(file["functions"][0]["reason"], "two() is <never> needed");
    EXPECT_EQ(json["misfits"].size(), 1U);
}

TEST(CoverageReport, IsAPageWithoutMarkupOfOthers) {
    const std::string page = to_page(fake_report());
    EXPECT_EQ(page.find("<b>&amp;</b>"), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("<never>"), std::string::npos);
    EXPECT_EQ(page.find("<fixture>"), std::string::npos);
    EXPECT_NE(page.find("&lt;b&gt;&amp;amp;&lt;/b&gt;"), std::string::npos);
    EXPECT_NE(page.find("1234k"), std::string::npos);
    EXPECT_NE(page.find("io_uring-zcrx-c-half"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
