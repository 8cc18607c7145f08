// What "zcrxlab --help" says behind the commands.
#include "cli/manual.hpp"

namespace zcrxlab {

std::string program_manual() {
    return R"text(
ENVIRONMENT
    ZCRXLAB_CACHE    folder for fetched kernels and QEMU (default $XDG_CACHE_HOME/zcrxlab, else
                     ~/.cache/zcrxlab)
    ZCRXLAB_MIRROR   Debian mirror to fetch them from (default: that of this machine's apt)
    ZCRXLAB_QEMU     the QEMU program to use
    ZCRXLAB_SOAK_SECONDS
                     how long the chapter soak takes (default 60); it needs --timeout, too
    XDG_RUNTIME_DIR  where the sockets of a run live (default /tmp)

FILES
    Written to --out by a run, replacing those of an earlier one:
    results.tap       TAP version 13
    results.xml       JUnit
    results.json      kernel, nic, seed, seconds, ending, features, and tests: name, status, seconds,
                      message
    console.log       the guest's serial console
    kernel.log        the guest's whole kernel log
    trace.jsonl       every event of every scenario
    ended.jsonl       the result of each scenario as soon as it is there
    profile.jsonl     what a kernel built for coverage has counted
    device.log        what the emulated NIC had to say
    wire.pcapng       the frames between its two ports
    qemu.log          what QEMU had to say, if anything
    qemu-command.txt  a shell script that starts the same VM by hand
    guest.cpio        the guest's root file system
    Of several VMs, each keeps its own logs and command in vm1, vm2 ... below --out.

EXIT CODES
    0    all passed
    1    a scenario failed
    4    all were skipped
    64   wrong usage, or something is missing; the message says what to type
    74   nothing failed, but results or standard output could not be written as a whole
    124  it took longer than --timeout, or the guest went silent
    130  interrupted, or nobody reads standard output any more
    255  the guest's kernel panicked, or the guest was lost

EXAMPLES
    zcrxlab run
    zcrxlab run --kernel 7.2 --filter 'receive.*' --seed 7 -v
    zcrxlab run --fault '{"what":"drop","match":{"payload":true,"every":100}}'
    zcrxlab shell --cpus 4
    zcrxlab exec -- ethtool -i eth0
    sudo zcrxlab lab --nic ens1f0np0 --peer netns:ens1f1np1
    zcrxlab matrix --kernels all
    zcrxlab bisect --good 7.2 --bad 7.3 'receive.*'
    zcrxlab trace zcrxlab-out --around failure
    zcrxlab explain EEXIST register
    zcrxlab fuzz --nic nodev --kernel 7.2.6
    zcrxlab repro run repro.c --kernel 7.2.6,7.3
)text";
}

}  // namespace zcrxlab
