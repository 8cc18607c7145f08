// Makes the cells of the table from test results.
#include "results/matrix/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/packages/version.hpp"

namespace zcrxlab {

namespace {

std::string chapter_of(const std::string& test) {
    return test.substr(0, test.find('.'));
}

std::string property(const RunSummary& run, std::string_view name) {
    for (const auto& [key, value] : run.properties)
        if (key == name) return value;
    return {};
}

Cell guest_cell(const MatrixRun& run) {
    Cell cell;
    cell.note = run.message;
    if (run.state == RunState::kNotSupported) cell.state = CellState::kNotSupported;
    if (run.state != RunState::kRan) return cell;
    if (run.results.ending != Ending::kFinished) {
        cell.state = CellState::kFailed;
        cell.note = run.results.ending_message;
        return cell;
    }
    if (!run.results.unexpected.empty()) {
        cell.state = CellState::kFailed;
        cell.note = run.results.unexpected;
        return cell;
    }
    cell.state = CellState::kPassed;
    const std::string first = property(run.results, "seconds_to_first_test");
    cell.note = "booted " + run.results.kernel;
    if (!first.empty()) cell.note += ", " + first + " s to the first test";
    return cell;
}

const bool* feature_of(const RunSummary& run, const std::string& name) {
    for (const auto& [feature, there] : run.features)
        if (feature == name) return &there;
    return nullptr;
}

// Which tests need which feature.
using Needs = std::map<std::string, std::set<std::string>>;

Needs needs_of(const Catalogue& catalogue) {
    Needs needs;
    for (const CatalogueChapter& chapter : catalogue.chapters)
        for (const CatalogueTest& test : chapter.tests)
            for (const std::string& need : test.needs) needs[need].insert(test.name);
    return needs;
}

Cell row_cell(const MatrixRun& run, const Row& row, const Needs& needs) {
    if (row.kind == RowKind::kGuest) return guest_cell(run);
    if (run.state == RunState::kNotSupported)
        return {CellState::kNotSupported, run.message, {}, {}};
    if (run.state != RunState::kRan) return {CellState::kNotRun, run.message, {}, {}};
    std::vector<size_t> tests;
    const auto found = needs.find(row.name);
    for (size_t i = 0; i < run.results.tests.size(); ++i) {
        const std::string& name = run.results.tests[i].name;
        if (row.kind == RowKind::kChapter ? chapter_of(name) == row.name
                                          : found != needs.end() && found->second.contains(name))
            tests.push_back(i);
    }
    Cell cell = cell_of(run.results, std::move(tests));
    if (row.kind == RowKind::kChapter) {
        if (cell.tests.empty() && run.results.ending != Ending::kFinished)
            cell.note = run.results.ending_message;
        return cell;
    }
    const bool* there = feature_of(run.results, row.name);
    if (there == nullptr) return cell;
    if (!*there) {
        cell.state = CellState::kNotSupported;
        cell.note = "the kernel does not have it";
    } else if (cell.tests.empty()) {
        cell.state = CellState::kPassed;
        cell.note = "the kernel has it; no scenario of this run is about it alone";
    }
    return cell;
}

// Stock kernels by version, then the rest by name.
bool older(const std::string& left, const std::string& right) {
    const auto left_version = Version::parse(left), right_version = Version::parse(right);
    if (left_version.has_value() != right_version.has_value()) return left_version.has_value();
    if (left_version && *left_version != *right_version) return *left_version < *right_version;
    return left < right;
}

bool skipped_as_a_whole(const MatrixRun& run) {
    const RunSummary& results = run.results;
    return run.state == RunState::kRan && results.ending == Ending::kFinished &&
           results.unexpected.empty() && !results.tests.empty() &&
           std::ranges::all_of(results.tests, [](const TestResult& test) {
               return test.status == TestStatus::kSkipped;
           });
}

// The reason of most tests, without what to type.
std::string why_skipped(const RunSummary& results) {
    std::map<std::string, size_t> reasons;
    for (const TestResult& test : results.tests)
        ++reasons[test.message.substr(0, test.message.find("; type:"))];
    return std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; })
        ->first;
}

