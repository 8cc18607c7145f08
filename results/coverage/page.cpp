// Writes coverage as one HTML page.
#include <fmt/format.h>

#include <algorithm>

#include "results/coverage/page_parts.hpp"
#include "results/coverage/report.hpp"

namespace zcrxlab {
namespace {

std::string_view class_of(const Tally& tally) {
    if (tally.lines_run == 0) return "never";
    return tally.whole() ? "run" : "part";
}

// At most five characters.
std::string short_count(uint64_t count) {
    if (count < 100'000) return std::to_string(count);
    if (count < 100'000'000) return fmt::format("{}k", count / 1000);
    return fmt::format("{}M", std::min<uint64_t>(count / 1'000'000, 9999));
}

// The signs of the suites beside the first, each by the first letter of its name.
std::string signs_at(const CoverageReport& report, const std::string& path, uint32_t number) {
    std::string signs;
    for (size_t i = 1; i < report.columns.size(); ++i) {
        const auto file = report.columns[i].coverage.find(path);
        bool run = false;
        if (file != report.columns[i].coverage.end()) {
            const auto line = file->second.lines.find(number);
            run = line != file->second.lines.end() && line->second.count > 0;
        }
        signs += run && !report.columns[i].name.empty() ? report.columns[i].name[0] : ' ';
    }
    return signs;
}

std::string line_html(const CoverageReport& report, const std::string& path,
                      const FileCoverage& file, uint32_t number, std::string_view text) {
    const size_t signs = report.columns.size() - 1;
    const auto found = file.lines.find(number);
    if (found == file.lines.end())
        return fmt::format("<span class=none><b>{:>5} {:>5} {:>{}} {:>5} </b>{}</span>", number, "",
                           "", signs, "", escaped(text));
    Tally tally;
    tally.add(found->second);
    const bool run = tally.lines_run > 0;
    const std::string branches =
        tally.branches == 0 ? "" : fmt::format("{}/{}", tally.branches_taken, tally.branches);
    const std::string_view state = !run                                    ? "never"
                                   : tally.branches_taken < tally.branches ? "part"
                                                                           : "run";
    return fmt::format("<span class={}><b>{:>5} {:>5} {} {:>5} </b>{}</span>", state, number,
                       short_count(found->second.count), escaped(signs_at(report, path, number)),
                       branches, escaped(text));
}

// The lines of a function out of its source.
std::string listing(const CoverageReport& report, const std::string& path, const FileCoverage& file,
                    const FunctionCoverage& function) {
    const auto source = report.sources.find(path);
    if (source == report.sources.end()) return "<p>The source is not at hand.</p>\n";
    std::string html = "<pre tabindex=0>";
    std::string_view rest = source->second;
    for (uint32_t number = 1; !rest.empty() && number <= function.last_line; ++number) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        if (number >= function.first_line)
            html += line_html(report, path, file, number, rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return html + "</pre>\n";
}

std::string cells(const Tally& tally, const Tally& whole) {
    return fmt::format("<td>{:.1f} %<td>{:.1f} %", percent(tally.lines_run, whole.lines),
                       percent(tally.branches_taken, whole.branches));
}

std::string table_html(const CoverageReport& report) {
    const std::vector<CoverageColumn> columns = table_columns(report);
    std::string html =
        "<div class=scroll><table><thead><tr><th scope=col>source<th>lines<th>branches";
    for (const CoverageColumn& column : columns)
        html += fmt::format("<th scope=col colspan=2>{}", escaped(column.name));
    html += "</tr><tr><th><th><th>";
    for (size_t i = 0; i < columns.size(); ++i) html += "<th>lines<th>branches";
    html += "</tr></thead><tbody>\n";
    for (const auto& [path, file] : report.columns.front().coverage) {
        const Tally whole = file.tally();
        html += fmt::format("<tr><th scope=row><a href=\"#{}\" title=\"{}\">{}</a><td>{}<td>{}",
                            anchor(path), escaped(path), escaped(path.substr(path.rfind('/') + 1)),
                            whole.lines, whole.branches);
        for (const CoverageColumn& column : columns) {
            const auto other = column.coverage.find(path);
            html += cells(other == column.coverage.end() ? Tally() : other->second.tally(), whole);
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string function_html(const CoverageReport& report, const std::string& path,
                          const FileCoverage& file, const FunctionCoverage& function) {
    const Tally whole = file.tally(function);
    std::string others;
    for (size_t i = 1; i < report.columns.size(); ++i) {
        const auto other = report.columns[i].coverage.find(path);
        const Tally tally =
            other == report.columns[i].coverage.end() ? Tally() : other->second.tally(function);
        others += fmt::format("; {} {:.0f} %", escaped(report.columns[i].name),
                              percent(tally.lines_run, whole.lines));
    }
    std::string html = fmt::format(
        "<details id=\"{}\"><summary><span class=\"state {}\">{:.0f} %</span> {} <span "
        "class=quiet>{} of {} lines, {} of {} branches{}</span></summary>\n",
        anchor(path + "-" + function.name), class_of(whole), percent(whole.lines_run, whole.lines),
        escaped(function.name), whole.lines_run, whole.lines, whole.branches_taken, whole.branches,
        others);
    const auto reason = report.reasons.find({path, function.name});
    if (reason != report.reasons.end() && !whole.whole())
        html += fmt::format("<p>Not wholly run: {}</p>\n", escaped(reason->second));
    return html + listing(report, path, file, function) + "</details>\n";
}

std::string file_html(const CoverageReport& report, const std::string& path,
                      const FileCoverage& file) {
    std::vector<const FunctionCoverage*> functions;
    for (const auto& [name, function] : file.functions) functions.push_back(&function);
    std::ranges::sort(functions, {}, &FunctionCoverage::first_line);
    std::string html = fmt::format("<h2 id=\"{}\">{}</h2>\n", anchor(path), escaped(path));
    for (const FunctionCoverage* function : functions)
        html += function_html(report, path, file, *function);
    return html;
}

}  // namespace

std::string to_page(const CoverageReport& report) {
    const std::string title = escaped("Coverage of " + report.kernel);
    std::string page(page_head());
    page += fmt::format("<title>{0}</title></head><body><header><h1>{0}</h1>\n", title);
    page +=
        "<p class=quiet>Which lines and branches were run, from power-on to the end; in the table "
        "lines, then branches. Beside a source line stand its number, how often the suite ran it, "
        "who else ran it at all, and how many of its branches were taken.";
    for (size_t i = 1; i < report.columns.size(); ++i)
        if (!report.columns[i].name.empty())
            page += fmt::format(" {}: {}.", escaped(report.columns[i].name.substr(0, 1)),
                                escaped(report.columns[i].name));
    page += "</p></header>\n<main>\n" + table_html(report);
    if (!report.misfits.empty()) {
        page += "<h2>Reasons that do not fit</h2>\n<ul>\n";
        for (const std::string& misfit : report.misfits)
            page += fmt::format("<li>{}</li>\n", escaped(misfit));
        page += "</ul>\n";
    }
    for (const auto& [path, file] : report.columns.front().coverage)
        page += file_html(report, path, file);
    return page + "</main></body></html>\n";
}

}  // namespace zcrxlab
