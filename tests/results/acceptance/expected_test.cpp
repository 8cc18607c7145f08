#include "results/acceptance/expected.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zcrxlab {
namespace {

constexpr const char* kList =
    "# a list\n"
    "net/a.py a.one ok\n"
    "\n"
    "net/a.py a.two not-ok driver \"Check failed 1\" It has no pause.\n"
    "net/a.py a.three skip device \"not supported\" Our device has none.\n"
    "net/b.py b.four left-out kernel It takes the guest down.\n";

std::vector<ScriptResults> as_expected() {
    return {{"net/a.py",
             {{"a.one", TapOutcome::kOk, ""},
              {"a.two", TapOutcome::kNotOk, "Check failed 1 != 2"},
              {"a.three", TapOutcome::kSkip, "pause not supported"}}}};
}

// All sentences about `found`, one a line.
std::string said_of(const std::vector<ScriptResults>& found) {
    const auto expected = read_expected(kList);
    if (!expected) return expected.error().sentence;
    std::string text;
    for (const std::string& sentence : differences(*expected, found)) text += sentence + "\n";
    return text;
}

TEST(ExpectedTests, WhatIsAsExpectedIsNotMentioned) {
    EXPECT_EQ(said_of(as_expected()), "");
}

TEST(ExpectedTests, AnotherOutcomeIsTold) {
    auto found = as_expected();
    found[0].results[0] = {"a.one", TapOutcome::kNotOk, "Check failed 7"};
    EXPECT_EQ(said_of(found), "net/a.py a.one should be ok, and is not-ok: Check failed 7.\n");
    found = as_expected();
    found[0].results[1].outcome = TapOutcome::kOk;
    EXPECT_NE(said_of(found).find("a.two should be not-ok, and is ok"), std::string::npos)
        << "what is mended is told, too";
}

TEST(ExpectedTests, AnotherFailureIsNotTheExpectedOne) {
    auto found = as_expected();
    found[0].results[1].said = "KeyError";
    EXPECT_EQ(said_of(found),
              "net/a.py a.two is not-ok as expected, but does not say \"Check failed 1\": "
              "KeyError.\n");
    found = as_expected();
    found[0].results[2].said = "no such command";
    EXPECT_NE(said_of(found).find("does not say \"not supported\""), std::string::npos);
}

TEST(ExpectedTests, MoreAndFewerAreTold) {
    auto found = as_expected();
    found[0].results.pop_back();
    EXPECT_EQ(said_of(found), "net/a.py a.three has no result.\n");
    found = as_expected();
    found[0].results.push_back({"a.new", TapOutcome::kOk, ""});
    EXPECT_EQ(said_of(found), "net/a.py a.new is expected by nobody, and is ok.\n");
    found = as_expected();
    found.push_back({"net/b.py", {{"b.four", TapOutcome::kOk, ""}}});
    EXPECT_EQ(said_of(found), "net/b.py b.four was to be left out, and is ok.\n");
    EXPECT_NE(said_of({}).find("a.one has no result"), std::string::npos);
}

TEST(ExpectedTests, WhatIsLeftOutIsAnOptionOfItsScript) {
    const auto expected = read_expected(kList);
    ASSERT_TRUE(expected);
    EXPECT_EQ(options_to_choose(*expected, "net/b.py"), (std::vector<std::string>{"-T", "four"}));
    EXPECT_TRUE(options_to_choose(*expected, "net/a.py").empty());
}

TEST(ExpectedTests, ATestRunsInOneVmOnly) {
    const auto expected = read_expected(
        "net/a.py a.one ok\n"
        "net/a.py@icount a.two.4 ok\n"
        "net/a.py@icount a.three_* left-out kernel It takes long.\n"
        "net/b.py@icount b.one ok\n"
        "net/b.py@icount (script) not-ok kernel \"words\" It ends so.\n");
    ASSERT_TRUE(expected);
    using Words = std::vector<std::string>;
    EXPECT_EQ(options_to_choose(*expected, "net/a.py"), (Words{"-T", "two.4", "-T", "three_*"}));
    EXPECT_EQ(options_to_choose(*expected, "net/a.py@icount"),
              (Words{"-T", "three_*", "-t", "two.4"}));
    EXPECT_EQ(options_to_choose(*expected, "net/b.py@icount"), (Words{"-t", "one"}));
    EXPECT_EQ(runs_of(*expected, {"net/a.py", "net/b.py", "net/new.py"}),
              (Words{"net/a.py", "net/a.py@icount", "net/b.py@icount", "net/new.py"}));
    // What came in the other VM is no result of it.
    const auto said = differences(
        of_scripts(*expected, {"net/a.py"}),
        {{"net/a.py", {{"a.one", TapOutcome::kOk, ""}, {"a.two.4", TapOutcome::kOk, ""}}}});
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0], "net/a.py a.two.4 is expected by nobody, and is ok.");
}

TEST(ExpectedTests, SeveralAreLeftOutByTheirBeginning) {
    const auto expected = read_expected("net/a.py a.x_* left-out kernel It takes long.\n");
    ASSERT_TRUE(expected);
    EXPECT_EQ(options_to_choose(*expected, "net/a.py"), (std::vector<std::string>{"-T", "x_*"}));
    EXPECT_TRUE(differences(*expected, {}).empty());
    const auto said = differences(
        *expected, {{"net/a.py", {{"a.x_1", TapOutcome::kOk, ""}, {"a.y", TapOutcome::kOk, ""}}}});
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0], "net/a.py a.x_1 was to be left out, and is ok.");
    EXPECT_EQ(said[1], "net/a.py a.y is expected by nobody, and is ok.");
}

TEST(ExpectedTests, OfSomeScriptsOnlyTheseAreMissed) {
    const auto expected = read_expected(kList);
    ASSERT_TRUE(expected);
    EXPECT_EQ(of_scripts(*expected, {"net/a.py"}).size(), 3);
    EXPECT_EQ(differences(of_scripts(*expected, {"net/b.py"}), {}).size(), 0);
    EXPECT_EQ(differences(of_scripts(*expected, {"net/a.py"}), {}).size(), 3);
}

TEST(ExpectedTests, ALineThatIsNoneIsNamed) {
    for (const char* line :
         {"net/a.py", "net/a.py a.one", "net/a.py a.one fine", "net/a.py a.one ok but",
          "net/a.py a.one skip", "net/a.py a.one skip nobody \"x\" why",
          "net/a.py a.one not-ok driver why", "net/a.py a.one not-ok driver \"\" why",
          "net/a.py a.one not-ok driver \"x\"", "net/a.py a.one left-out kernel"}) {
        const auto read = read_expected(std::string("net/a.py a.zero ok\n") + line);
        ASSERT_FALSE(read) << line;
        EXPECT_NE(read.error().sentence.find("Line 2 "), std::string::npos) << line;
    }
    EXPECT_FALSE(read_expected("a b ok\na b ok\n")) << "twice";
}

}  // namespace
}  // namespace zcrxlab
