// Program run: one program in one VM, and how both ended.
#pragma once

#include <functional>
#include <string_view>

#include "harness/report/report.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

struct ProgramEnd {
    VmState state = VmState::kLost;
    bool started = false;    // the program was
    int exit = 255;          // the program's, where the guest told it; else what the run ended as
    std::string reason;      // a sentence where the guest did not come to its end
    std::string last_words;  // of the console then
    RunSummary run;
};

// Runs what the job says in a VM that is prepared; options.timeout counts from the start of the
// program. `tell` gets what it prints, as it comes. Results
// are written to `out`.
Result<ProgramEnd> run_program(const VmOptions& options, const PreparedVm& vm, ResultsFolder& out,
                               const std::function<void(std::string_view)>& tell);

}  // namespace zcrxlab
