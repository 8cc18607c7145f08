// A failure is known by its symptom alone, an unexpected pass is told, and the list is sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"
#include "scenarios/known_issues/known_issues.hpp"
#include "scenarios/runner/verdict.hpp"

namespace zcrxlab {
namespace {

const std::vector<KnownIssue> kIssues = {
    {"late-flush", "a flush comes late", "commit 123", "7.0", {"refill.flush"}, "took 1 of 4"}};

Scenario named(const char* test) {
    Scenario scenario;
    scenario.chapter = "refill";
    scenario.test = test;
    scenario.sentence = "a flush takes all";
    return scenario;
}

TestResult judged(const char* test, const std::vector<std::string>& failures,
                  const std::vector<Violation>& violations = {}) {
    TapeContents tape;
    tape.finished = true;
    tape.failures = failures;
    ChildEnd end;
    end.code = failures.empty() ? 0 : 1;
    const std::vector<Event> events = {{1, Note{"something"}}};
    return judge(named(test), end, tape, events, violations, kIssues);
}

TEST(KnownIssues, TheSymptomMakesAFailureKnown) {
    const TestResult result = judged("flush", {"x.cpp:1: took 1 of 4 entries"});
    EXPECT_EQ(result.status, TestStatus::kKnown);
    EXPECT_EQ(result.reference, "commit 123");
    EXPECT_EQ(result.message.find("Known issue late-flush: a flush comes late (seen on 7.0)."), 0U);
    EXPECT_NE(result.message.find("took 1 of 4 entries"), std::string::npos);
    const Violation violation{Invariant::kI9, 0, "flush took 1 of 4"};
    EXPECT_EQ(judged("flush", {}, {violation}).status, TestStatus::kKnown);
}

TEST(KnownIssues, AnotherSymptomOrAnotherScenarioFails) {
    EXPECT_EQ(judged("flush", {"took 2 of 4"}).status, TestStatus::kFailed);
    EXPECT_EQ(judged("flush", {"took 1 of 4", "a wrong byte"}).status, TestStatus::kFailed);
    EXPECT_EQ(judged("other", {"took 1 of 4"}).status, TestStatus::kFailed);
    const Violation violation{Invariant::kI7, 0, "a warning"};
    EXPECT_EQ(judged("flush", {"took 1 of 4"}, {violation}).status, TestStatus::kFailed);
}

// What the kernel's leak detector says is compared object by object.
TEST(KnownIssues, LostMemoryIsKnownIfEachObjectIs) {
    const std::vector<KnownIssue> issues = {
        {"lost-queue", "a queue is lost", "commit 9", "7.0", {kAnyScenario}, " adminq_alloc+"}};
    const std::string ours = "unreferenced object 0x1\n  adminq_alloc+0x1\n";
    const std::string other = "unreferenced object 0x2\n  zcrx_alloc+0x1\n";
    const auto after = [&](TestStatus status, const std::vector<std::string>& objects) {
        TestResult result;
        result.name = "teardown.removal";
        result.status = status;
        blame_for_lost_memory(objects, "device.reset", issues, result);
        return result;
    };
    EXPECT_EQ(after(TestStatus::kPassed, {}).status, TestStatus::kPassed);
    const TestResult known = after(TestStatus::kPassed, {ours, ours});
    EXPECT_EQ(known.status, TestStatus::kKnown);
    EXPECT_EQ(known.reference, "commit 9");
    EXPECT_EQ(known.message.find("Known issue lost-queue: a queue is lost (seen on 7.0)."), 0U);
    EXPECT_NE(known.message.find("in a scenario since device.reset"), std::string::npos);
    EXPECT_EQ(after(TestStatus::kKnown, {ours}).status, TestStatus::kKnown);
    // A failure of another kind stays one.
    EXPECT_EQ(after(TestStatus::kFailed, {ours}).status, TestStatus::kFailed);
    EXPECT_EQ(after(TestStatus::kPassed, {ours, other}).status, TestStatus::kFailed);
    EXPECT_EQ(after(TestStatus::kKnown, {other}).status, TestStatus::kFailed);
    EXPECT_NE(after(TestStatus::kPassed, {other}).message.find("zcrx_alloc"), std::string::npos);
}

TEST(KnownIssues, AnUnexpectedPassIsTold) {
    const TestResult result = judged("flush", {});
    EXPECT_EQ(result.status, TestStatus::kPassed);
    EXPECT_EQ(result.message,
              "Passes unexpectedly: the known issue late-flush (commit 123) does not show here.");
    EXPECT_EQ(judged("other", {}).message, "");
}

TEST(KnownIssues, AnyScenarioMayShowASymptomOfItsOwn) {
    const std::vector<KnownIssue> issues = {
        {"starves", "it starves", "commit 5", "6.18", {"refill.flush", kAnyScenario}, "starves"}};
    const std::vector<std::string> seen = {"the device starves with 3 buffers"};
    EXPECT_EQ(explain(issues, "refill.other", seen), &issues[0]);
    EXPECT_EQ(explain(issues, "refill.other", std::vector<std::string>{"a wrong byte"}), nullptr);
    EXPECT_EQ(issues_of(issues, "refill.flush").size(), 1U);
    EXPECT_TRUE(issues_of(issues, "refill.other").empty());
}

TEST(KnownIssues, WhatIsMendedIsNotKnownAnyMore) {
    const std::vector<KnownIssue> issues = {
        {"old", "s", "r", "7.2.6", {"refill.flush"}, "old symptom", {}, "7.2.10"},
        {"open", "s", "r", "7.2.6", {"refill.flush"}, "open symptom"}};
    const auto count = [&](std::string_view release) {
        return not_fixed_in(issues, release).size();
    };
    EXPECT_EQ(count("7.2.9+deb13-cloud-amd64"), 2U);
    EXPECT_EQ(count("6.18.15+deb13-amd64"), 2U);
    EXPECT_EQ(count("7.2.10+deb13-cloud-amd64"), 1U);
    EXPECT_EQ(count("7.3.4"), 1U);
    EXPECT_EQ(count("7.3-rc1"), 1U);
    EXPECT_EQ(count("8"), 1U);
    EXPECT_EQ(not_fixed_in(issues, "7.3.4")[0].id, "open");
}

TEST(KnownIssues, ConsequencesCountOnlyWithTheSymptom) {
    const std::vector<KnownIssue> issues = {
        {"stays", "it stays", "commit 6", "6.18", {"refill.flush"}, "still there", {"pages"}}};
    using Seen = std::vector<std::string>;
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"5 pages", "it is still there"}), &issues[0]);
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"5 pages"}), nullptr);
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"still there", "a wrong byte"}), nullptr);
}

