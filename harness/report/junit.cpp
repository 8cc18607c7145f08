// results.xml: JUnit, as GitLab, Jenkins and GitHub actions read it.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

std::string escaped(std::string_view text, bool attribute) {
    std::string xml;
    for (const char c : cleaned(text)) {
        switch (c) {
            case '&':
                xml += "&amp;";
                break;
            case '<':
                xml += "&lt;";
                break;
            case '>':
                xml += "&gt;";
                break;
            case '"':
                xml += attribute ? "&quot;" : "\"";
                break;
            // A parser turns plain ones in attributes into spaces.
            case '\n':
                xml += attribute ? "&#10;" : "\n";
                break;
            case '\t':
                xml += attribute ? "&#9;" : "\t";
                break;
            default:
                xml += c;
        }
    }
    return xml;
}

std::string attribute(std::string_view name, std::string_view value) {
    return fmt::format(" {}=\"{}\"", name, escaped(value, true));
}

double positive(double seconds) {
    return std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

// "Suite.Case" as classname and name; a name without a dot is its own class.
std::string names(const std::string& name) {
    const size_t dot = name.find('.');
    if (dot == std::string::npos) return attribute("classname", name) + attribute("name", name);
    return attribute("classname", name.substr(0, dot)) + attribute("name", name.substr(dot + 1));
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string problem(const char* element, const TestResult& test) {
    std::string body = test.message;
    for (const std::string& line : test.trace) body += "\n" + line;
    return fmt::format("      <{0}{1}>{2}</{0}>\n", element,
                       attribute("message", first_line(test.message)), escaped(body, false));
}

std::string outcome(const TestResult& test) {
    switch (test.status) {
        case TestStatus::kPassed:
            return "";
        case TestStatus::kFailed:
            return problem("failure", test);
        case TestStatus::kLost: {
            TestResult lost = test;
            if (lost.message.empty()) lost.message = "the guest never told the end of this test";
            return problem("error", lost);
        }
        case TestStatus::kSkipped:
            return fmt::format("      <skipped{}/>\n", attribute("message", test.message));
        case TestStatus::kKnown:
        case TestStatus::kBlocked:
            return fmt::format(
                "      <skipped{}/>\n",
                attribute("message", fmt::format("{}: {}: {}", name_of(test.status), test.reference,
                                                 first_line(test.message))));
    }
    return "";
}

}  // namespace

std::string to_junit(const RunSummary& run) {
    std::array<size_t, kTestStatuses> counts_by_status{};
    for (const TestResult& test : run.tests) ++counts_by_status[static_cast<size_t>(test.status)];
    const auto count = [&](TestStatus status) {
        return counts_by_status[static_cast<size_t>(status)];
    };
    // The numbers of a run fail on their own, even if every test passed.
    const size_t run_failures = run.unexpected.empty() ? 0 : 1;
    const size_t failures = count(TestStatus::kFailed) + run_failures;
    const size_t errors = count(TestStatus::kLost);
    // JUnit has no word for what failed as it had to, nor for what was not judged.
    const size_t skipped =
        count(TestStatus::kSkipped) + count(TestStatus::kKnown) + count(TestStatus::kBlocked);
    const size_t run_errors = run.ending == Ending::kFinished ? 0 : 1;
    const std::string counts =
        fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                    run.tests.size() + run_errors + run_failures, failures, errors + run_errors,
                    skipped, positive(run.seconds));

    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                      ">\n  <testsuite name=\"zcrxlab\"" + counts + ">\n    <properties>\n";
    const auto add_property = [&](std::string_view name, std::string_view value) {
        xml += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
    };
    add_property("kernel", run.kernel);
    add_property("nic", run.nic);
    add_property("seed", std::to_string(run.seed));
    for (const auto& [name, value] : run.properties) add_property(name, value);
    add_property("known", std::to_string(count(TestStatus::kKnown)));
    add_property("blocked", std::to_string(count(TestStatus::kBlocked)));
    xml += "    </properties>\n";
    for (const TestResult& test : run.tests) {
        xml += fmt::format("    <testcase{} time=\"{:.3f}\"", names(test.name),
                           positive(test.seconds));
        const std::string inside = outcome(test);
        xml += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
    }
    if (run_failures > 0)
        xml += "    <testcase classname=\"run\" name=\"counts\" time=\"0.000\">\n      <failure" +
               attribute("message", run.unexpected) + "/>\n    </testcase>\n";
    // A run that did not finish is an error of its own, even if every test that ended passed.
    if (run_errors > 0)
        xml += "    <testcase classname=\"run\" name=\"guest\" time=\"0.000\">\n      <error" +
               attribute("message", run.ending_message) + "/>\n    </testcase>\n";
    if (!run.console.empty())
        xml += "    <system-out>" + escaped(run.console, false) + "</system-out>\n";
    return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace zcrxlab
