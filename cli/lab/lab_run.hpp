// Runs the scenario program on this machine, and takes what it reports.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "harness/trace/record.hpp"
#include "vm/options.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

struct LabRun {
    std::vector<std::string> arguments;                            // the program first
    std::vector<std::pair<std::string, std::string>> environment;  // for it, beside our own
    unsigned timeout = 900;                                        // seconds
    bool verbose = false;
    bool fail_fast = false;
    std::function<void(const Record&)> record = {};  // each, as it comes
};

// Until the program ends, the time is up, or a person wants it to end (SIGINT, SIGTERM, SIGHUP). An
// Error only if it could not be started.
Result<RunSummary> run_scenarios_here(const LabRun& run, ResultsFolder& out);

}  // namespace zcrxlab
