// Writes the table for terminals and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "results/matrix/render.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kMostFailures = 40;

std::string label(const Row& row) {
    return (row.kind == RowKind::kFeature ? "feature " : "") + on_one_line(row.name);
}

// The columns of each NIC, in the order of the table.
std::vector<std::vector<const Column*>> by_nic(const Table& table) {
    std::vector<std::vector<const Column*>> groups;
    for (const Column& column : table.columns) {
        if (groups.empty() || groups.back().front()->nic != column.nic) groups.emplace_back();
        groups.back().push_back(&column);
    }
    return groups;
}

struct CostRow {
    const char* name;
    std::function<double(const MatrixRun&)> seconds;
};
const std::vector<CostRow>& cost_rows() {
    static const std::vector<CostRow> rows{
        {"run, s", [](const MatrixRun& run) { return run.cost.seconds; }},
        {"CPU, s", [](const MatrixRun& run) { return run.cost.cpu_seconds; }},
        {"fetch, s", [](const MatrixRun& run) { return run.cost.fetch_seconds; }}};
    return rows;
}

std::string cost_text(const MatrixRun& run, const CostRow& row) {
    return run.state == RunState::kRan ? seconds_text(row.seconds(run)) : "";
}

// How a path or release fits over a column.
std::string heading(const std::string& kernel) {
    const std::string name = on_one_line(kernel);
    return name.substr(name.find_last_of('/') + 1);
}

std::string block(const Table& table, std::span<const Column* const> columns, size_t first_width) {
    std::vector<size_t> widths;
    for (const Column* column : columns) {
        size_t width = heading(column->kernel).size();
        for (size_t row = 0; row < table.rows.size(); ++row)
            width = std::max(width, short_text(table.rows[row], column->cells[row]).size());
        widths.push_back(width);
    }
    std::string text = fmt::format("{:<{}}", on_one_line(columns.front()->nic), first_width);
    const auto add = [&](size_t i, const std::string& cell) {
        text += fmt::format("  {:<{}}", cell, widths[i]);
    };
    const auto end_line = [&] {
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    };
    for (size_t i = 0; i < columns.size(); ++i) add(i, heading(columns[i]->kernel));
    end_line();
    for (size_t row = 0; row < table.rows.size(); ++row) {
        text += fmt::format("{:<{}}", label(table.rows[row]), first_width);
        for (size_t i = 0; i < columns.size(); ++i)
            add(i, short_text(table.rows[row], columns[i]->cells[row]));
        end_line();
    }
    for (const CostRow& row : cost_rows()) {
        text += fmt::format("{:<{}}", row.name, first_width);
        for (size_t i = 0; i < columns.size(); ++i) add(i, cost_text(*columns[i]->run, row));
        end_line();
    }
    return text;
}

std::string first_line(const std::string& text) {
    return on_one_line(text.substr(0, text.find('\n')));
}

// What is red, with the command that shows it again.
std::string failures(const Matrix& matrix, const Table& table) {
    std::string text;
    size_t count = 0;
    const auto add = [&](const MatrixRun& run, const std::string& what, const std::string& message,
                         const std::string& command) {
        if (++count > kMostFailures) return;
        text += fmt::format("\n{} on {}: {}\n    {}\n    {}\n", on_one_line(run.kernel),
                            on_one_line(run.nic), what, first_line(message), on_one_line(command));
    };
    for (const Column& column : table.columns) {
        const MatrixRun& run = *column.run;
        const std::string whole = command_for(run, matrix.terms.filter);
        if (run.state == RunState::kNotStarted) add(run, "not run", run.message, whole);
        if (run.state == RunState::kRan && run.results.ending != Ending::kFinished)
            add(run, std::string(name_of(run.results.ending)), run.results.ending_message, whole);
        if (run.state == RunState::kRan && !run.results.unexpected.empty())
            add(run, "not as counted", run.results.unexpected, whole);
        for (const TestResult& test : run.results.tests)
            if (test.status == TestStatus::kFailed)
                add(run, "failed " + on_one_line(test.name), test.message,
                    command_for(run, test.name));
    }
    if (count > kMostFailures)
        text += fmt::format("\n... and {} more; matrix.html shows all\n", count - kMostFailures);
    return text;
}

// "NIC on 6.16.3, 6.16.12: every test is skipped: needs ..."
std::string line_of(const SkippedRuns& runs) {
    std::string kernels;
    for (const std::string& kernel : runs.kernels)
        kernels += (kernels.empty() ? "" : ", ") + heading(kernel);
    return fmt::format("{} on {}: every test is skipped: {}", on_one_line(runs.nic), kernels,
                       on_one_line(runs.why));
}

std::string sums(const Matrix& matrix, const Table& table) {
    const auto counts = totals(table);
    std::string text;
    size_t all = 0;
    for (const CellState state :
         {CellState::kPassed, CellState::kFailed, CellState::kKnown, CellState::kBlocked,
          CellState::kNotSupported, CellState::kNotRun}) {
        const size_t count = counts[static_cast<size_t>(state)];
        all += count;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
    }
    double seconds = 0, cpu = 0;
    size_t ran = 0;
    for (const MatrixRun& run : matrix.runs) {
        if (run.state != RunState::kRan) continue;
        ++ran;
        seconds += run.cost.seconds + run.cost.fetch_seconds;
        cpu += run.cost.cpu_seconds;
    }
    std::string sum = fmt::format("{} cells: {}\n", all, text);
    if (ran > 0)
        sum += fmt::format("{} runs took {} s (CPU {} s); one more such run takes about {} s\n",
                           ran, seconds_text(seconds), seconds_text(cpu),
                           seconds_text(seconds / static_cast<double>(ran)));
    return sum;
}

