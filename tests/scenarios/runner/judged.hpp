// judged: a scenario that left these complaints behind, judged as the runner does it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/known_issues/known_issues.hpp"
#include "scenarios/runner/complaints.hpp"
#include "scenarios/runner/verdict.hpp"

namespace zcrxlab {

inline Scenario named(std::string_view name) {
    Scenario scenario;
    scenario.chapter = name.substr(0, name.find('.'));
    scenario.test = name.substr(name.find('.') + 1);
    scenario.sentence = "a flush takes all";
    return scenario;
}

inline ComplaintFacts check(std::string subject) {
    return {.kind = ComplaintKind::kCheck, .subject = std::move(subject)};
}

struct Seen {
    std::vector<ComplaintFacts> failures = {};
    bool finished = true;
    std::vector<Violation> violations = {};
    std::vector<Event> events = {{1, Note{"something"}}};
};

inline TestResult judged(std::string_view name, const Seen& seen,
                         std::span<const KnownIssue> issues, std::string_view target = "gve") {
    TapeContents tape;
    tape.finished = seen.finished;
    for (const ComplaintFacts& facts : seen.failures) {
        tape.failures.push_back("x.cpp:1: " + facts.subject);
        tape.failure_facts.push_back(facts);
    }
    ChildEnd end;
    end.code = seen.failures.empty() ? 0 : 1;
    return judge(named(name), end, tape, seen.events, seen.violations, issues, target);
}

}  // namespace zcrxlab
