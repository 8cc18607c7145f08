// A symptom alone makes a failure known, an unexpected pass is reported, and the findings are
// complete.
#include <gtest/gtest.h>

#include "scenarios/known_issues/known_issues.hpp"
#include "scenarios/runner/verdict.hpp"

namespace zcrxlab {
namespace {

const std::vector<KnownIssue> kIssues = {{
    .id = "late-flush",
    .sentence = "a flush comes late",
    .reference = "commit 123",
    .versions = "7.0",
    .tests = {"refill.flush"},
    .symptom = "took 1 of 4",
}};

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
    const std::vector<KnownIssue> issues = {{
        .id = "lost-queue",
        .sentence = "a queue is lost",
        .reference = "commit 9",
        .versions = "7.0",
        .tests = {kAnyScenario},
        .symptom = " adminq_alloc+",
    }};
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

TEST(KnownIssues, AnUnexpectedPassIsReported) {
    const TestResult result = judged("flush", {});
    EXPECT_EQ(result.status, TestStatus::kPassed);
    EXPECT_EQ(result.message,
              "Passes unexpectedly: the known issue late-flush (commit 123) does not show here.");
    EXPECT_EQ(judged("other", {}).message, "");
}

TEST(KnownIssues, AnyScenarioMayShowASymptomOfItsOwn) {
    const std::vector<KnownIssue> issues = {{
        .id = "starves",
        .sentence = "it starves",
        .reference = "commit 5",
        .versions = "6.18",
        .tests = {"refill.flush", kAnyScenario},
        .symptom = "starves",
    }};
    const std::vector<std::string> seen = {"the device starves with 3 buffers"};
    EXPECT_EQ(explain(issues, "refill.other", seen), &issues[0]);
    EXPECT_EQ(explain(issues, "refill.other", std::vector<std::string>{"a wrong byte"}), nullptr);
    EXPECT_EQ(issues_of(issues, "refill.flush").size(), 1U);
    EXPECT_TRUE(issues_of(issues, "refill.other").empty());
}

TEST(KnownIssues, WhatIsFixedIsNotKnownAnyMore) {
    KnownIssue open = kIssues[0];
    open.id = "open";
    KnownIssue old = kIssues[0];
    old.fixed_in = "7.2.10";
    const std::vector<KnownIssue> issues = {old, open};
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
    const std::vector<KnownIssue> issues = {{
        .id = "stays",
        .sentence = "it stays",
        .reference = "commit 6",
        .versions = "6.18",
        .tests = {"refill.flush"},
        .symptom = "still there",
        .consequences = {"pages"},
    }};
    using Seen = std::vector<std::string>;
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"5 pages", "it is still there"}), &issues[0]);
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"5 pages"}), nullptr);
    EXPECT_EQ(explain(issues, "refill.flush", Seen{"still there", "a wrong byte"}), nullptr);
}

TEST(KnownIssues, ARuleTakesWhatItDoesNotSayFromItsFinding) {
    const std::vector<Finding> findings = {{
        .id = "late-flush",
        .happens = "a flush comes late",
        .source = "zcrx.c:flush",
        .seen_on = "7.0",
        .fixed_in = "7.2.10",
        .shown_by = {{.filter = "refill.flush"}},
        .rules = {{.tests = {"refill.flush"}, .symptom = "took 1 of 4"},
                  {.id = "lost-flush",
                   .happens = "a flush is lost",
                   .seen_on = "7.1",
                   .tests = {kAnyScenario},
                   .symptom = "took 0 of 4",
                   .consequences = {"starves"}}},
    }};
    const std::vector<KnownIssue> issues = known_issues_of(findings);
    ASSERT_EQ(issues.size(), 2U);
    EXPECT_EQ(issues[0].id, "late-flush");
    EXPECT_EQ(issues[0].sentence, "a flush comes late");
    EXPECT_EQ(issues[0].versions, "7.0");
    EXPECT_EQ(issues[0].symptom, "took 1 of 4");
    EXPECT_EQ(issues[1].id, "lost-flush");
    EXPECT_EQ(issues[1].sentence, "a flush is lost");
    EXPECT_EQ(issues[1].versions, "7.1");
    EXPECT_EQ(issues[1].consequences, std::vector<std::string_view>{"starves"});
    for (const KnownIssue& issue : issues) {
        EXPECT_EQ(issue.reference, "zcrx.c:flush, fixed in 7.2.10");
        EXPECT_EQ(issue.fixed_in, "7.2.10");
    }
}

// Reports and what is made of them are passed on.
TEST(KnownIssues, OfAnEmbargoedOneAVerdictSaysOnlyThatThereIsOne) {
    Finding secret;
    secret.id = "reads-wild";
    secret.happens = "a read goes wild";
    secret.source = "net/core/skmsg.c:sk_msg_recvmsg";
    secret.seen_on = "7.3.4";
    secret.rules = {{.tests = {"refill.flush"}, .symptom = "wild-memory-access"}};
    secret.embargoed = true;
    const std::vector<KnownIssue> issues = known_issues_of(std::span(&secret, 1));
    const auto says_nothing = [](const TestResult& result) {
        std::string all = result.message + result.reference;
        for (const std::string& line : result.trace) all += line;
        for (const char* word : {"wild", "sk_msg_recvmsg", "skmsg", "7.3.4", "something"})
            EXPECT_EQ(all.find(word), all.npos) << all;
        EXPECT_NE(all.find("embargoed"), all.npos) << all;
    };
    TapeContents tape;
    tape.finished = true;
    const std::vector<Event> events = {{1, Note{"something"}}};
    const TestResult passed = judge(named("flush"), {}, tape, events, {}, issues);
    EXPECT_EQ(passed.status, TestStatus::kPassed);
    says_nothing(passed);
    const std::string complaint = "wild-memory-access in sk_msg_recvmsg";
    const Violation violation{Invariant::kI7, 0, complaint};
    const TestResult known =
        judge(named("flush"), {}, tape, events, std::vector<Violation>{violation}, issues);
    EXPECT_EQ(known.status, TestStatus::kKnown);
    says_nothing(known);

    TestResult late;
    late.name = "refill.flush";
    late.status = TestStatus::kPassed;
    blame_for_lost_memory({complaint}, "device.reset", issues, late);
    EXPECT_EQ(late.status, TestStatus::kKnown);
    says_nothing(late);
    // What else went wrong is told, with all that it stands beside.
    TestResult failed;
    failed.name = "refill.flush";
    failed.status = TestStatus::kPassed;
    blame_for_lost_memory({complaint, "a queue is lost"}, "device.reset", issues, failed);
    EXPECT_EQ(failed.status, TestStatus::kFailed);
    EXPECT_NE(failed.message.find("a queue is lost"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