TEST(KnownIssues, EachHasItsScenarios) {
    FILE* program = popen(ZCRX_SCENARIOS " --list --json", "r");
    ASSERT_NE(program, nullptr);
    std::string text;
    char part[4096];
    while (const size_t length = fread(part, 1, sizeof(part), program)) text.append(part, length);
    EXPECT_EQ(pclose(program), 0);
    std::set<std::string> names;
    const nlohmann::json list = nlohmann::json::parse(text);
    for (const nlohmann::json& chapter : list["chapters"])
        for (const nlohmann::json& test : chapter["tests"]) names.insert(test["name"]);
    std::set<std::string_view> ids;
    for (const KnownIssue& issue : known_issues()) {
        EXPECT_TRUE(ids.insert(issue.id).second) << issue.id << " is there twice.";
        EXPECT_EQ(issue.reference.find("fixed in") != std::string_view::npos,
                  !issue.fixed_in.empty())
            << issue.id << " has a fix in its reference, or a release, but not both.";
        EXPECT_FALSE(issue.tests.empty() || issue.symptom.empty() || issue.reference.empty() ||
                     issue.versions.empty() || issue.sentence.empty())
            << issue.id;
        for (const std::string_view test : issue.tests)
            EXPECT_TRUE(test == kAnyScenario || names.contains(std::string(test)))
                << issue.id << " names " << test;
    }
}

std::string readme() {
    std::ifstream file(ZCRXLAB_README);
    EXPECT_TRUE(file.is_open());
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Readme, NamesEveryFindingWithAScenarioThatShowsIt) {
    const std::string text = readme();
    for (const KnownIssue& issue : known_issues()) {
        const bool named = std::ranges::any_of(issue.tests, [&](const auto& test) {
            // A table's rows may share one line: chapter.table/row_*.
            const std::string name(test);
            return text.find("`" + name + "`") != std::string::npos ||
                   text.find(name.substr(0, name.rfind('_'))) != std::string::npos;
        });
        EXPECT_TRUE(named) << "the table of findings has no line for " << issue.id;
    }
}

TEST(Readme, StatesHowManyRowsTheContractHas) {
    const std::string count = std::to_string(contract_rows().size());
    const std::string text = readme();
    EXPECT_NE(text.find("a list of " + count + " promises"), std::string::npos) << count;
    EXPECT_NE(text.find(not_yet_claimed().empty() ? "all " + count + " are claimed"
                                                  : " are not claimed yet"),
              std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
