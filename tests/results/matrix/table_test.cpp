// Cells made of results.
#include <gtest/gtest.h>

#include "results/matrix/table.hpp"
#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {
namespace {

RunSummary results(const std::vector<TestStatus>& statuses) {
    RunSummary run;
    for (const TestStatus status : statuses) run.tests.push_back({"a.b", status, 0, "why", "", {}});
    return run;
}

CellState state_of(const std::vector<TestStatus>& statuses) {
    const RunSummary run = results(statuses);
    std::vector<size_t> tests;
    for (size_t i = 0; i < run.tests.size(); ++i) tests.push_back(i);
    return cell_of(run, tests).state;
}

constexpr auto kP = TestStatus::kPassed;
constexpr auto kF = TestStatus::kFailed;
constexpr auto kK = TestStatus::kKnown;
constexpr auto kB = TestStatus::kBlocked;
constexpr auto kS = TestStatus::kSkipped;
constexpr auto kL = TestStatus::kLost;

TEST(Cell, TheWorstOfItsTestsCounts) {
    EXPECT_EQ(state_of({kP, kP}), CellState::kPassed);
    EXPECT_EQ(state_of({kP, kS}), CellState::kPassed);
    EXPECT_EQ(state_of({kP, kK, kS}), CellState::kKnown);
    EXPECT_EQ(state_of({kP, kB, kK, kS}), CellState::kBlocked);
    EXPECT_EQ(state_of({kB, kF}), CellState::kFailed);
    EXPECT_EQ(state_of({kB, kL}), CellState::kNotRun);
    EXPECT_EQ(state_of({kP, kK, kL}), CellState::kNotRun);
    EXPECT_EQ(state_of({kP, kK, kL, kF}), CellState::kFailed);
    EXPECT_EQ(state_of({kS, kS}), CellState::kNotSupported);
    EXPECT_EQ(state_of({kS, kL}), CellState::kNotRun);
    EXPECT_EQ(state_of({}), CellState::kNotRun);
}

TEST(Cell, SaysWhyItIsNotSupportedAndNothingWhereTestsSayIt) {
    const RunSummary run = results({kS, kS});
    EXPECT_EQ(cell_of(run, {0, 1}).note, "why");
    EXPECT_EQ(cell_of(results({kP, kS}), {0, 1}).note, "");
}

class TableTest : public ::testing::Test {
  protected:
    const Cell& at(const std::string& row, const std::string& kernel,
                   const std::string& nic) const {
        for (size_t i = 0; i < table_.rows.size(); ++i)
            for (const Column& column : table_.columns)
                if (table_.rows[i].name == row && column.kernel == kernel && column.nic == nic)
                    return column.cells[i];
        ADD_FAILURE() << "There is no cell " << row << ", " << kernel << " on " << nic;
        return none_;
    }

