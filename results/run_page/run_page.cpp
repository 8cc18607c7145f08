// Failures first, in full; then a row for each test.
#include "results/run_page/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "results/page/html.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kStyle = R"(body { max-width: 1000px; }
p { margin: 6px 0; }
.links a { margin-right: 14px; display: inline-block; }
.state { white-space: nowrap; }
.passed { color: var(--passed); background: var(--passed-back); }
.failed, .lost { color: var(--failed); background: var(--failed-back); font-weight: 600; }
.known, .blocked { color: var(--known); background: var(--known-back); }
.skipped { color: var(--none); background: var(--none-back); }
section { border-top: 1px solid var(--line); padding: 8px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 6px; text-align: left; vertical-align: top; }
td.seconds { text-align: right; white-space: nowrap; color: var(--quiet); }
pre {
  background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 8px;
  margin: 6px 0; white-space: pre-wrap; font: 12.5px/1.4 ui-monospace, monospace;
}
)";

std::string text(std::string_view words) {
    return escaped(cleaned(words));
}

std::string state(TestStatus status) {
    return fmt::format("<span class=\"state {0}\">{0}</span>", name_of(status));
}

std::string property_of(const RunSummary& run, std::string_view name) {
    const auto found = std::ranges::find(
        run.properties, name, [](const auto& pair) { return std::string_view(pair.first); });
    return found == run.properties.end() ? std::string() : found->second;
}

// Empty where the run does not say how.
std::string command_of(const RunSummary& run, const TestResult& test) {
    std::string command = property_of(run, kAgain);
    const size_t at = command.find(kAgainTest);
    if (at == std::string::npos) return {};
    // A situation of "conform" is chosen by its own name.
    const bool situation = test.name.starts_with("conform.");
    return command.replace(at, kAgainTest.size(),
                           situation ? test.name.substr(test.name.find('.') + 1) : test.name);
}

std::string lines_of(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

bool is_bad(TestStatus status) {
    return status == TestStatus::kFailed || status == TestStatus::kLost;
}

std::string section_of(const RunSummary& run, const TestResult& test) {
    std::string html =
        fmt::format("<section><h2>{} {}</h2>\n", state(test.status), text(test.name));
    if (!test.message.empty()) html += fmt::format("<p>{}</p>\n", text(test.message));
    if (!test.reference.empty() && test.reference != test.message)
        html += fmt::format("<p class=\"quiet\">{}</p>\n", text(test.reference));
    if (const std::string command = command_of(run, test); !command.empty())
        html += fmt::format("<p>Again:</p><pre class=\"command\">{}</pre>\n", text(command));
    if (!test.trace.empty())
        html += fmt::format(
            "<details><summary>What happened around it</summary><pre>{}</pre>"
            "</details>\n",
            text(lines_of(test.trace)));
    return html + "</section>\n";
}

std::string row_of(const TestResult& test) {
    const std::string& why = test.message.empty() ? test.reference : test.message;
    return fmt::format("<tr><td>{}</td><td>{}{}</td><td class=\"seconds\">{:.2f} s</td></tr>\n",
                       state(test.status), text(test.name),
                       why.empty() || is_bad(test.status)
                           ? std::string()
                           : fmt::format("<br><span class=\"quiet\">{}</span>", text(why)),
                       test.seconds);
}

std::string counts_of(const RunSummary& run) {
    constexpr std::array kOrder{TestStatus::kFailed, TestStatus::kLost,    TestStatus::kBlocked,
                                TestStatus::kKnown,  TestStatus::kSkipped, TestStatus::kPassed};
    std::string html;
    for (const TestStatus status : kOrder)
        if (const auto count = std::ranges::count(run.tests, status, &TestResult::status))
            html +=
                fmt::format("<span class=\"state {0}\">{1} {0}</span>\n", name_of(status), count);
    return html;
}

}  // namespace

std::string run_page(const RunSummary& run, const std::vector<PageLink>& links) {
    const std::string title =
        fmt::format("{} tests on {}, {}", run.tests.size(), run.nic, run.kernel);
    std::string html = head_without_script(kStyle);
    html += fmt::format("<title>{}</title></head>\n<body>\n<header><h1>{}</h1>\n", text(title),
                        text(title));
    html += fmt::format("<p class=\"quiet\">seed {}, {:.1f} s, {}</p>\n<p>{}</p>\n", run.seed,
                        run.seconds, name_of(run.ending), counts_of(run));
    for (const std::string* sentence : {&run.ending_message, &run.unexpected})
        if (!sentence->empty())
            html += fmt::format("<p class=\"state failed\" style=\"white-space:normal\">{}</p>\n",
                                text(*sentence));
    if (!links.empty()) {
        html += "<p class=\"links\">";
        for (const PageLink& link : links)
            html += fmt::format("<a href=\"{}\">{}</a>", escaped(link.address), text(link.name));
        html += "</p>\n";
    }
    html += "</header>\n<main>\n";
    for (const TestResult& test : run.tests)
        if (is_bad(test.status)) html += section_of(run, test);
    html += "<h2>All tests</h2>\n<table><tbody>\n";
    for (const TestResult& test : run.tests) html += row_of(test);
    html += "</tbody></table>\n";
    if (!run.console.empty() && run.ending != Ending::kFinished)
        html += fmt::format("<h2>Last lines of the console</h2><pre>{}</pre>\n", text(run.console));
    return html + "</main>\n</body></html>\n";
}

}  // namespace zcrxlab
