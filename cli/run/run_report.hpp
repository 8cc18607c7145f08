// The end of a run: one summary of all its VMs, and what a person reads about its failures.
#pragma once

#include <chrono>
#include <optional>
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

// Each scenario that failed or was lost, with the commands that repeat it and show its trace.
void print_failures(const RunOptions& options, const RunSummary& run, const ResultsFolder& out);

}  // namespace zcrxlab
