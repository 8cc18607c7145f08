// Writes coverage as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/coverage/report.hpp"

namespace zcrxlab {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t kNameWidth = 54;
constexpr size_t kColumnWidth = 18;

// The same file or function, in the words of another column; nothing of it was run if it is absent.
Tally tally_of(const Coverage& coverage, const std::string& path) {
    const auto file = coverage.find(path);
    return file == coverage.end() ? Tally() : file->second.tally();
}

Tally tally_of(const Coverage& coverage, const std::string& path,
               const FunctionCoverage& function) {
    const auto file = coverage.find(path);
    return file == coverage.end() ? Tally() : file->second.tally(function);
}

std::string row_of(const std::string& path, const Tally& whole,
                   const std::vector<CoverageColumn>& columns) {
    std::string row =
        fmt::format("{:<{}} {:>5} {:>8} ", path, kNameWidth, whole.lines, whole.branches);
    for (const CoverageColumn& column : columns) {
        const Tally tally = tally_of(column.coverage, path);
        row += fmt::format("{:>{}}",
                           fmt::format("{:.1f} % {:.1f} %", percent(tally.lines_run, whole.lines),
                                       percent(tally.branches_taken, whole.branches)),
                           kColumnWidth);
    }
    return row + "\n";
}

std::string functions_text(const CoverageReport& report, const std::string& path,
                           const FileCoverage& file) {
    // A driver without a device.
    if (file.tally().lines_run == 0) return fmt::format("\nnothing was run in {}\n", path);
    std::vector<const FunctionCoverage*> functions;
    for (const auto& [name, function] : file.functions)
        if (!file.tally(function).whole()) functions.push_back(&function);
    if (functions.empty()) return {};
    std::ranges::sort(functions, {}, &FunctionCoverage::first_line);
    std::string text = fmt::format("\nnot wholly run in {}:\n", path);
    for (const FunctionCoverage* function : functions) {
        const Tally tally = file.tally(*function);
        text += fmt::format("  {}: {} of {} lines never run ({})\n", function->name,
                            tally.lines - tally.lines_run, tally.lines,
                            lines_never_run(file, *function));
        const auto reason = report.reasons.find({path, function->name});
        if (reason != report.reasons.end()) text += fmt::format("      {}\n", reason->second);
    }
    return text;
}

OrderedJson json_of(const Tally& tally) {
    return {{"lines", tally.lines_run}, {"branches", tally.branches_taken}};
}

OrderedJson function_json(const CoverageReport& report, const std::string& path,
                          const FileCoverage& file, const FunctionCoverage& function) {
    const Tally whole = file.tally(function);
    OrderedJson suites = OrderedJson::object();
    for (const CoverageColumn& column : report.columns)
        suites[column.name] = json_of(tally_of(column.coverage, path, function));
    const auto reason = report.reasons.find({path, function.name});
    return {{"name", function.name},
            {"line", function.first_line},
            {"lines", whole.lines},
            {"branches", whole.branches},
            {"calls", function.calls},
            {"suites", std::move(suites)},
            {"never_run", lines_never_run(file, function)},
            {"reason", reason == report.reasons.end() ? "" : reason->second}};
}

}  // namespace

double percent(uint32_t part, uint32_t whole) {
    return whole == 0 ? 100.0 : 100.0 * part / whole;
}

std::vector<CoverageColumn> suite_columns(std::vector<CoverageColumn> nics) {
    CoverageColumn suite{"suite", {}};
    for (CoverageColumn& nic : nics) {
        add(suite.coverage, nic.coverage);
        nic.is_part_of_first = true;
    }
    if (nics.size() == 1) nics.clear();
    nics.insert(nics.begin(), std::move(suite));
    return nics;
}

std::vector<CoverageColumn> table_columns(const CoverageReport& report) {
    std::vector<CoverageColumn> columns = report.columns;
    CoverageColumn together;
    size_t others = 0;
    for (size_t i = 1; i < report.columns.size(); ++i) {
        if (report.columns[i].is_part_of_first) continue;
        together.name += (others++ == 0 ? "" : "+") + report.columns[i].name;
        add(together.coverage, report.columns[i].coverage);
    }
    if (others > 1) columns.push_back(std::move(together));
    return columns;
}

std::string to_text(const CoverageReport& report) {
    const std::vector<CoverageColumn> columns = table_columns(report);
    const Coverage& first = report.columns.front().coverage;
    std::string text =
        fmt::format("{:<{}} {:>5} {:>8} ", "lines, then branches", kNameWidth, "lines", "branches");
    for (const CoverageColumn& column : columns)
        text += fmt::format("{:>{}}", column.name, kColumnWidth);
    text += "\n";
    for (const auto& [path, file] : first) text += row_of(path, file.tally(), columns);
    for (const auto& [path, file] : first) text += functions_text(report, path, file);
    if (!report.misfits.empty()) text += "\nkernel-config/coverage.unreached does not fit:\n";
    for (const std::string& misfit : report.misfits) text += "  " + misfit + "\n";
    return text;
}

std::string to_json(const CoverageReport& report) {
    OrderedJson files = OrderedJson::array(), suites = OrderedJson::array();
    for (const CoverageColumn& column : report.columns) suites.push_back(column.name);
    for (const auto& [path, file] : report.columns.front().coverage) {
        const Tally whole = file.tally();
        OrderedJson tallies = OrderedJson::object(), functions = OrderedJson::array();
        for (const CoverageColumn& column : table_columns(report))
            tallies[column.name] = json_of(tally_of(column.coverage, path));
        for (const auto& [name, function] : file.functions)
            functions.push_back(function_json(report, path, file, function));
        files.push_back({{"file", path},
                         {"lines", whole.lines},
                         {"branches", whole.branches},
                         {"suites", std::move(tallies)},
                         {"functions", std::move(functions)}});
    }
    const OrderedJson all = {{"kernel", report.kernel},
                             {"suites", std::move(suites)},
                             {"files", std::move(files)},
                             {"misfits", report.misfits}};
    return all.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace zcrxlab
