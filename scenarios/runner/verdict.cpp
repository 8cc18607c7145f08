// Names causes in the order of their weight; judges negative controls.
#include "scenarios/runner/verdict.hpp"

#include <algorithm>
#include <cstdio>

#include "harness/base/slowness.hpp"
#include "harness/trace/trace.hpp"
#include "scenarios/runner/complaints.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kLinesBefore = 10;
constexpr size_t kLinesAfter = 4;
constexpr size_t kViolationsShown = 5;

void add_paragraph(std::string& text, const std::string& paragraph) {
    if (!text.empty()) text += '\n';
    text += paragraph;
}

// What went wrong with the process itself; empty if it came to its end.
std::string trouble_with(const ChildEnd& end, const TapeContents& tape, const Scenario& scenario) {
    const std::chrono::milliseconds bound = scaled(scenario.terms.time);
    std::string text;
    if (end.how != ChildEnd::How::kExited) {
        text = "The scenario " + describe(end, bound) + ".";
    } else if (!tape.finished && tape.failures.empty() && tape.skips.empty()) {
        text = "The scenario " + describe(end, bound) + " before its end.";
    } else if (end.code != 0 && tape.failures.empty()) {
        text = "The scenario came to its end and then " + describe(end, bound) + ".";
    }
    if (!text.empty() && !end.output.empty()) text += "\nIts last output:\n" + end.output;
    if (tape.events_lost > 0)
        add_paragraph(text, std::to_string(tape.events_lost) +
                                " events found no room in the trace, so it cannot be judged.");
    return text;
}

std::string sentence_for(const Violation& violation) {
    return name_of(violation.invariant) + " (" + promise_of(violation.invariant) +
           ") does not hold: " + violation.sentence;
}

std::string sentence_for(const KnownIssue& issue) {
    return "Known issue " + std::string(issue.id) + ": " + std::string(issue.sentence) +
           " (seen on " + std::string(issue.versions) + ").";
}

std::string sentences_for(const std::vector<Violation>& violations) {
    std::string text;
    for (size_t i = 0; i < violations.size() && i < kViolationsShown; ++i)
        add_paragraph(text, sentence_for(violations[i]));
    if (violations.size() > kViolationsShown)
        add_paragraph(text, "... and " + std::to_string(violations.size() - kViolationsShown) +
                                " more violations.");
    return text;
}

void judge_control(Invariant expected, const std::vector<Violation>& violations,
                   TestResult& result) {
    const auto differs = [&](const Violation& v) { return v.invariant != expected; };
    std::vector<Violation> others;
    std::copy_if(violations.begin(), violations.end(), std::back_inserter(others), differs);
    if (others.size() == violations.size()) {
        result.status = TestStatus::kFailed;
        add_paragraph(result.message, "Control not ok: " + name_of(expected) +
                                          " should have been violated and was not.");
    } else if (result.status == TestStatus::kPassed && others.empty()) {
        result.message = "Control ok: " + sentence_for(violations.front());
        return;
    }
    if (others.empty()) return;
    result.status = TestStatus::kFailed;
    add_paragraph(result.message,
                  "Control not ok: besides " + name_of(expected) + ", " + sentences_for(others));
}

// Everything that went wrong, as facts.
std::vector<ComplaintFacts> complaints_of(const TapeContents& tape, const std::string& trouble,
                                          const std::vector<Violation>& violations,
                                          std::span<const Event> events) {
    std::vector<ComplaintFacts> complaints = tape.failure_facts;
    complaints.resize(tape.failures.size());
    if (!trouble.empty()) complaints.emplace_back();
    for (const Violation& violation : violations) complaints.push_back(facts_of(violation, events));
    return complaints;
}

// In front of what was said about a failure, or, under an embargo, in its place.
std::string told_of(const KnownIssue& issue, const std::string& message) {
    if (!issue.embargoed) return sentence_for(issue) + "\n" + message;
    return sentence_for(issue) + " What the scenario met is in the logs of this run only.";
}

// Whether an embargo forbids to tell more of the result.
bool compare_with_known(std::span<const KnownIssue> issues, std::string_view target, bool ended,
                        const std::vector<ComplaintFacts>& complaints, TestResult& result) {
    if (result.status == TestStatus::kFailed) {
        const KnownIssue* issue = explain(issues, result.name, ended, complaints);
        if (issue == nullptr) return false;
        const bool known = shows(*issue, result.name);
        result.status = known ? TestStatus::kKnown : TestStatus::kBlocked;
        result.reference = issue->reference;
        result.message = (known ? "" : "Not judged. ") + told_of(*issue, result.message);
        return issue->embargoed;
    }
    if (result.status == TestStatus::kPassed) {
        bool embargoed = false;
        for (const KnownIssue* issue : due(issues, result.name, target)) {
            result.status = TestStatus::kFailed;
            embargoed = embargoed || issue->embargoed;
            add_paragraph(result.message,
                          "The known issue " + std::string(issue->id) + " (" + issue->reference +
                              ") does not show here any more. If it is fixed, its finding in "
                              "scenarios/known_issues has to say since when.");
        }
        return embargoed;
    }
    return false;
}

}  // namespace

