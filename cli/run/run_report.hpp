// The end of a run: one summary of all its VMs, and what a person reads about its failures.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/run.hpp"
#include "harness/report/report.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"
#include "vm/watch/scenario_queue.hpp"

namespace zcrxlab {

// How one VM of a run ended.
struct VmEnd {
    RunSummary summary;  // with the last lines of its console
    std::optional<std::chrono::milliseconds> until_first_test;  // from power-on
};

// The run as a whole: it ended as badly as the VM that ended worst. `vm` is the first one; what no
// VM has got of `scenario_queue` is lost.
RunSummary summary_of(const RunOptions& options, const PreparedVm& vm, std::vector<VmEnd> ends,
                      const ScenarioQueue& scenario_queue);

// Whether a scenario has failed in one of the VMs.
bool has_failed(const RunSummary& run);

// How a run of everything differs from what a person has counted (CountedRuns); empty if it does
// not, or nobody has counted.
std::string judge_findings(const RunOptions& options, const RunSummary& run);
// That nobody has counted, as a line, where a run of everything shows numbers that could be.
std::string nobody_has_counted(const RunOptions& options, const RunSummary& run);

// Each scenario that failed or was lost, with the commands that repeat it and show its trace.
void print_failures(const RunOptions& options, const RunSummary& run, const ResultsFolder& out);

}  // namespace zcrxlab
