// Table: the cells of a matrix, chapters and features down, kernels across.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.hpp"
#include "results/matrix/matrix.hpp"

namespace zcrxlab {

enum class CellState { kPassed, kFailed, kKnown, kBlocked, kNotSupported, kNotRun };
inline constexpr size_t kCellStates = 6;
// "passed", "failed", "known", "blocked", "not supported", "not run".
std::string_view name_of(CellState state);

struct Cell {
    CellState state = CellState::kNotRun;
    std::string note = {};  // a sentence, where the tests do not say it all
    // Tests by TestStatus.
    std::array<size_t, kTestStatuses> counts = {};
    std::vector<size_t> tests = {};  // into the run's results

    size_t count(TestStatus status) const { return counts[static_cast<size_t>(status)]; }
};

enum class RowKind {
    kGuest,    // whether the guest came up and stayed up
    kChapter,  // the tests of a chapter
    kFeature,  // the tests that need a feature of the kernel
};

struct Row {
    RowKind kind = RowKind::kGuest;
    std::string name;
    std::string sentence;
};

struct Column {
    std::string kernel;
    std::string nic;
    const MatrixRun* run = nullptr;
    std::vector<Cell> cells = {};  // as many as there are rows
};

// Runs that skipped every test: a column would say nothing.
struct SkippedRuns {
    std::string nic;
    std::string why;                   // what most of their tests say
    std::vector<std::string> kernels;  // the oldest first
};

struct Table {
    std::vector<Row> rows;
    std::vector<Column> columns;            // NIC by NIC, the oldest kernel first
    std::vector<SkippedRuns> skipped = {};  // NIC by NIC; in no column
};

// What these tests of a run have come to: failed if one failed; not run if the guest was lost
// before all of them ended; blocked if a known defect kept one from being judged; known if one
// failed as such a defect does; passed if one passed; not supported if all were skipped.
Cell cell_of(const RunSummary& results, std::vector<size_t> tests);

// Valid while `matrix` lives. Chapters and features for which nothing was run anywhere are left
// out.
Table table_of(const Matrix& matrix);

// How many cells are in each state, by CellState.
std::array<size_t, kCellStates> totals(const Table& table);

}  // namespace zcrxlab
