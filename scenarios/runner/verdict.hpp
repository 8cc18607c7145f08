// Verdict: what a scenario's end, its checks and the oracle's findings amount to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/oracle.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/tape.hpp"
#include "scenarios/known_issues/known_issues.hpp"
#include "scenarios/runner/child.hpp"
#include "scenarios/runner/report_sink.hpp"

namespace zcrxlab {

// `events` is the whole trace, with what was observed from outside. A negative control passes if
// exactly its invariant is violated and nothing else went wrong. A failure of which every complaint
// has the facts of one of `issues` is known, or blocked if that issue only stands in the scenario's
// way; a pass where an issue has to be seen on `target` is a failure. Without `target` none has to.
TestResult judge(const Scenario& scenario, const ChildEnd& end, const TapeContents& tape,
                 std::span<const Event> events, const std::vector<Violation>& violations,
                 std::span<const KnownIssue> issues = {}, std::string_view target = {});

// Memory that the kernel has lost, a text for each object, is a complaint about `result`, the last
// of the scenarios that ran since the one named `since` (empty: since the run began); known if each
// object has the symptom of one of `issues`.
void blame_for_lost_memory(const std::vector<std::string>& objects, const std::string& since,
                           std::span<const KnownIssue> issues, TestResult& result);

// What the kernel said between the end of a scenario and the next one is a complaint about the
// former, `result`, if it breaks I7; known if each of the messages has the symptom of one of
// `issues` in `test`: the scenario, or kFeatureProbe if nothing but that has run. `faults`: the
// scenario had put some into the device.
void blame_for_late_messages(std::string_view test, const std::vector<KernelMessage>& messages,
                             bool faults, std::span<const KnownIssue> issues, TestResult& result);

// Sentences around the event at `index`, which is marked with '>'.
std::vector<std::string> lines_around(std::span<const Event> events, size_t index);

}  // namespace zcrxlab
