// Prepares the job of the guest and its VM, or lists the examples.
#include "cli/exec/exec.hpp"

#include "cli/exec/examples.hpp"
#include "cli/exec/exec_job.hpp"
#include "cli/exec/exec_run.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/stop_signals.hpp"

namespace zcrxlab {

int exec_command(const ExecOptions& options) {
    if (options.examples)
        return list_examples(options.self, "exec", "--send connections=8,size=512K ");
    const StopSignals signals;
    const Progress progress = progress_for_people();
    ZcrxExpectation expected;
    for (const std::string& what : options.expected)
        if (auto added = add_expectation(expected, what); !added) return fail(added.error());
    Result<GuestJob> job = exec_job(options);
    if (!job) return fail(job.error(), exit_code_of_refusal(job.error()));
    if (auto added = add_own_programs(*job, {"zcrx-setup", "zcrx-send"}); !added)
        return fail(added.error());
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());
    const Result<PreparedVm> vm = prepare_program_vm(options.vm, *job, *out, progress);
    if (!vm) return fail(vm.error());
    if (options.vm.print_command) return 0;
    const GuestStreams streams = job->session.streams;
    auto input = GuestInput::create(streams == GuestStreams::kTerminal);
    if (!input) return fail(input.error());
    (*input)->send(RecordType::kEnvironment, exec_environment(options, vm->host_files));
    return run_program_in(*vm, options, streams, **input, expected, *out);
}

}  // namespace zcrxlab