TestResult judge(const Scenario& scenario, const ChildEnd& end, const TapeContents& tape,
                 std::span<const Event> events, const std::vector<Violation>& violations,
                 std::span<const KnownIssue> issues, std::string_view target) {
    TestResult result;
    result.name = scenario.name();
    result.status = TestStatus::kPassed;
    result.seconds = end.seconds;

    for (const std::string& failure : tape.failures) add_paragraph(result.message, failure);
    const std::string trouble = trouble_with(end, tape, scenario);
    if (!trouble.empty()) add_paragraph(result.message, trouble);
    if (!result.message.empty()) result.status = TestStatus::kFailed;

    if (scenario.terms.violates) {
        judge_control(*scenario.terms.violates, violations, result);
    } else if (!violations.empty()) {
        result.status = TestStatus::kFailed;
        add_paragraph(result.message, sentences_for(violations));
    }

    if (result.status == TestStatus::kPassed && !tape.skips.empty()) {
        result.status = TestStatus::kSkipped;
        result.message = tape.skips.front();
    }
    if (!scenario.terms.violates &&
        compare_with_known(issues, target, tape.finished,
                           complaints_of(tape, trouble, violations, events), result))
        return result;
    if (result.status == TestStatus::kFailed || result.status == TestStatus::kKnown ||
        result.status == TestStatus::kBlocked) {
        add_paragraph(result.message, "It claims: " + scenario.sentence + ".");
        if (!events.empty()) {
            const size_t at = violations.empty() ? events.size() - 1 : violations.front().event;
            result.trace = lines_around(events, at);
        }
    }
    return result;
}

namespace {

// Complaints about a result that was judged already: known if each of them is known of `test`.
void blame(std::string_view test, const std::vector<ComplaintFacts>& complaints,
           const std::string& paragraph, std::span<const KnownIssue> issues, TestResult& result) {
    const KnownIssue* issue = nullptr;
    const KnownIssue* embargoed = nullptr;
    bool known = true;
    for (const ComplaintFacts& complaint : complaints) {
        const KnownIssue* explains = explain(issues, test, true, std::span(&complaint, 1));
        known = known && explains != nullptr;
        if (issue == nullptr) issue = explains;
        if (explains != nullptr && explains->embargoed) embargoed = explains;
    }
    // Beside what nobody knows, all of it has to be told.
    const bool withheld = known && embargoed != nullptr;
    add_paragraph(result.message, withheld ? told_of(*embargoed, paragraph) : paragraph);
    if (!known) {
        result.status = TestStatus::kFailed;
        result.reference.clear();
    } else if (result.status == TestStatus::kPassed) {
        result.status = TestStatus::kKnown;
        result.reference = issue->reference;
        if (!withheld) result.message = told_of(*issue, result.message);
    }
}

}  // namespace

void blame_for_lost_memory(const std::vector<std::string>& objects, const std::string& since,
                           std::span<const KnownIssue> issues, TestResult& result) {
    if (objects.empty()) return;
    std::string text;
    std::vector<ComplaintFacts> complaints;
    for (const std::string& object : objects) {
        text += object;
        complaints.push_back(lost_object(object));
    }
    blame(result.name, complaints,
          name_of(Invariant::kI7) + " (" + promise_of(Invariant::kI7) +
              ") does not hold: memory was lost, here or in a scenario since " +
              (since.empty() ? "the run began" : since) + ":\n" + text,
          issues, result);
}

void blame_for_late_messages(std::string_view test, const std::vector<KernelMessage>& messages,
                             bool faults, std::span<const KnownIssue> issues, TestResult& result) {
    std::vector<Event> events;
    if (faults) events.push_back({0, FaultInjected{}});
    for (const KernelMessage& message : messages) events.push_back({0, message});
    std::vector<ComplaintFacts> complaints;
    std::string text = test == kFeatureProbe ? "Behind the feature probe:" : "Behind the scenario:";
    for (const Violation& violation : check_kernel_log(events)) {
        complaints.push_back(facts_of(violation, events));
        text += "\n" + sentence_for(violation);
    }
    if (complaints.empty()) return;
    blame(test, complaints, text, issues, result);
}

std::vector<std::string> lines_around(std::span<const Event> events, size_t index) {
    std::vector<std::string> lines;
    if (events.empty()) return lines;
    index = std::min(index, events.size() - 1);
    const size_t first = index > kLinesBefore ? index - kLinesBefore : 0;
    const size_t last = std::min(index + kLinesAfter, events.size() - 1);
    const uint64_t zero = events.front().nanoseconds;
    for (size_t i = first; i <= last; ++i) {
        char head[48];
        std::snprintf(
            head, sizeof(head), "%c %10.3f ms  ", i == index ? '>' : ' ',
            static_cast<double>(static_cast<int64_t>(events[i].nanoseconds - zero)) / 1e6);
        lines.push_back(head + describe(events[i]));
    }
    return lines;
}

}  // namespace zcrxlab
