// Causes are named in order, and a control passes only on exactly its invariant.
#include <gtest/gtest.h>

#include "scenarios/runner/verdict.hpp"

namespace zcrxlab {
namespace {

Scenario claim(std::optional<Invariant> violates = std::nullopt) {
    Scenario scenario;
    scenario.chapter = "receive";
    scenario.test = "one_byte";
    scenario.sentence = "one byte arrives";
    scenario.terms.violates = violates;
    return scenario;
}

TapeContents finished() {
    TapeContents tape;
    tape.finished = true;
    return tape;
}

std::vector<Event> some_events() {
    std::vector<Event> events;
    for (uint64_t i = 0; i < 30; ++i)
        events.push_back({1000000 * i, Note{"event " + std::to_string(i)}});
    return events;
}

const Violation kFourth{Invariant::kI4, 20, "nothing was written there"};
const Violation kSeventh{Invariant::kI7, 21, "a warning"};

TEST(Verdict, PassesWithoutTrouble) {
    const TestResult result = judge(claim(), ChildEnd{}, finished(), some_events(), {});
    EXPECT_EQ(result.status, TestStatus::kPassed);
    EXPECT_EQ(result.message, "");
    EXPECT_TRUE(result.trace.empty());
}

TEST(Verdict, AViolationFailsAndShowsTheTraceAroundIt) {
    const TestResult result = judge(claim(), ChildEnd{}, finished(), some_events(), {kFourth});
    EXPECT_EQ(result.status, TestStatus::kFailed);
    EXPECT_NE(result.message.find("I4"), std::string::npos);
    EXPECT_NE(result.message.find("nothing was written there"), std::string::npos);
    EXPECT_NE(result.message.find("It claims: one byte arrives."), std::string::npos);
    ASSERT_EQ(result.trace.size(), 15U);
    EXPECT_EQ(result.trace[10][0], '>');
    EXPECT_NE(result.trace[10].find("event 20"), std::string::npos);
}

TEST(Verdict, OwnChecksComeBeforeInvariants) {
    TapeContents tape = finished();
    tape.failures = {"Expected: 1"};
    ChildEnd end;
    end.code = 1;
    const TestResult result = judge(claim(), end, tape, some_events(), {kFourth});
    EXPECT_EQ(result.status, TestStatus::kFailed);
    EXPECT_EQ(result.message.find("Expected: 1"), 0U);
    EXPECT_NE(result.message.find("I4"), std::string::npos);
}

TEST(Verdict, AnUnfinishedScenarioFails) {
    const TestResult result = judge(claim(), ChildEnd{}, TapeContents{}, {}, {});
    EXPECT_EQ(result.status, TestStatus::kFailed);
    EXPECT_NE(result.message.find("before its end"), std::string::npos);
}

TEST(Verdict, LostEventsFail) {
    TapeContents tape = finished();
    tape.events_lost = 2;
    EXPECT_EQ(judge(claim(), ChildEnd{}, tape, {}, {}).status, TestStatus::kFailed);
}

TEST(Verdict, ASkipIsNoPass) {
    TapeContents tape = finished();
    tape.skips = {"not here"};
    const TestResult result = judge(claim(), ChildEnd{}, tape, {}, {});
    EXPECT_EQ(result.status, TestStatus::kSkipped);
    EXPECT_EQ(result.message, "not here");
    EXPECT_EQ(judge(claim(), ChildEnd{}, tape, {}, {kSeventh}).status, TestStatus::kFailed);
}

TEST(Verdict, AControlPassesOnExactlyItsInvariant) {
    const Scenario control = claim(Invariant::kI4);
    const TestResult right =
        judge(control, ChildEnd{}, finished(), some_events(), {kFourth, kFourth});
    EXPECT_EQ(right.status, TestStatus::kPassed);
    EXPECT_EQ(right.message.find("Control ok: I4"), 0U);

    for (const std::vector<Violation>& wrong :
         {std::vector<Violation>{}, {kSeventh}, {kFourth, kSeventh}}) {
        const TestResult result = judge(control, ChildEnd{}, finished(), some_events(), wrong);
        EXPECT_EQ(result.status, TestStatus::kFailed);
        EXPECT_NE(result.message.find("Control not ok"), std::string::npos) << result.message;
    }
}

TEST(Verdict, AControlThatFailedOtherwiseIsNotOk) {
    TapeContents tape = finished();
    tape.failures = {"could not even start"};
    EXPECT_EQ(judge(claim(Invariant::kI4), ChildEnd{}, tape, some_events(), {kFourth}).status,
              TestStatus::kFailed);
    EXPECT_EQ(
        judge(claim(Invariant::kI4), ChildEnd{}, TapeContents{}, some_events(), {kFourth}).status,
        TestStatus::kFailed);
}

TEST(Verdict, TraceLinesAtTheEdges) {
    EXPECT_TRUE(lines_around({}, 5).empty());
    const std::vector<Event> events = some_events();
    EXPECT_EQ(lines_around(events, 0).size(), 5U);
    EXPECT_EQ(lines_around(events, 1000).size(), 11U);
}

TEST(Bounded, KeepsBothEndsAndSaysWhatIsMissing) {
    const std::vector<Event> events = some_events();
    EXPECT_EQ(bounded(events, 30).size(), 30U);
    const std::vector<Event> kept = bounded(events, 10);
    ASSERT_EQ(kept.size(), 11U);
    EXPECT_EQ(std::get<Note>(kept[5].body).text, "20 events left out.");
    EXPECT_EQ(std::get<Note>(kept[10].body).text, "event 29");

    DmaWrites many;
    many.entries.resize(10000);
    const std::vector<Event> cut = bounded(std::vector<Event>{{1, many}}, 10);
    ASSERT_EQ(cut.size(), 2U);
    EXPECT_EQ(std::get<DmaWrites>(cut[0].body).entries.size(), 4096U);
}

}  // namespace
}  // namespace zcrxlab
