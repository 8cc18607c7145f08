// Boots the VM with a login shell on its serial console.
#include "cli/shell/shell.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "vm/programs.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

namespace {

using std::chrono::hours;
using std::chrono::steady_clock;

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

}  // namespace

int shell_command(const ShellOptions& options) {
    const Progress progress = progress_for_people();
    if (::isatty(STDIN_FILENO) == 0 && !options.vm.print_command)
        progress("Standard input is no terminal; the guest ends when QEMU does.");
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
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
    Result<PreparedVm> vm = prepare_vm(options.vm, job, *out, progress);
    if (!vm) return fail(vm.error());
    for (const std::string& note : vm->notes) progress(note);
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out->write("qemu-command.txt", by_hand); !written)
        return fail(written.error());
    if (options.vm.print_command) {
        fmt::print("{}", by_hand);
        return 0;
    }
    fmt::print(stderr, "{}\n", quoted_for_shell(vm->machine.qemu));
    // A person may take all the time in the world.
    const hours unbounded(24 * 365);
    Watch watch({unbounded, unbounded, unbounded}, steady_clock::now());
    MachineCallbacks callbacks;
    callbacks.qemu_error = [](std::string_view bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    };
    if (auto ran = run_machine(vm->machine, watch, callbacks); !ran) return fail(ran.error());
    if (watch.state() == VmState::kInterrupted) return kExitInterrupted;
    if (watch.reason().find("NIC") == std::string::npos) return 0;
    return fail({EIO, watch.reason() + " See " + out->file("device.log").string() + "."},
                kExitLost);
}

}  // namespace zcrxlab
