// One program in one guest, from the start of the VM to its end.
#pragma once

#include <chrono>

#include "cli/exec/exec.hpp"
#include "results/exec/zcrx_expectation.hpp"
#include "vm/guest/guest_input.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

// So long before the end of its time a program is killed, so that its guest can still tell of it;
// a guest that cannot is at fault itself.
inline constexpr std::chrono::seconds kLastWords{4};

// Boots `vm` and runs the program of `options` in it, whose output comes here and whose input goes
// there through `input`. Leaves exec.json, zcrx.txt, the trace and logs in `out`, and says on
// standard error how it ended and what zero-copy receive did. The exit code of the command.
int run_program_in(const PreparedVm& vm, const ExecOptions& options, GuestStreams streams,
                   GuestInput& input, const ZcrxExpectation& expected, ResultsFolder& out);

}  // namespace zcrxlab
