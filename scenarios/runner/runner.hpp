// Runner: runs each selected scenario in a child process and judges it from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/runner/child.hpp"
#include "scenarios/runner/observer.hpp"
#include "scenarios/runner/report_sink.hpp"
#include "scenarios/runner/turns.hpp"
#include "scenarios/runner/zygote.hpp"

namespace zcrxlab {

// A run that is split: every `of`-th of the selected scenarios, from the `number`-th on.
struct Shard {
    unsigned number = 1;
    unsigned of = 1;
};

struct RunOrder {
    std::string filter;  // as selects() takes it
    Shard shard = {};
    uint64_t seed = 1;          // shown; scenarios read it from ZCRXLAB_SEED
    bool count_always = false;  // the buffers of each ifq that has delivered data are counted
    double slowness = 1;        // multiplies every bound, for debug kernels
    bool whole_trace = false;   // all events of every scenario are sent to the host
    bool lenient = false;       // what the kernel should have by its version may be missing
    bool show_output = false;   // a scenario's own output goes to stderr as well
    bool profiles = false;      // after each scenario, what the kernel has counted by then
};

// How long the teardown behind a scenario may take before it is a finding.
inline constexpr std::chrono::milliseconds kTeardownBound{5000};

// A scenario for which something is missing is skipped, and fails where the kernel is newer than
// the first that has it.
//
// Runs them as `turns` come; the exit code: 0 passed, 1 failed, 4 all skipped, 64 nothing selected.
// `zygote` runs a scenario by its name, on the tape that it inherits.
int run_scenarios(const RunOrder& order, Zygote& zygote, Observer& observer, Turns& turns,
                  ReportSink& sink);

}  // namespace zcrxlab
