// zcrxlab shell and zcrxlab exec: the same VM with a prompt, or with any program.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "vm/boot/machine.hpp"
#include "vm/commands.hpp"
#include "vm/prepare.hpp"
#include "vm/program_run.hpp"
#include "vm/programs.hpp"
#include "vm/results_folder.hpp"

namespace zcrxlab {

namespace {

using std::chrono::hours;
using std::chrono::steady_clock;

constexpr int kExitLost = 255;

constexpr const char* kProfile = R"(
PS1='guest \w # '
echo "Interface $NETIF $LOCAL_V4 $LOCAL_V6; peer ${ZCRXLAB_PEER_NETIF:-none} $REMOTE_V4 $REMOTE_V6"
[ -n "$NETIF" ] && echo "In the peer's namespace: ip netns exec peer COMMAND"
[ -n "$NETIF" ] && echo "A queue for zero-copy receive: zcrx-setup --port PORT"
echo "Scenarios: zcrx-scenarios --list. To leave: poweroff, or Ctrl-A X."
alias poweroff='busybox poweroff -f'
# BusyBox's shell takes its own applets first.
for tool in ip ss ethtool; do [ -x /usr/bin/$tool ] && alias $tool=/usr/bin/$tool; done
)";

Result<void> add_file(GuestJob& job, const std::string& what) {
    const size_t colon = what.rfind(':');
    const std::filesystem::path host = what.substr(0, colon);
    const std::string guest = colon != std::string::npos ? what.substr(colon + 1)
                                                         : std::filesystem::absolute(host).string();
    std::ifstream stream(host, std::ios::binary);
    if (!stream) return Error{ENOENT, "Cannot read " + host.string() + " for --file."};
    if (guest.empty() || guest[0] != '/')
        return Error{EINVAL, "A path in the guest starts with /: --file " + what};
    if (::access(host.c_str(), X_OK) == 0) {
        job.programs.push_back({host, guest});
    } else {
        job.files.emplace_back(std::string{std::istreambuf_iterator<char>(stream), {}}, guest);
    }
    return {};
}

Result<GuestJob> exec_job(const ExecOptions& options) {
    GuestJob job;
    const std::filesystem::path program = host_program(options.arguments.front());
    if (program.empty())
        return Error{ENOENT, "There is no program " + options.arguments.front() +
                                 " on this machine to be taken into the guest."};
    job.arguments = options.arguments;
    job.arguments.front() = std::filesystem::absolute(program).string();
    job.programs = {{program, job.arguments.front()}};
    job.tools = true;
    job.capture_output = true;
    for (const std::string& file : options.files)
        if (auto added = add_file(job, file); !added) return added.error();
    for (const std::string& assignment : options.environment) {
        const size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{EINVAL, "--env takes NAME=VALUE, not \"" + assignment + "\"."};
        job.environment.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
    }
    return job;
}

}  // namespace

int shell_command(const VmOptions& options) {
    const Progress progress = progress_for_people();
    if (::isatty(STDIN_FILENO) == 0 && !options.print_command)
        progress("Standard input is no terminal; the guest ends when QEMU does.");
    Result<ResultsFolder> out = ResultsFolder::open(options.out);
    if (!out) return fail(out.error());
    GuestJob job;
    job.arguments = {"/bin/sh", "-l"};
    job.interactive = true;
    job.tools = true;
    const char* terminal = std::getenv("TERM");
    job.environment = {{"TERM", terminal != nullptr ? terminal : "linux"}};
    job.files = {{kProfile, "/etc/profile"}};
    if (auto scenarios = own_program("zcrx-scenarios"))
        job.programs = {{*scenarios, "/usr/bin/zcrx-scenarios"}};
    Result<PreparedVm> vm = prepare_vm(options, job, *out, progress);
    if (!vm) return fail(vm.error());
    for (const std::string& note : vm->notes) progress(note);
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out->write("qemu-command.txt", by_hand); !written)
        return fail(written.error());
    if (options.print_command) {
        fmt::print("{}", by_hand);
        return 0;
    }
    fmt::print(stderr, "{}\n", quoted_for_shell(vm->machine.qemu));
    // A person may take all the time in the world.
    const hours unbounded(24 * 365);
    Watch watch({unbounded, unbounded, unbounded}, steady_clock::now());
    MachineEars ears;
    ears.qemu_error = [](std::string_view bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    };
    if (auto ran = run_machine(vm->machine, watch, ears); !ran) return fail(ran.error());
    if (watch.state() == VmState::kInterrupted) return 130;
    if (watch.reason().find("NIC") == std::string::npos) return 0;
    return fail({EIO, watch.reason() + " See " + out->file("device.log").string() + "."},
                kExitLost);
}

int exec_command(const ExecOptions& options) {
    const Progress progress = progress_for_people();
    const Result<GuestJob> job = exec_job(options);
    if (!job) return fail(job.error());
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());
    const Result<PreparedVm> vm = prepare_vm(options.vm, *job, *out, progress);
    if (!vm) return fail(vm.error());
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out->write("qemu-command.txt", by_hand); !written)
        return fail(written.error());
    if (options.vm.print_command) {
        fmt::print("{}", by_hand);
        return 0;
    }
    const Result<ProgramEnd> end = run_program(options.vm, *vm, *out, [](std::string_view bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), stdout);
        std::fflush(stdout);
    });
    if (!end) return fail(end.error());
    if (end->state != VmState::kDone) fmt::print(stderr, "{}\n{}", end->reason, end->last_words);
    return end->exit;
}

}  // namespace zcrxlab
