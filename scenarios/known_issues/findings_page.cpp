// The findings as a page: those without a fix, those with one, and how many are embargoed.
#include "scenarios/known_issues/findings_page.hpp"

#include <algorithm>
#include <array>

#include "scenarios/contract/markdown.hpp"

namespace zcrxlab {
namespace {

constexpr std::string_view kFindingsOpening = R"(# Findings

<!-- generated from scenarios/known_issues; docs/README.md says how -->

What scenarios have found in kernels: what is promised, and what happens. For kernel developers.

The last column shows a finding: type it behind `vm/zcrxlab run --filter`. A failure of one of these
scenarios that has just the recorded facts is reported as `known`, never as passed; where it no longer
shows, that is a failure too, until a person has changed the record. What a finding ended before its claim
was judged is `blocked`. On a kernel in which the defect is fixed it has come back, and is a failure.
)";

constexpr std::string_view kOpen = R"(
## No fix is known

)";

constexpr std::string_view kFixed = R"(
## Fixed in later kernels

The scenario is `known` on the kernels of one column, and `passed` on those of the next:
`vm/zcrxlab run --kernel VERSION --filter ...`.

)";

constexpr std::string_view kEmbargoed = R"(
## Embargoed

)";

constexpr std::string_view kReporting = R"(
A finding is embargoed if somebody could do harm with it: a peer takes a machine down, memory is read
or written that should not be, one user reaches what is another's. It is reported before it is
published:

1. Tell nobody else. Put nothing of it into a commit, an issue, a mailing list or a public CI log.
2. Read `Documentation/process/security-bugs.rst` of the kernel. Write to the maintainers of the code
   and to security@kernel.org, in plain text.
3. Attach what they need to see it for themselves: `vm/zcrxlab repro LIST --as bundle` makes a folder
   with a C program, the kernel's configuration, the messages of the kernel, and a mail for those whom
   MAINTAINERS names (`--security yes`: for security@kernel.org). Send that mail to nobody else.
4. In this tree, give the finding the field `embargoed`. Remove the field when a fix is released.

Until then all that is made to be passed on says that there is an embargoed finding, and no more:

* these pages, and comments and names of files beside `scenarios/known_issues` and the scenario itself;
* `results.tap`, `results.xml` and `results.json` of a run, and the matrix made of them;
* the page of `vm/zcrxlab trace --html`, which names such a test and leaves its trace out;
* `vm/zcrxlab repro`, which makes nothing of a list that shows it, be it a C file, a script or a bundle,
  unless `--security yes` says that it is for those of step 2.

The terminal, and the logs and traces of a run (`console.log`, `kernel.log`, `trace.jsonl`, `ended.jsonl`,
`wire.pcap`), have all of it: whoever ran it has to see why it failed. They are passed on to nobody.
)";

constexpr auto kOpenTitles = std::to_array<std::string_view>(
    {"finding", "what is promised", "what happens, and where", "seen on", "shown by"});
constexpr auto kFixedTitles =
    std::to_array<std::string_view>({"finding", "what is promised", "what happens, and where",
                                     "fixed in", "fails on", "passes on", "shown by"});

std::string promise(const Finding& finding, std::span<const ContractRow> rows) {
    std::string text(finding.promised);
    for (const std::string_view id : finding.breaks) {
        const auto row = std::ranges::find(rows, id, &ContractRow::id);
        if (row == rows.end()) continue;
        if (!text.empty()) text += "; ";
        text += row->promise;
    }
    return as_cell(text);
}

std::string ways_to_show(const Finding& finding) {
    std::string text;
    for (const Shown& shown : finding.shown_by) {
        if (!text.empty()) text += ", ";
        const bool quoted = shown.filter.find('*') != std::string_view::npos;
        const std::string mark = quoted ? "'" : "";
        std::string command = mark + std::string(shown.filter) + mark;
        if (!shown.options.empty()) command += " " + std::string(shown.options);
        text += as_code_cell(command);
        if (!shown.remark.empty()) text += " (" + as_cell(shown.remark) + ")";
    }
    return text;
}

std::string what_happens(const Finding& finding, const std::string& where) {
    std::string text = std::string(finding.happens) + ". ";
    if (!finding.details.empty()) text += std::string(finding.details) + ". ";
    if (!finding.assumes.empty())
        text += "It rests on our device: " + std::string(finding.assumes) + ". ";
    return as_cell(text + "Where: " + where + ".");
}

std::string open_row(const Finding& finding, std::span<const ContractRow> rows) {
    std::string where(finding.source);
    if (!finding.fix.empty()) where += "; " + std::string(finding.fix);
    std::string seen(finding.seen_on);
    if (!finding.not_on.empty()) seen += " (" + std::string(finding.not_on) + " passes)";
    return table_row(std::to_array<std::string>({as_code_cell(finding.id), promise(finding, rows),
                                                 what_happens(finding, where), as_cell(seen),
                                                 ways_to_show(finding)}));
}

std::string fixed_row(const Finding& finding, std::span<const ContractRow> rows) {
    std::string fixed = fixes_of(finding);
    if (!finding.fix.empty()) fixed += " " + std::string(finding.fix);
    if (!finding.affected.empty()) fixed += "; affected: " + std::string(finding.affected);
    return table_row(std::to_array<std::string>({as_code_cell(finding.id), promise(finding, rows),
                                                 what_happens(finding, std::string(finding.source)),
                                                 as_cell(fixed), as_cell(finding.seen_on),
                                                 as_cell(finding.not_on), ways_to_show(finding)}));
}

}  // namespace

std::string findings_page(std::span<const Finding> findings, std::span<const ContractRow> rows) {
    std::string open;
    std::string fixed;
    size_t embargoed = 0;
    for (const Finding& finding : findings) {
        if (finding.embargoed)
            ++embargoed;
        else if (finding.fixed_in.empty())
            open += open_row(finding, rows);
        else
            fixed += fixed_row(finding, rows);
    }
    return std::string(kFindingsOpening) + std::string(kOpen) + table_head(kOpenTitles) + open +
           std::string(kFixed) + table_head(kFixedTitles) + fixed + std::string(kEmbargoed) +
           "Findings that are not shown here: " + std::to_string(embargoed) + ".\n" +
           std::string(kReporting);
}

SeenRed rows_seen_red(std::span<const Finding> findings, const Coverage& coverage) {
    SeenRed seen;
    for (const Finding& finding : findings) {
        if (finding.embargoed) continue;
        for (const std::string_view row : finding.breaks) {
            const auto claimants = coverage.scenarios_by_row.find(row);
            if (claimants == coverage.scenarios_by_row.end()) continue;
            const bool shown = std::ranges::any_of(finding.rules, [&](const Rule& rule) {
                return std::ranges::any_of(rule.tests, [&](std::string_view test) {
                    return std::ranges::find(claimants->second, test) != claimants->second.end();
                });
            });
            if (shown) seen.emplace(row, finding.id);
        }
    }
    return seen;
}

}  // namespace zcrxlab