// Foreign text in a cell of a Markdown table.
std::string in_markdown(const std::string& text) {
    std::string escaped;
    for (const char c : on_one_line(text)) {
        if (c == '|' || c == '*' || c == '_' || c == '`' || c == '[' || c == ']' || c == '\\')
            escaped += '\\';
        if (c == '<')
            escaped += "&lt;";
        else if (c == '&')
            escaped += "&amp;";
        else
            escaped += c;
    }
    return escaped;
}

std::string markdown_cell(const Row& row, const Cell& cell) {
    const std::string text = short_text(row, cell);
    return cell.state == CellState::kFailed ? "**" + text + "**" : text;
}

}  // namespace

std::string seconds_text(double seconds) {
    return fmt::format("{:.0f}", seconds);
}

std::string short_text(const Row& row, const Cell& cell) {
    const size_t skipped = cell.count(TestStatus::kSkipped);
    switch (cell.state) {
        case CellState::kPassed:
            return row.kind == RowKind::kGuest || cell.tests.empty()
                       ? "ok"
                       : fmt::format("ok {}", cell.tests.size() - skipped);
        case CellState::kFailed:
            return row.kind == RowKind::kGuest
                       ? "FAILED"
                       : fmt::format("FAILED {}", cell.count(TestStatus::kFailed));
        case CellState::kKnown:
            return fmt::format("known {}", cell.count(TestStatus::kKnown));
        case CellState::kBlocked:
            return cell.count(TestStatus::kKnown) == 0
                       ? fmt::format("blocked {}", cell.count(TestStatus::kBlocked))
                       : fmt::format("blocked {}, known {}", cell.count(TestStatus::kBlocked),
                                     cell.count(TestStatus::kKnown));
        case CellState::kNotSupported:
            return "-";
        case CellState::kNotRun:
            return cell.count(TestStatus::kLost) > 0
                       ? fmt::format("lost {}", cell.count(TestStatus::kLost))
                       : "not run";
    }
    return "";
}

std::string command_for(const MatrixRun& run, const std::string& filter) {
    if (filter.empty()) return run.command;
    // Names of scenarios need no quotes, patterns do.
    const bool plain = filter.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789._/-") == std::string::npos;
    std::string quoted;
    for (const char c : filter) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return run.command + " --filter " + (plain ? filter : "'" + quoted + "'");
}

std::string to_text(const Matrix& matrix, const Table& table, size_t width) {
    std::string text =
        fmt::format("zcrxlab {}, seed {}", on_one_line(matrix.terms.zcrxlab), matrix.terms.seed);
    if (!matrix.terms.filter.empty())
        text += fmt::format(", filter {}", on_one_line(matrix.terms.filter));
    text += "\n";
    size_t first_width = 0;
    for (const Row& row : table.rows) first_width = std::max(first_width, label(row).size());
    for (const auto& columns : by_nic(table)) {
        size_t from = 0;
        while (from < columns.size()) {
            size_t used = first_width, to = from;
            for (; to < columns.size(); ++to) {
                size_t widest = heading(columns[to]->kernel).size();
                for (size_t row = 0; row < table.rows.size(); ++row)
                    widest = std::max(widest,
                                      short_text(table.rows[row], columns[to]->cells[row]).size());
                used += 2 + widest;
                if (used > width && to > from) break;
            }
            text += "\n" + block(table, std::span(columns).subspan(from, to - from), first_width);
            from = to;
        }
    }
    for (const SkippedRuns& runs : table.skipped) text += "\n" + line_of(runs) + "\n";
    text +=
        "\nok 12: tests passed; known: fail as a known bug of this kernel does; blocked: not "
        "judged, "
        "since such a bug stands in the way; -: not supported\n";
    return text + failures(matrix, table) + "\n" + sums(matrix, table);
}

std::string to_markdown(const Matrix& matrix, const Table& table) {
    std::string text =
        fmt::format("zcrxlab {}, seed {}", in_markdown(matrix.terms.zcrxlab), matrix.terms.seed);
    if (!matrix.terms.filter.empty()) text += ", filter " + in_markdown(matrix.terms.filter);
    text +=
        ". A number counts the tests that passed, failed, fail as a known bug of this kernel does, "
        "or were not judged since such a bug stands in the way (blocked); - is not supported.\n";
    for (const auto& columns : by_nic(table)) {
        text += "\n| " + in_markdown(columns.front()->nic) + " |";
        std::string rule = "\n|---|";
        for (const Column* column : columns) {
            text += " " + in_markdown(heading(column->kernel)) + " |";
            rule += "---|";
        }
        text += rule + "\n";
        for (size_t row = 0; row < table.rows.size(); ++row) {
            text += "| " + in_markdown(label(table.rows[row])) + " |";
            for (const Column* column : columns)
                text += " " + markdown_cell(table.rows[row], column->cells[row]) + " |";
            text += "\n";
        }
        for (const CostRow& row : cost_rows()) {
            text += fmt::format("| {} |", row.name);
            for (const Column* column : columns) text += " " + cost_text(*column->run, row) + " |";
            text += "\n";
        }
    }
    for (const SkippedRuns& runs : table.skipped) text += "\n" + in_markdown(line_of(runs)) + "\n";
    return text;
}

}  // namespace zcrxlab
