// Writes what became of mistakes as one HTML page.
#include "results/coverage/mutation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/lines.hpp"
#include "kernels/c_source/functions.hpp"
#include "results/coverage/page_parts.hpp"

namespace zcrxlab {
namespace {

// So many scenarios stand beside a line; the others stand below it.
constexpr size_t kBesideALine = 3;

constexpr const char* kMore = R"(<style>
:root { --aside: #59636e; --aside-back: #e6eaef; }
@media (prefers-color-scheme: dark) { :root { --aside: #9198a1; --aside-back: #262c36; } }
.aside { color: var(--aside); background: var(--aside-back); }
pre span.run, pre span.part, pre span.never, pre span.aside { color: inherit; }
pre span.run { background: var(--passed-back); }
pre i { color: var(--quiet); padding-left: 2em; }
pre span.run i { color: var(--passed); }
pre span.part i { color: var(--known); }
pre span.never i { color: var(--failed); }
ul.mistakes { list-style: none; padding: 0; }
ul.mistakes li { padding: 4px 0; }
</style>
)";

// By line of a source, in their order.
using ByLine = std::map<uint32_t, std::vector<const Attempt*>>;

std::string_view class_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::kSetAside:
            return "aside";
        case Outcome::kNoticed:
            return "run";
        case Outcome::kNotTried:
        case Outcome::kAtTimes:
            return "part";
        case Outcome::kNotNoticed:
            return "never";
    }
    return {};
}

std::vector<Attempt> copies(const std::vector<const Attempt*>& attempts) {
    std::vector<Attempt> all;
    for (const Attempt* attempt : attempts) all.push_back(*attempt);
    return all;
}

Outcome worst_of(const std::vector<const Attempt*>& attempts) {
    Outcome worst = Outcome::kSetAside;
    for (const Attempt* attempt : attempts) worst = std::max(worst, outcome_of(*attempt));
    return worst;
}

// The scenarios that noticed something, and what nobody noticed.
std::string beside(const std::vector<const Attempt*>& attempts) {
    std::set<std::string> tests, missed;
    for (const Attempt* attempt : attempts) {
        const Outcome outcome = outcome_of(*attempt);
        if (outcome == Outcome::kNoticed)
            tests.insert(attempt->verdict.test.empty() ? "the guest" : attempt->verdict.test);
        if (outcome == Outcome::kNotNoticed || outcome == Outcome::kAtTimes)
            missed.insert(fmt::format("{}: {}", name_of(outcome), attempt->rule));
    }
    std::string text;
    for (const std::string& one : missed) text += (text.empty() ? "" : ", ") + one;
    size_t said = 0;
    for (const std::string& one : tests) {
        if (said == kBesideALine) return text + fmt::format(", {} more", tests.size() - said);
        ++said;
        text += (text.empty() ? "" : ", ") + one;
    }
    return text;
}

std::string line_html(const ByLine& by_line, uint32_t number, std::string_view text) {
    const auto found = by_line.find(number);
    if (found == by_line.end())
        return fmt::format("<span class=none><b>{:>5} {:>5} </b>{}</span>", number, "",
                           escaped(text));
    const MutationScore score = score_of(copies(found->second));
    const std::string count =
        score.tried == 0 ? "-" : fmt::format("{}/{}", score.noticed, score.tried);
    return fmt::format("<span class={}><b>{:>5} {:>5} </b>{}<i>{}</i></span>",
                       class_of(worst_of(found->second)), number, count, escaped(text),
                       escaped(beside(found->second)));
}

// "f:12: ... in f: "a" becomes "b"" without what the list says anyway.
std::string_view change_of(const Attempt& attempt) {
    const std::string_view title = attempt.title;
    const size_t colon = title.find(": \"");
    return colon == std::string_view::npos ? title : title.substr(colon + 2);
}

std::string mistake_html(const Attempt& attempt) {
    const Outcome outcome = outcome_of(attempt);
    const std::string who = who_noticed(attempt);
    return fmt::format(
        "<li id=\"{}\"><span class=\"state {}\">{}</span> line {}, {}: {}<br><span "
        "class=quiet>{}{} <code>{}.patch</code></span></li>\n",
        anchor(attempt.source + "-" + attempt.name), class_of(outcome), name_of(outcome),
        attempt.line, escaped(attempt.rule), escaped(change_of(attempt)),
        outcome == Outcome::kNoticed ? "by " : "", escaped(who), escaped(attempt.name));
}

std::string function_html(const std::string& path, const std::vector<std::string_view>& lines,
                          const SourceFunction& function, const ByLine& by_line) {
    std::vector<const Attempt*> within;
    for (auto line = by_line.lower_bound(function.first_line);
         line != by_line.end() && line->first <= function.last_line; ++line)
        within.insert(within.end(), line->second.begin(), line->second.end());
    if (within.empty()) return {};
    const Outcome worst = worst_of(within);
    std::string html = fmt::format(
        "<details id=\"{}\"><summary><span class=\"state {}\">{}</span> {} <span "
        "class=quiet>{}</span></summary>\n<pre tabindex=0>",
        anchor(path + "-" + function.name), class_of(worst), name_of(worst), escaped(function.name),
        to_text(score_of(copies(within))));
    for (uint32_t number = function.first_line; number <= function.last_line; ++number)
        html += line_html(by_line, number, lines.at(number - 1));
    html += "</pre>\n<ul class=mistakes>\n";
    for (const Attempt* attempt : within) html += mistake_html(*attempt);
    return html + "</ul></details>\n";
}

std::string source_html(const MutationReport& report, const std::string& path,
                        const std::string& text) {
    ByLine by_line;
    for (const Attempt& attempt : report.attempts)
        if (attempt.source == path) by_line[attempt.line].push_back(&attempt);
    const std::vector<std::string_view> lines = lines_of(text);
    std::string html = fmt::format("<h2 id=\"{}\">{}</h2>\n", anchor(path), escaped(path));
    for (const SourceFunction& function : functions_of(text))
        html += function_html(path, lines, function, by_line);
    return html;
}

std::string row_html(std::string_view name, const std::vector<Attempt>& attempts) {
    const MutationScore score = score_of(attempts);
    return fmt::format("<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
                       escaped(name), score.tried, score.noticed, score.at_times,
                       score.tried - score.noticed - score.at_times, score.set_aside,
                       score.not_tried);
}

std::string table_html(const MutationReport& report) {
    std::map<std::string, std::vector<Attempt>> by_rule;
    for (const Attempt& attempt : report.attempts) by_rule[attempt.rule].push_back(attempt);
    std::string html =
        "<div class=scroll><table><thead><tr><th scope=col>rule<th>tried<th>noticed<th>at "
        "times<th>not noticed<th>set aside<th>not tried</tr></thead><tbody>\n";
    for (const auto& [rule, attempts] : by_rule) html += row_html(rule, attempts);
    return html + row_html("all", report.attempts) + "</tbody></table></div>\n";
}

}  // namespace

std::string to_page(const MutationReport& report) {
    std::string page(page_head());
    page += kMore;
    page += fmt::format(
        "<title>Mistakes in the kernel</title></head><body><header><h1>Mistakes in the kernel: "
        "{}</h1>\n<p class=quiet>{}</p>\n",
        to_text(score_of(report.attempts)), escaped(report.terms));
    page +=
        "<p class=quiet>Each is one small change. Beside a source line stand its number, how many "
        "of the mistakes on it were noticed, and who noticed; its colour is that of the worst: "
        "<span class=\"state run\">noticed</span> <span class=\"state part\">at times</span> <span "
        "class=\"state never\">not noticed</span> <span class=\"state aside\">set aside</span>."
        "</p></header>\n<main>\n";
    page += table_html(report);
    if (!report.misfits.empty()) {
        page += "<h2>What was set aside by hand and does not fit</h2>\n<ul>\n";
        for (const std::string& misfit : report.misfits)
            page += fmt::format("<li>{}</li>\n", escaped(misfit));
        page += "</ul>\n";
    }
    for (const auto& [path, text] : report.sources) page += source_html(report, path, text);
    return page + "</main></body></html>\n";
}

}  // namespace zcrxlab
