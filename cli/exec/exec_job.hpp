// The job of the guest for "zcrxlab exec", made from the options of the command line.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "cli/exec/exec.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

// ENOENT and EACCES: the program cannot be started here, so neither there; ELIBACC: a library that
// it wants is missing; EINVAL: an option that makes no sense.
Result<GuestJob> exec_job(const ExecOptions& options);

// Our own programs, which the job's preparation and its peer call by their place in the guest,
// /usr/bin.
Result<void> add_own_programs(GuestJob& job, std::initializer_list<const char*> names);

// The VM of such a job, from its options; says what could not be had, and leaves the command that
// starts it by hand in qemu-command.txt. It is started by nobody where --print-command is given:
// then that command was printed.
Result<PreparedVm> prepare_program_vm(const VmOptions& options, const GuestJob& job,
                                      ResultsFolder& out, const Progress& progress);

// For the exit code, as a shell has it: 127 not found (it, or a library of it), 126 not executable,
// else kExitUsage.
int exit_code_of_refusal(const Error& error);

// The program's environment as a kEnvironment record has it: ours (if the guest has our files), and
// what --env sets.
std::string exec_environment(const ExecOptions& options, bool host_files);

}  // namespace zcrxlab
