// All situations in one guest, from the start of the VM to its end.
#pragma once

#include <vector>

#include "cli/conform/conform.hpp"
#include "harness/conform/situation.hpp"
#include "vm/guest/guest_input.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

// Whether there is a round of the guest for it. What our peer sends is no client's to send.
bool can_be_made(const Situation& situation, const ConformOptions& options);

// Boots `vm`, whose job has those of these situations that can be made as its rounds, and prints a
// line for each as it is judged. Leaves the reports and logs in `out`. The exit code of the
// command.
int run_situations_in(const PreparedVm& vm, const ConformOptions& options,
                      const std::vector<const Situation*>& situations, GuestInput& input,
                      ResultsFolder& out);

}  // namespace zcrxlab
