// Prepares the rounds of the guest and its VM, or lists what there is.
#include "cli/conform/conform.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/conform/conform_run.hpp"
#include "cli/exec/examples.hpp"
#include "cli/exec/exec_job.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/conform/situation.hpp"

namespace zcrxlab {

namespace {

// From the peer's end to SIGTERM, in seconds.
constexpr unsigned kLinger = 1;

int list_situations() {
    for (const Situation& situation : situations())
        fmt::print("{:<17} {}\n", situation.name, situation.summary);
    return 0;
}

std::vector<const Situation*> chosen(const std::vector<std::string>& names) {
    std::vector<const Situation*> list;
    for (const Situation& situation : situations())
        if (names.empty() || std::ranges::find(names, situation.name) != names.end())
            list.push_back(&situation);
    return list;
}

// Each situation is a round of the guest.
void add_rounds(GuestJob& job, const std::vector<const Situation*>& list, uint16_t port,
                const std::string& check) {
    GuestPlan& plan = job.session;
    plan.streams = GuestStreams::kPipes;
    plan.peer.ports = {port};
    plan.peer.linger_seconds = kLinger;
    for (const Situation* situation : list) {
        GuestRound round{.name = std::string(situation->name),
                         .peer = {"/usr/bin/zcrx-conform-peer", std::string(situation->name),
                                  std::to_string(port), check},
                         .old_kernel = situation->refusal == Refusal::kOldKernel,
                         .restarts = situation->kills_program};
        if (situation->refusal == Refusal::kQueueTaken) round.before = {"/usr/bin/zcrx-take-queue"};
        plan.rounds.push_back(std::move(round));
    }
}

}  // namespace

int conform_command(const ConformOptions& options) {
    const ExecOptions& program = options.program;
    if (options.list) return list_situations();
    if (program.examples) return list_examples(program.self, "conform", "");
    if (program.ports.size() != 1)
        return fail(Error{EINVAL, "The peer connects to one port; give --port once."});
    // The programs of the rounds read nothing.
    const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0)
        return fail(error_from_errno("open /dev/null"));
    const StopSignals signals;
    const Progress progress = progress_for_people();
    Result<GuestJob> job = exec_job(program);
    if (!job) return fail(job.error(), exit_code_of_refusal(job.error()));
    const std::vector<const Situation*> list = chosen(options.situations);
    add_rounds(*job, list, program.ports.front(), options.check);
    if (auto added = add_own_programs(*job, {"zcrx-setup", "zcrx-conform-peer", "zcrx-take-queue"});
        !added)
        return fail(added.error());
    Result<ResultsFolder> out = ResultsFolder::open(program.vm.out);
    if (!out) return fail(out.error());
    const Result<PreparedVm> vm = prepare_program_vm(program.vm, *job, *out, progress);
    if (!vm) return fail(vm.error());
    if (program.vm.print_command) return 0;
    auto input = GuestInput::create(false);
    if (!input) return fail(input.error());
    (*input)->send(RecordType::kEnvironment, exec_environment(program, vm->host_files));
    return run_situations_in(*vm, options, list, **input, *out);
}

}  // namespace zcrxlab
