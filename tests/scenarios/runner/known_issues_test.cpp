// Only the facts of a finding make a failure known, a finding that no longer shows is a failure,
// and what it ended too early is blocked.
#include "scenarios/known_issues/known_issues.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "tests/scenarios/runner/judged.hpp"

namespace zcrxlab {
namespace {

using enum ComplaintKind;

KnownIssue late_flush() {
    return {.id = "late-flush",
            .sentence = "a flush comes late",
            .reference = "commit 123",
            .versions = "7.0",
            .rule = {.tests = {"refill.flush"},
                     .blocks = {"tcp.*"},
                     .symptom = {.kind = kCheck, .subject = "took # of 4 entries."}}};
}
const std::vector<KnownIssue> kIssues = {late_flush()};

TestStatus status(std::string_view name, const Seen& seen,
                  std::span<const KnownIssue> issues = kIssues) {
    return judged(name, seen, issues).status;
}

TEST(KnownIssues, TheFactsMakeAFailureKnown) {
    const TestResult result = judged("refill.flush", {{check("took 1 of 4 entries.")}}, kIssues);
    EXPECT_EQ(result.status, TestStatus::kKnown);
    EXPECT_EQ(result.reference, "commit 123");
    EXPECT_EQ(result.message.find("Known issue late-flush: a flush comes late (seen on 7.0)."), 0U);
    EXPECT_NE(result.message.find("took 1 of 4 entries"), std::string::npos);
}

TEST(KnownIssues, APieceOfASentenceIsNotEnough) {
    EXPECT_EQ(status("refill.flush", {{check("It took 1 of 4 entries.")}}), TestStatus::kFailed);
    EXPECT_EQ(status("refill.flush", {{check("took 1 of 4 entries. And more.")}}),
              TestStatus::kFailed);
    EXPECT_EQ(status("refill.flush", {{check("took none of 4 entries.")}}), TestStatus::kFailed);
}

TEST(KnownIssues, AnotherComplaintOrAnotherScenarioFails) {
    const ComplaintFacts known = check("took 1 of 4 entries.");
    EXPECT_EQ(status("refill.flush", {{known, check("a wrong byte")}}), TestStatus::kFailed);
    EXPECT_EQ(status("refill.other", {{known}}), TestStatus::kFailed);
    const Violation violation{Invariant::kI3, 0, "a byte has changed"};
    EXPECT_EQ(status("refill.flush", {{known}, true, {violation}}), TestStatus::kFailed);
    // Killed, so that nobody knows what it would have said.
    TapeContents tape;
    tape.failures = {"took 1 of 4 entries."};
    tape.failure_facts = {known};
    ChildEnd killed;
    killed.how = ChildEnd::How::kSignalled;
    EXPECT_EQ(judge(named("refill.flush"), killed, tape, {}, {}, kIssues).status,
              TestStatus::kFailed);
    // A failure whose facts never came.
    tape.failure_facts = {};
    EXPECT_EQ(judge(named("refill.flush"), ChildEnd{}, tape, {}, {}, kIssues).status,
              TestStatus::kFailed);
}

TEST(KnownIssues, WhatItEndedTooEarlyIsBlocked) {
    const Seen stopped{{check("took 1 of 4 entries.")}, false};
    const TestResult result = judged("tcp.loss", stopped, kIssues);
    EXPECT_EQ(result.status, TestStatus::kBlocked);
    EXPECT_EQ(result.reference, "commit 123");
    EXPECT_EQ(result.message.find("Not judged. Known issue late-flush"), 0U) << result.message;
    // What came to its end was judged.
    EXPECT_EQ(status("tcp.loss", {{check("took 1 of 4 entries.")}, true}), TestStatus::kFailed);
    EXPECT_EQ(status("tcp.loss", {{check("a wrong byte")}, false}), TestStatus::kFailed);
    const Violation violation{Invariant::kI3, 0, "a byte has changed"};
    EXPECT_EQ(status("tcp.loss", {stopped.failures, false, {violation}}), TestStatus::kFailed);
}

TEST(KnownIssues, WhatDoesNotShowAnyMoreIsAFailure) {
    const TestResult result = judged("refill.flush", {}, kIssues);
    EXPECT_EQ(result.status, TestStatus::kFailed);
    EXPECT_NE(result.message.find("The known issue late-flush (commit 123) does not show here"),
              std::string::npos);
    EXPECT_EQ(judged("refill.other", {}, kIssues).status, TestStatus::kPassed);
    EXPECT_EQ(judged("tcp.loss", {}, kIssues).status, TestStatus::kPassed)
        << "it need not stand in the way";
    KnownIssue chance = late_flush();
    chance.rule.by_chance = "if it is late";
    EXPECT_EQ(status("refill.flush", {}, std::array{chance}), TestStatus::kPassed);
    KnownIssue of_gve = late_flush();
    of_gve.rule.target = "gve";
    EXPECT_EQ(status("refill.flush", {}, std::array{of_gve}), TestStatus::kFailed);
    EXPECT_EQ(judged("refill.flush", {}, std::array{of_gve}, "nodev").status, TestStatus::kPassed);
    const std::array everywhere{late_flush()};
    EXPECT_EQ(judged("refill.flush", {}, everywhere, "nodev").status, TestStatus::kFailed);
    EXPECT_EQ(judged("refill.flush", {}, everywhere, "").status, TestStatus::kPassed)
        << "where nobody has counted, none has to show";
}

// The kernel's leak detector is compared object by object.
TEST(KnownIssues, LostMemoryIsKnownIfEachObjectIs) {
    KnownIssue issue = late_flush();
    issue.id = "lost-queue";
    issue.rule = {.tests = {"teardown.*"},
                  .symptom = {.kind = kLostMemory, .function = "adminq_alloc"},
                  .by_chance = "with kmemleak"};
    const std::vector<KnownIssue> issues = {issue};
    const std::string ours = "unreferenced object 0x1\n  [<1>] adminq_alloc+0x1/0x2 [gve]\n";
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
    EXPECT_EQ(known.reference, "commit 123");
    EXPECT_NE(known.message.find("in a scenario since device.reset"), std::string::npos);
    EXPECT_EQ(after(TestStatus::kKnown, {ours}).status, TestStatus::kKnown);
    EXPECT_EQ(after(TestStatus::kBlocked, {ours}).status, TestStatus::kBlocked);
    // A failure of another kind stays one.
    EXPECT_EQ(after(TestStatus::kFailed, {ours}).status, TestStatus::kFailed);
    EXPECT_EQ(after(TestStatus::kPassed, {ours, other}).status, TestStatus::kFailed);
    EXPECT_EQ(after(TestStatus::kBlocked, {other}).status, TestStatus::kFailed);
    EXPECT_EQ(
        after(TestStatus::kPassed, {"unreferenced object 0x3\n  my_adminq_alloc+0x1\n"}).status,
        TestStatus::kFailed);
}

TEST(KnownIssues, ConsequencesCountOnlyWithTheSymptom) {
    KnownIssue issue = late_flush();
    issue.rule.consequences = {{.kind = kCounter, .subject = "pages"}};
    const std::vector<KnownIssue> issues = {issue};
    const ComplaintFacts pages{.kind = kCounter, .subject = "pages"};
    const ComplaintFacts symptom = check("took 1 of 4 entries.");
    const auto is_explained = [&](const std::vector<ComplaintFacts>& seen) {
        return explain(issues, "refill.flush", true, seen) != nullptr;
    };
    EXPECT_TRUE(is_explained({pages, symptom}));
    EXPECT_FALSE(is_explained({pages}));
    EXPECT_FALSE(is_explained({symptom, check("a wrong byte")}));
}

TEST(KnownIssues, EachBranchHasAFirstReleaseWithoutIt) {
    const std::vector<std::string_view> fixed = {"6.18.20", "7.1.6", "7.2.10"};
    for (const char* release : {"6.18.20", "6.18.21+deb13-amd64", "7.1.6", "7.2.10+deb13", "7.2.12",
                                "7.3-rc1", "7.3.4", "8"})
        EXPECT_TRUE(is_fixed(fixed, release)) << release;
    // 6.19, 7.0 and 6.12 never got it.
    for (const char* release : {"6.18.19", "6.19.99", "7.0.30", "7.1.5", "7.2.9", "7.2", "6.12.90"})
        EXPECT_FALSE(is_fixed(fixed, release)) << release;
    EXPECT_FALSE(is_fixed({}, "9.9"));

    KnownIssue fixed_one = late_flush();
    fixed_one.fixed_in = fixed;
    KnownIssue new_one = late_flush();
    new_one.since = "7.3";
    const std::vector<KnownIssue> issues = {fixed_one, new_one};
    EXPECT_EQ(issues_in(issues, "6.18.15+deb13-amd64", "gve").size(), 1U);
    EXPECT_TRUE(issues_in(issues, "7.2.12", "gve").empty());
    EXPECT_EQ(issues_in(issues, "7.3.4", "gve").size(), 1U);
}

TEST(KnownIssues, ARuleTakesWhatItDoesNotSayFromItsFinding) {
    const std::vector<Finding> findings = {{
        .id = "late-flush",
        .happens = "a flush comes late",
        .source = "zcrx.c:flush",
        .seen_on = "7.0",
        .since = "7.0",
        .fixed_in = {"7.1.6", "7.2.10"},
        .shown_by = {{.filter = "refill.flush"}},
        .rules = {{.tests = {"refill.flush"}, .symptom = {.kind = kCheck, .subject = "a"}},
                  {.id = "lost-flush",
                   .happens = "a flush is lost",
                   .seen_on = "7.1",
                   .blocks = {"refill.*"},
                   .symptom = {.kind = kCheck, .subject = "b"}}},
    }};
    const std::vector<KnownIssue> issues = known_issues_of(findings);
    ASSERT_EQ(issues.size(), 2U);
    EXPECT_EQ(issues[0].id, "late-flush");
    EXPECT_EQ(issues[0].sentence, "a flush comes late");
    EXPECT_EQ(issues[0].versions, "7.0");
    EXPECT_EQ(issues[1].id, "lost-flush");
    EXPECT_EQ(issues[1].sentence, "a flush is lost");
    EXPECT_EQ(issues[1].versions, "7.1");
    EXPECT_EQ(issues[1].rule.symptom.subject, "b");
    for (const KnownIssue& issue : issues) {
        EXPECT_EQ(issue.reference, "zcrx.c:flush, fixed in 7.1.6 and 7.2.10");
        EXPECT_EQ(issue.since, "7.0");
        EXPECT_EQ(issue.fixed_in.size(), 2U);
    }
}

// A race is named by what both sides did: another one between the same functions is not known.
TEST(KnownIssues, ARaceIsKnownByBothAccesses) {
    const std::vector<Event> events = {
        {1, KernelMessage{3, "BUG: KCSAN: data-race in zcrx_a / zcrx_b"}}};
    Violation race{Invariant::kI7, 0, "a race"};
    race.about = RaceTold{
        "BUG: KCSAN: data-race in zcrx_a (read of 4 bytes) / zcrx_b (write of 4 "
        "bytes)"};
    const ComplaintFacts facts = facts_of(race, events);
    Symptom symptom{.kind = kKernelLog,
                    .subject =
                        "BUG: KCSAN: data-race in zcrx_a (read of 4 bytes) / zcrx_b (write "
                        "of 4 bytes)"};
    EXPECT_TRUE(matches(symptom, facts));
    for (const char* other : {"BUG: KCSAN: data-race in zcrx_a / zcrx_b",
                              "BUG: KCSAN: data-race in zcrx_a (read of 8 bytes) / zcrx_b (write "
                              "of 4 bytes)"}) {
        symptom.subject = other;
        EXPECT_FALSE(matches(symptom, facts)) << other;
    }
}

// Reports and what is made of them are passed on.
TEST(KnownIssues, OfAnEmbargoedOneAVerdictSaysOnlyThatThereIsOne) {
    Finding secret;
    secret.id = "reads-wild";
    secret.happens = "a read goes wild";
    secret.source = "net/core/x.c:x_recvmsg";
    secret.seen_on = "7.3.4";
    secret.rules = {{.tests = {"refill.flush"},
                     .symptom = {.kind = ComplaintKind::kKernelLog,
                                 .subject = "BUG: KASAN: wild-memory-access",
                                 .function = "x_recvmsg"}}};
    secret.embargoed = true;
    const std::vector<KnownIssue> issues = known_issues_of(std::span(&secret, 1));
    const auto says_nothing = [](const TestResult& result) {
        std::string all = result.message + result.reference;
        for (const std::string& line : result.trace) all += line;
        for (const char* word : {"wild", "x_recvmsg", "x.c", "7.3.4", "something"})
            EXPECT_EQ(all.find(word), all.npos) << all;
        EXPECT_NE(all.find("embargoed"), all.npos) << all;
    };
    TapeContents tape;
    tape.finished = true;
    const char* const complaint = "BUG: KASAN: wild-memory-access in x_recvmsg+0x1/0x2";
    const std::vector<Event> events = {{1, KernelMessage{4, complaint}}, {2, Note{"something"}}};
    const Violation violation{Invariant::kI7, 0, complaint};
    const TestResult known =
        judge(named("refill.flush"), {}, tape, events, std::vector<Violation>{violation}, issues);
    EXPECT_EQ(known.status, TestStatus::kKnown);
    says_nothing(known);

    TestResult late;
    late.name = "refill.flush";
    late.status = TestStatus::kPassed;
    blame_for_late_messages(late.name, {KernelMessage{4, complaint}}, false, issues, late);
    EXPECT_EQ(late.status, TestStatus::kKnown);
    says_nothing(late);
    // What else went wrong is told, with all that it stands beside.
    TestResult failed;
    failed.name = "refill.flush";
    failed.status = TestStatus::kPassed;
    blame_for_late_messages(failed.name,
                            {KernelMessage{4, complaint}, KernelMessage{4, "BUG: a queue is lost"}},
                            false, issues, failed);
    EXPECT_EQ(failed.status, TestStatus::kFailed);
    EXPECT_NE(failed.message.find("a queue is lost"), std::string::npos);
    const TestResult passed = judge(named("refill.flush"), {}, tape, events, {}, issues, "gve");
    EXPECT_EQ(passed.status, TestStatus::kFailed);
    says_nothing(passed);
}

TEST(KnownIssues, AreNotOfATargetThatHasAnotherDefect) {
    KnownIssue of_one_driver = late_flush();
    of_one_driver.rule.never_on = "gve";
    const std::vector<KnownIssue> issues = {of_one_driver};
    EXPECT_TRUE(issues_in(issues, "7.3.4", "gve").empty());
    EXPECT_EQ(issues_in(issues, "7.3.4", "bnxt").size(), 1U);
}

// A kernel warns of the probe's question; nothing but that is known of it.
TEST(KnownIssues, WhatTheFeatureProbeBringsIsTheProbes) {
    const KernelMessage warning{4,
                                "WARNING: CPU: 0 PID: 149 at net/core/dev.h:334 "
                                "page_pool_disable_direct_recycling+0x5e/0x70"};
    const auto behind = [](std::string_view release, std::string_view test,
                           const KernelMessage& said) {
        TestResult result;
        result.name = "device.prompt";
        result.status = TestStatus::kSkipped;
        blame_for_late_messages(test, {said}, false, issues_in(known_issues(), release, "gve"),
                                result);
        return result.status;
    };
    EXPECT_EQ(behind("6.17.13", kFeatureProbe, warning), TestStatus::kSkipped);
    EXPECT_EQ(behind("6.18.15", kFeatureProbe, warning), TestStatus::kFailed);
    EXPECT_EQ(behind("6.17.13", "device.prompt", warning), TestStatus::kFailed);
    EXPECT_EQ(behind("6.17.13", kFeatureProbe,
                     {4, "WARNING: CPU: 0 PID: 149 at x.c:1 other_function+0x5e/0x70"}),
              TestStatus::kFailed);
}

}  // namespace
}  // namespace zcrxlab