void add_skipped(std::vector<SkippedRuns>& all, const Column& column) {
    const std::string why = why_skipped(column.run->results);
    auto place = std::ranges::find_if(
        all, [&](const SkippedRuns& runs) { return runs.nic == column.nic && runs.why == why; });
    if (place == all.end()) place = all.insert(all.end(), SkippedRuns{column.nic, why, {}});
    place->kernels.push_back(column.kernel);
}

std::vector<Row> rows_of(const Matrix& matrix) {
    std::vector<Row> rows{{RowKind::kGuest, "guest", "the kernel boots and stays up to the end"}};
    std::vector<std::string> chapters;
    std::set<std::string> features;
    for (const MatrixRun& run : matrix.runs) {
        for (const TestResult& test : run.results.tests)
            if (const std::string name = chapter_of(test.name);
                std::ranges::find(chapters, name) == chapters.end())
                chapters.push_back(name);
        for (const auto& [name, there] : run.results.features) features.insert(name);
    }
    for (const CatalogueChapter& chapter : matrix.catalogue.chapters)
        if (const auto found = std::ranges::find(chapters, chapter.name); found != chapters.end()) {
            rows.push_back({RowKind::kChapter, chapter.name, chapter.sentence});
            chapters.erase(found);
        }
    // What the catalogue does not know stands at the end, in the order in which it ran.
    for (const std::string& name : chapters) rows.push_back({RowKind::kChapter, name, ""});
    for (const CatalogueFeature& feature : matrix.catalogue.features)
        if (features.contains(feature.name))
            rows.push_back({RowKind::kFeature, feature.name,
                            "tests that need a kernel that " + feature.sentence});
    return rows;
}

}  // namespace

std::string_view name_of(CellState state) {
    switch (state) {
        case CellState::kPassed:
            return "passed";
        case CellState::kFailed:
            return "failed";
        case CellState::kKnown:
            return "known";
        case CellState::kBlocked:
            return "blocked";
        case CellState::kNotSupported:
            return "not supported";
        case CellState::kNotRun:
            return "not run";
    }
    return "not run";
}

Cell cell_of(const RunSummary& results, std::vector<size_t> tests) {
    Cell cell;
    cell.tests = std::move(tests);
    for (const size_t test : cell.tests) {
        const TestResult& result = results.tests.at(test);
        ++cell.counts[static_cast<size_t>(result.status)];
        // Why all of them were skipped, or what the first one says.
        if (result.status == TestStatus::kSkipped && cell.note.empty()) cell.note = result.message;
    }
    const bool all_skipped =
        !cell.tests.empty() && cell.count(TestStatus::kSkipped) == cell.tests.size();
    if (!all_skipped) cell.note.clear();
    if (cell.count(TestStatus::kFailed) > 0)
        cell.state = CellState::kFailed;
    else if (cell.count(TestStatus::kLost) > 0)
        cell.state = CellState::kNotRun;
    else if (cell.count(TestStatus::kBlocked) > 0)
        cell.state = CellState::kBlocked;
    else if (cell.count(TestStatus::kKnown) > 0)
        cell.state = CellState::kKnown;
    else if (cell.count(TestStatus::kPassed) > 0)
        cell.state = CellState::kPassed;
    else if (all_skipped)
        cell.state = CellState::kNotSupported;
    return cell;
}

Table table_of(const Matrix& matrix) {
    Table table;
    table.rows = rows_of(matrix);
    for (const MatrixRun& run : matrix.runs)
        table.columns.push_back({run.kernel, run.nic, &run, {}});
    std::ranges::stable_sort(table.columns, [&](const Column& left, const Column& right) {
        if (left.nic != right.nic) return left.nic < right.nic;
        return older(left.kernel, right.kernel);
    });
    for (const Column& column : table.columns)
        if (skipped_as_a_whole(*column.run)) add_skipped(table.skipped, column);
    std::erase_if(table.columns,
                  [](const Column& column) { return skipped_as_a_whole(*column.run); });
    const Needs needs = needs_of(matrix.catalogue);
    for (Column& column : table.columns)
        for (const Row& row : table.rows) column.cells.push_back(row_cell(*column.run, row, needs));
    return table;
}

std::array<size_t, kCellStates> totals(const Table& table) {
    std::array<size_t, kCellStates> counts{};
    for (const Column& column : table.columns)
        for (const Cell& cell : column.cells) ++counts[static_cast<size_t>(cell.state)];
    return counts;
}

}  // namespace zcrxlab
