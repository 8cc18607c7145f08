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

// Those that can be made.
int list_situations(const ConformOptions& options) {
    for (const Situation& situation : situations())
        if (can_be_made(situation, options))
            fmt::print("{:<17} {}\n", situation.name,
                       summary_of(situation, !options.client.empty()));
    return 0;
}

std::vector<const Situation*> chosen(const std::vector<std::string>& names) {
    std::vector<const Situation*> list;
    for (const Situation& situation : situations())
        if (names.empty() || std::ranges::find(names, situation.name) != names.end())
            list.push_back(&situation);
    return list;
}

// What our program in the guest is told of one situation.
std::vector<std::string> peer_words(const Situation& situation, const ConformOptions& options,
                                    const GuestPlan& plan) {
    const std::vector<uint16_t>& ports = options.program.ports;
    std::vector<std::string> words{"/usr/bin/zcrx-conform-peer", std::string(situation.name),
                                   std::to_string(ports.empty() ? 0 : ports.front()),
                                   options.check};
    if (options.client.empty()) return words;
    words.insert(words.end(), {options.client, std::to_string(options.client_timeout)});
    if (!plan.user) return words;
    words.insert(words.end(), {std::to_string(plan.user->user), std::to_string(plan.user->group)});
    for (const uint32_t group : plan.user->groups) words.push_back(std::to_string(group));
    return words;
}

// Each situation that can be made is a round of the guest.
void add_rounds(GuestJob& job, const std::vector<const Situation*>& list,
                const ConformOptions& options) {
    GuestPlan& plan = job.session;
    plan.streams = GuestStreams::kPipes;
    plan.peer.ports = options.program.ports;
    plan.peer.linger_seconds = kLinger;
    for (const Situation* situation : list) {
        if (!can_be_made(*situation, options)) continue;
        GuestRound round{.name = std::string(situation->name),
                         .peer = peer_words(*situation, options, plan),
                         .old_kernel = situation->refusal == Refusal::kOldKernel,
                         .restarts = situation->kills_program};
        if (situation->refusal == Refusal::kQueueTaken) round.before = {"/usr/bin/zcrx-take-queue"};
        plan.rounds.push_back(std::move(round));
    }
}

}  // namespace

bool can_be_made(const Situation& situation, const ConformOptions& options) {
    return options.client.empty() || situation.with_client;
}

int conform_command(const ConformOptions& options) {
    const ExecOptions& program = options.program;
    if (options.list) return list_situations(options);
    if (program.examples) return list_examples(program.self, "conform", "");
    if (program.ports.size() != 1 && options.client.empty())
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
    add_rounds(*job, list, options);
    if (job->session.rounds.empty())
        return fail(Error{EINVAL,
                          "With --client none of these situations can be made: what our "
                          "peer sends makes them."});
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
