// All situations in one guest, from the start of the VM to its end.
#pragma once

#include <vector>

#include "cli/conform/conform.hpp"
#include "harness/conform/situation.hpp"
#include "vm/guest/guest_input.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

// Boots `vm`, whose job has these situations as its rounds, and prints a line for each as it is
// judged. Leaves the reports and logs in `out`. The exit code of the command.
int run_situations_in(const PreparedVm& vm, const ConformOptions& options,
                      const std::vector<const Situation*>& situations, GuestInput& input,
                      ResultsFolder& out);

}  // namespace zcrxlab
