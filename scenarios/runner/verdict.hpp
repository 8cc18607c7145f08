// Verdict: what a scenario's end, its checks and the oracle's findings amount to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/oracle/oracle.hpp"
#include "scenarios/form/scenario.hpp"
#include "scenarios/known_issues/known_issues.hpp"
#include "scenarios/runner/child.hpp"
#include "scenarios/runner/report_sink.hpp"
#include "scenarios/runner/tape.hpp"

namespace zcrxlab {

// `events` is the whole trace, with what was observed from outside. A negative control passes if
// exactly its invariant is violated and nothing else went wrong. A failure of which every complaint
// has the symptom of one of `issues` is known; a pass where an issue was to be seen says so.
TestResult judge(const Scenario& scenario, const ChildEnd& end, const TapeContents& tape,
                 std::span<const Event> events, const std::vector<Violation>& violations,
                 std::span<const KnownIssue> issues = {});

// Sentences around the event at `index`, which is marked with '>'.
std::vector<std::string> lines_around(std::span<const Event> events, size_t index);

}  // namespace zcrxlab
