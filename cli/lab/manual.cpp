// What "zcrxlab lab --help" says behind the options.
#include "cli/lab/lab.hpp"

namespace zcrxlab {

std::string lab_manual() {
    return R"text(
DESCRIPTION
    Runs the scenarios on a port of this machine, without a VM: --nic is the port under test, --peer
    the other end of its cable. First it only looks: driver, firmware, queues, rings, header split,
    RSS, flow rules. It refuses a port that somebody needs (default route, a connection or disk over
    it, an address, a bond, bridge or VLAN, virtual functions, an XDP program, somebody's queues,
    RDMA users, the last link that is up), with each reason and what to type. Then it shows what it
    will change, as commands, and asks.

    The peer's port goes into a network namespace of its own, since between two addresses of one
    namespace the kernel would take the short way. Addresses come from 198.18.0.0/15 and fd00::/8,
    from a part that is not routed.

    With --peer ssh:HOST the port is on another machine. HOST is as ssh takes it, must let us in
    without a question, and as root, or as a user who may type sudo there without a password. A
    static program (zcrx-peer) is copied there, removes its file as its first act, refuses a port
    that somebody there needs, and joins it with the connection; it adds no address and brings
    nothing up or down, and it ends when the connection does. The namespace then has a TAP whose
    frames come out of that port: the peer's TCP runs here. If the connection ends early, what was
    seen is no verdict (255).

    What the ports were like is written to a journal, and is on the disk before the first change. It
    is put back, and all of it compared (I8), after success, failure and Ctrl-C. After kill -9, a
    crash or a power loss, "zcrxlab lab restore" does the same from the journal, or the next run
    with --yes. What could not be put back is said, and the journal stays. What tc set on the peer's
    port is neither kept nor compared: the kernel drops it when a port changes its namespace.

    Order and peculiarities of bnxt_en, mlx5_core, gve and fbnic are known; of other drivers what
    they have is tried. A real NIC keeps no log of what it wrote, so that I4 is judged by what its
    driver counts: whatever zero-copy receive delivered must have come in through its queue. This is
    weaker than the log of an emulated NIC: a copy behind the queue is not noticed.

    With --bench what a byte costs is measured: with zero-copy receive, multishot recv with a buffer
    ring, and recv(), at several buffer sizes and numbers of queues. All ways take turns. Bytes over
    the memory bus are counted where the machine's memory controllers can be (perf).

    With --bring-up a driver is asked that has just got the queue API and zero-copy receive. Each
    check is a scenario as any other. Behind them stands what they say of the driver, stage by
    stage, in the order in which it comes up: a queue is taken, and receives; it is given back, with
    buffers with the device, with the user and in sockets; it restarts while packets come in to it,
    taken as well as given back; each operation of the driver fails in turn; it is taken and given
    back a hundred times, and page pools, pinned and locked memory and objects of the kernel
    (/proc/slabinfo) are counted. Of each stage it says what failed, which of the driver's
    operations to look at, and what was not asked, with the reason. Operations fail where the
    kernel can be asked to let them fail (CONFIG_FAULT_INJECTION, CONFIG_FAIL_FUNCTION; "zcrxlab
    kernel build --config faults" has them), or the device, which only an emulated one can: zcrxlab
    run --filter 'bring_up.*'.

FILES
    /var/lib/zcrxlab/lab/   journals, by the port's place on the PCI bus, those of "run --nic
                            vfio:..." as well; an empty one is done with
    What "run" leaves in --out, but for what comes from QEMU and the emulated NIC.
    bench.json, bench.svg   of --bench: the tables, and a picture

ENVIRONMENT
    ZCRXLAB_LAB_STATE    folder for the journals
    ZCRXLAB_LAB_DIE_AT   N: for trying "lab restore": end as kill -9 would, before the Nth change

EXIT CODES
    0    all passed, and the ports are as they were
    1    a scenario failed, or something could not be put back
    4    all were skipped or blocked
    64   wrong usage, a port that is not taken, or one that could not be made ready
    124  it took longer than --timeout
    130  interrupted
    255  the scenario program was lost, or the connection to the peer's machine

EXAMPLES
    zcrxlab lab --nic ens1f0np0 --peer ens1f1np1 --plan
    sudo zcrxlab lab --nic ens1f0np0 --peer ssh:root@lab2,ens1f1np1
    sudo zcrxlab lab --nic ens1f0np0 --peer netns:ens1f1np1 --filter 'receive.*'
    sudo zcrxlab lab --nic ens1f0np0 --peer ens1f1np1 --bench
    sudo zcrxlab lab --nic ens1f0np0 --peer ens1f1np1 --bring-up
    sudo zcrxlab lab restore
    sudo zcrxlab lab split ens1f0np0
)text";
}

}  // namespace zcrxlab
