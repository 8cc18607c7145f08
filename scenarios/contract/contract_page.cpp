// The contract as a page: a table for each chapter.
#include "scenarios/contract/contract_page.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/contract/markdown.hpp"
#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {
namespace {

constexpr std::string_view kOpening = R"(# The contract

<!-- generated from scenarios/contract; docs/README.md says how -->

What the kernel promises of io_uring zero-copy receive, one promise a row. For kernel developers, and
for everybody who wants to know what may be relied on. A source without a folder is below `io_uring/`,
`net/` or `drivers/net/` of Linux 7.3; `iou-zcrx.rst` is in `Documentation/networking/`.

A scenario claims the promises that it asserts: it fails where one of them does not hold. `NAME/*`
stands for rows of a table of scenarios, with their number. `vm/zcrxlab run --filter NAME` runs them; a
run without a filter leaves out those on request, which take long or want a guest for themselves. What
does not hold on which kernel is in [findings.md](findings.md).

A claim that cannot fail proves nothing. The last column names what a scenario that claims the promise was
seen to fail with: a mistake put into the kernel ([kernel.md](kernel.md#mistakes-in-the-kernel)), one of the
emulated NIC ([device.md](device.md#mistakes-of-the-device)), a negative control, or a
[finding](findings.md) in a kernel as it was released. "Beyond reach" says why there is none that we can
make.
)";

constexpr auto kTitles = std::to_array<std::string_view>(
    {"identifier", "what is promised", "source", "claimed by", "seen red by"});

std::string_view chapter_of(std::string_view id) {
    return id.substr(0, id.find('.'));
}

bool is_among(std::string_view scenario, std::span<const std::string> names) {
    return std::ranges::any_of(names, [scenario](std::string_view name) {
        return name.ends_with('*') ? scenario.starts_with(name.substr(0, name.size() - 1))
                                   : scenario == name;
    });
}

bool runs_on_request(std::string_view scenario) {
    const Chapter* chapter = find_chapter(chapter_of(scenario));
    return chapter != nullptr && chapter->on_request;
}

// "`a.b/x`", or "`a.b/*` (3)" for three rows of one table; in the order of the scenarios.
std::string claimants(std::span<const std::string> scenarios,
                      std::span<const std::string> unnamed) {
    struct Table {
        std::string name;
        std::string only;
        size_t rows = 0;
    };
    std::vector<Table> tables;
    for (const std::string& scenario : scenarios) {
        if (is_among(scenario, unnamed)) continue;
        const std::string name = scenario.substr(0, scenario.find('/'));
        auto table = std::ranges::find(tables, name, &Table::name);
        if (table == tables.end()) table = tables.insert(tables.end(), {name, scenario});
        ++table->rows;
    }
    std::string text;
    for (const Table& table : tables) {
        if (!text.empty()) text += ", ";
        text += table.rows == 1
                    ? as_code_cell(table.only)
                    : as_code_cell(table.name + "/*") + " (" + std::to_string(table.rows) + ")";
        if (runs_on_request(table.name)) text += " (on request)";
    }
    return text;
}

// The mistake of the row, and the findings; or why there is none.
std::string seen_red_by(const ContractRow& row, const SeenRed& seen_red) {
    std::string text = row.seen_red_by.empty() ? "" : as_code_cell(row.seen_red_by);
    const auto [first, last] = seen_red.equal_range(row.id);
    for (auto found = first; found != last; ++found)
        text += (text.empty() ? "" : ", ") + as_code_cell(found->second);
    if (text.empty() && !row.beyond_reach.empty())
        text = "beyond reach: " + as_cell(row.beyond_reach);
    return text;
}

// "Seen red: 3; beyond reach: 1; neither: 2."
std::string sums(std::span<const ContractRow> rows, const SeenRed& seen_red) {
    size_t red = 0, beyond = 0;
    for (const ContractRow& row : rows) {
        if (!row.seen_red_by.empty() || seen_red.contains(row.id))
            ++red;
        else if (!row.beyond_reach.empty())
            ++beyond;
    }
    return "Seen red: " + std::to_string(red) + "; beyond reach: " + std::to_string(beyond) +
           "; neither: " + std::to_string(rows.size() - red - beyond) + ".\n";
}

}  // namespace

std::string contract_page(std::span<const ContractRow> rows, const Coverage& coverage,
                          const SeenRed& seen_red, std::span<const std::string> unnamed) {
    std::string page(kOpening);
    page += "\nThere are " + std::to_string(rows.size()) + " promises; scenarios claim " +
            std::to_string(coverage.claimed) + " of them. " + sums(rows, seen_red);
    std::string_view chapter;
    for (const ContractRow& row : rows) {
        if (chapter_of(row.id) != chapter) {
            chapter = chapter_of(row.id);
            page += "\n## " + as_cell(chapter) + "\n\n" + table_head(kTitles);
        }
        page += table_row(std::to_array<std::string>(
            {as_code_cell(row.id), as_cell(row.promise), as_code_cell(row.source),
             claimants(coverage.scenarios_by_row.at(row.id), unnamed),
             seen_red_by(row, seen_red)}));
    }
    return page;
}

}  // namespace zcrxlab