    Matrix matrix_ = fake_matrix();
    Table table_ = table_of(matrix_);
    Cell none_;
};

TEST_F(TableTest, HasChaptersAndFeaturesDownAndKernelsAcross) {
    std::vector<std::string> rows, columns;
    for (const Row& row : table_.rows) rows.push_back(row.name);
    for (const Column& column : table_.columns) columns.push_back(column.kernel + " " + column.nic);
    EXPECT_EQ(rows,
              (std::vector<std::string>{"guest", "receive", "cqe32", "tcp", "events", "add_area"}));
    EXPECT_EQ(columns, (std::vector<std::string>{"6.16 gve", "7.2 gve", "7.3 gve", "7.2 nodev",
                                                 "7.3 nodev"}));
}

TEST_F(TableTest, CellsOfChapters) {
    EXPECT_EQ(at("guest", "7.2", "gve").state, CellState::kPassed);
    EXPECT_NE(at("guest", "7.2", "gve").note.find("6.10 s"), std::string::npos);
    EXPECT_EQ(at("receive", "7.2", "gve").state, CellState::kPassed);
    EXPECT_EQ(at("receive", "7.2", "gve").count(kS), 1U);
    EXPECT_EQ(at("tcp", "7.2", "gve").state, CellState::kKnown);
    EXPECT_EQ(at("cqe32", "7.2", "gve").state, CellState::kFailed);
}

TEST_F(TableTest, AKernelThatPanicsIsACellAndWhatWasDoneBeforeStays) {
    EXPECT_EQ(at("guest", "7.3", "gve").state, CellState::kFailed);
    EXPECT_EQ(at("guest", "7.3", "gve").note, "The guest's kernel panicked: Oops");
    EXPECT_EQ(at("receive", "7.3", "gve").state, CellState::kPassed);
    EXPECT_EQ(at("tcp", "7.3", "gve").state, CellState::kNotRun);
}

TEST_F(TableTest, RunsThatWereNotMade) {
    for (const Row& row : table_.rows) {
        EXPECT_EQ(at(row.name, "6.16", "gve").state, CellState::kNotSupported) << row.name;
        EXPECT_EQ(at(row.name, "7.3", "nodev").state, CellState::kNotRun) << row.name;
        EXPECT_EQ(at(row.name, "7.2", "nodev").state, CellState::kNotRun) << row.name;
    }
    EXPECT_EQ(at("tcp", "7.3", "nodev").note, "It could not be fetched.");
}

TEST_F(TableTest, CellsOfFeatures) {
    // The tests that need it; or what the guest found, where it is missing.
    EXPECT_EQ(at("events", "7.2", "gve").state, CellState::kFailed);
    EXPECT_EQ(at("add_area", "7.2", "gve").state, CellState::kNotSupported);
    EXPECT_EQ(at("add_area", "7.3", "gve").state, CellState::kPassed);
    EXPECT_EQ(at("add_area", "7.3", "gve").tests.size(), 1U);
    for (MatrixRun& run : matrix_.runs)
        std::erase_if(run.results.tests,
                      [](const TestResult& test) { return test.name == "receive.two"; });
    table_ = table_of(matrix_);
    EXPECT_EQ(at("add_area", "7.3", "gve").state, CellState::kPassed);
    EXPECT_NE(at("add_area", "7.3", "gve").note, "");
}

TEST_F(TableTest, ARunThatSkippedAllIsNoColumn) {
    const auto skip_all = [](MatrixRun& run) {
        for (TestResult& test : run.results.tests) {
            test.status = TestStatus::kSkipped;
            test.message = "needs a driver with queues; type: zcrxlab run --nic bnxt";
        }
        run.results.tests.front().message = "needs a faster machine";
    };
    MatrixRun& run = matrix_.runs[2];
    ASSERT_EQ(run.kernel + " " + run.nic, "7.2 gve");
    skip_all(run);
    MatrixRun same = run;
    same.kernel = "7.1";
    matrix_.runs.push_back(same);
    const Table table = table_of(matrix_);
    EXPECT_EQ(table.columns.size(), table_.columns.size() - 1);
    ASSERT_EQ(table.skipped.size(), 1U);
    EXPECT_EQ(table.skipped[0].nic, "gve");
    EXPECT_EQ(table.skipped[0].why, "needs a driver with queues");
    EXPECT_EQ(table.skipped[0].kernels, (std::vector<std::string>{"7.1", "7.2"}));
}

// What was lost, or is not as a person has counted, is a column whatever its tests are.
TEST_F(TableTest, ARunThatSkippedAllAndIsWrongIsAColumn) {
    for (TestResult& test : matrix_.runs[2].results.tests) test.status = TestStatus::kSkipped;
    matrix_.runs[2].results.unexpected = "gve on 7.2: 5 skipped, 3 are expected.";
    EXPECT_TRUE(table_of(matrix_).skipped.empty());
    matrix_.runs[2].results.unexpected.clear();
    matrix_.runs[2].results.ending = Ending::kPanicked;
    EXPECT_TRUE(table_of(matrix_).skipped.empty());
}

TEST_F(TableTest, Totals) {
    const auto counts = totals(table_);
    size_t all = 0;
    for (const size_t count : counts) all += count;
    EXPECT_EQ(all, table_.rows.size() * table_.columns.size());
    EXPECT_EQ(counts[static_cast<size_t>(CellState::kFailed)], 3U);
    EXPECT_EQ(counts[static_cast<size_t>(CellState::kKnown)], 1U);
}

}  // namespace
}  // namespace zcrxlab
