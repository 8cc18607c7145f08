// The parts of the manual that are not options.
#include "vm/manual.hpp"

#include <fmt/format.h>

#include <sstream>

#include "vm/manual_actions.hpp"
#include "vm/manual_cards.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kWidth = 92;
constexpr size_t kOptionIndent = 8;

constexpr const char* kMoreOfTheProgram = R"(
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
    124  it took longer than --timeout, or the guest went silent
    130  interrupted
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
)";

constexpr const char* kMoreOfMatrix = R"text(
DESCRIPTION
    Runs the suite on each kernel with each NIC, each as one "zcrxlab run" of its own, and shows one
    table: chapters and features of the kernel down, kernels across. The next kernel is fetched
    while another one runs. Which features a kernel has, the guest finds by trying.

    A cell is passed; failed; known (a known bug of this kernel, and nothing else); not supported
    (all of its tests were skipped, for what kernel or NIC lack); or not run. The row "guest" is
    failed where a kernel did not come up or did not stay up: the others go on.

    What is finished is not run again: interrupted, the same command goes on where it was; with more
    kernels, it runs those. Results on other terms (version of zcrxlab, filter, options, seed) are
    never mixed in: another --out is asked for. To have one run again, remove its folder.

    On several machines, give each its --shard and its own --out, and join these with "zcrxlab
    merge". Mirrors move on: let one machine say which kernels ("zcrxlab matrix --plan"), and name
    these to all of them with --kernels.

FILES
    matrix.json   all results, for "zcrxlab merge" and other programs
    matrix.md     the table as Markdown
    matrix.html   the same as a page that needs nothing but itself: a cell opens to its tests, what
                  they said, and the command that repeats it
    7.3.4-gve/    and so on: run.json, once it is finished; run.log; and what "run" leaves in --out

EXIT CODES
    0    nothing failed
    1    a test failed
    4    nothing was run that was not skipped
    64   wrong usage, or a kernel could not be fetched or started
    124  a run took longer than --timeout
    130  interrupted
    255  a guest panicked or was lost

EXAMPLES
    zcrxlab matrix
    zcrxlab matrix --kernels all --nic gve
    zcrxlab matrix --kernels 7.2.6..7.3,./linux/arch/x86/boot/bzImage --filter 'receive.*'
    zcrxlab matrix --kernels "$(zcrxlab matrix --kernels all --plan)" --shard 2/3 --out part-2
)text";

constexpr const char* kMoreOfBisect = R"text(
DESCRIPTION
    Finds the two stock kernels, next to each other among those that can be had ("zcrxlab kernels"),
    between which TEST went from passing to failing, or, if --bad is the older one, from failing to
    passing; then says what Debian's changelog has between them. A version may be a series ("7.2"),
    which is its newest kernel.

    First --good has to be good and --bad to be bad. What is compared from then on are the tests
    that pass on the one and fail on the other. A kernel is

    good              if all of these pass
    bad               if one of them fails, also as "known": a bug that is in the list of known bugs
                      is still there; or if the kernel panics while one of them runs
    cannot be judged  in all other cases: they are skipped, there is no driver for the NIC, it does
                      not boot, it is too slow for --timeout, it cannot be fetched. It is stepped
                      over, as "git bisect skip" does; if no other is left next to where the verdict
                      changes, all that remain are named

    Each kernel is shown as it has been tried: its verdict, seconds, how many are left, and what the
    tests said. With --jobs N, N kernels at once divide what is left into N + 1 parts.

    Kernels stand in the order of their versions. A fix may be in 7.2.10 and come to 7.3 only with
    7.3.3: then the verdict changes more than once on the way, and one of these places is found.
    Verdicts that speak against a single change are named. A test that fails now and then is no
    test to bisect with.

    Kernels that were tried are not tried again: interrupted, the same command goes on where it was,
    and another range uses what is there already. Another seed, other options or another version of
    zcrxlab want another --out. To have a kernel tried again, remove its folder.

THE CHANGELOG
    It comes in a package of each kernel (1 MB, fetched for the two). Shown are the changes that
    name zcrx, page_pool, devmem, netdev, gve, bnxt, mlx5, fbnic, io_uring or tcp, in this order;
    all of them are in a file. Branches of Debian part where a series does, so that either kernel
    can have what the other has not. Of an upstream release (7.3) Debian names no single change, and
    of kernels up to 6.18 the mirror has no changelog: then the addresses of upstream's are printed,
    and the command for a tree of the stable kernels.

FILES
    changes-7.2.13-7.3.4.txt
                  all that the changelogs have between the two; * marks those that are shown
    7.3.4-gve/    and so on: run.json, once it is finished; run.log; and what "run" leaves in --out

EXIT CODES
    0    the two kernels were found
    1    kernels that cannot be judged are left between the two
    64   wrong usage; --good is not good, or --bad is not bad: the message says what to type
    130  interrupted

EXAMPLES
    zcrxlab bisect --good 7.3.4 --bad 7.2.6 areas.above_4_gib
    zcrxlab bisect --good 7.3.4 --bad 6.18.5 --nic gve teardown.unacked_send
    zcrxlab bisect --good 7.2 --bad 7.3 --jobs 2 'refill.*'
)text";

constexpr const char* kMoreOfCoverage = R"text(
DESCRIPTION
    Runs the scenarios on a kernel that counts (default 7.3-coverage; "zcrxlab kernel build --config
    coverage" makes it) and shows which lines and branches of the sources in
    kernel-config/coverage.scope were run, from power-on to the end. Functions that were not wholly
    run are listed with the reason that kernel-config/coverage.unreached gives.

    What was run is a map of what is not asked yet, never a proof that what was asked is right.
    --mutate looks at that: it builds the kernel once as it is and runs the scenarios, then with each
    patch in turn, until a scenario fails that did not fail before and fails again when it is run
    alone. The kernel tree is not written to: a twin of hard links is changed. ci/coverage measures
    the kernel's selftest and liburing's test in the same way.

FILES
    coverage.json    the counts, by file, function and suite
    coverage.html    one page: the table, and each function's source with its counts beside it
    mutations.json   of --mutate: patch, title, noticed, test, invariants, said, only_once
    NAME/, NAME.log  of --mutate: what the run with the patch NAME.patch has left

EXIT CODES
    Those of "zcrxlab run"; 1 also where --check finds something. Of --mutate: 0 all were noticed, 1
    one was not, 64 one could not be tried.

EXAMPLES
    zcrxlab coverage --filter 'registration.*'
    zcrxlab exec --kernel 7.3-coverage --out mine --file ./my-test -- ./my-test
    zcrxlab coverage --from zcrxlab-coverage --beside mine=mine
    zcrxlab coverage --mutate tests/kernel_mutations/*.patch
)text";

constexpr const char* kMoreOfLab = R"text(
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
    4    all were skipped
    64   wrong usage, a port that is not taken, or one that could not be made ready
    124  it took longer than --timeout
    130  interrupted
    255  the scenario program was lost, or the connection to the peer's machine

EXAMPLES
    zcrxlab lab --nic ens1f0np0 --peer ens1f1np1 --plan
    sudo zcrxlab lab --nic ens1f0np0 --peer ssh:root@lab2,ens1f1np1
    sudo zcrxlab lab --nic ens1f0np0 --peer netns:ens1f1np1 --filter 'receive.*'
    sudo zcrxlab lab --nic ens1f0np0 --peer ens1f1np1 --bench
    sudo zcrxlab lab restore
)text";

constexpr const char* kMoreOfTrace = R"text(
DESCRIPTION
    Tells what happened in each scenario of a run: a line for each thing that was seen, with
    milliseconds since the scenario's first event, the lane that it belongs to, and a sentence. Lanes
    are the wire, the device, the kernel log, each ring and each thread. What repeats with other
    numbers is folded, and said how often; --full shows all of it. The invariants are looked at
    again, and each violation stands behind the event that broke it, after ">>>>".

    FILE is the --out of a run or of exec, the folder of one VM, or a trace.jsonl. Beside it are looked
    for: wire.pcapng and device.log, for the wire and for faults; and results.json, there or in the
    folder above, for the verdicts. Nothing of these has to be there.

    Of a scenario that passed, a run keeps 500 events, of one that failed 20000. Where some are
    missing, that is said, and the invariants are not looked at again.

TIMES
    All times are the guest's. Host and guest have different clocks, and no event says how they
    differ; but a SYN comes before its connection is open, and a DMA write before its CQE. So frames
    and writes are shown as late as these allow: late by the fastest way through the guest, about a
    millisecond where it is emulated. A write of a device that does not say when it wrote
    (netdevsim, older traces) is shown at its CQE.

THE PAGE
    --html writes one file that needs nothing but itself: lanes over time, and each area as a map, a
    row for each buffer that was used. Its colour is its owner: free; posted to the device; in a
    socket (written, not delivered); with the user; in the refill ring (returned, and not known to be
    taken: the kernel takes entries in their order); or handed out twice. Drag to move, click to
    choose, control and the wheel to zoom. An event's address ends in #TEST/NUMBER.

EXIT CODES
    0    it was told, whatever it was
    64   wrong usage, no such file or test, or a file that was cut or is no trace: the message says
         which line

EXAMPLES
    zcrxlab trace zcrxlab-out --test receive.one_byte
    zcrxlab trace zcrxlab-out --around failure
    zcrxlab trace zcrxlab-out/vm2 --test 'refill.*' --html refill.html
)text";

constexpr const char* kMoreOfExec = R"text(
DESCRIPTION
    Starts PROGRAM in a guest that has this machine's files, as you, in this folder and with this
    environment, and connects it with us: what it prints comes as it comes, what we read goes there,
    its exit code is ours. Any program that starts here starts there unchanged. At a terminal it has
    a terminal, and Ctrl-C is its own; three times within a second ends the guest. Without one,
    SIGINT is passed on, and a second one ends the guest, as SIGTERM and SIGHUP do at once.

    What it changes is kept in the guest's memory and gone with the guest, but for folders that --rw
    names. Files are shown by virtiofsd, which runs as you: it reads what you can, and is fetched
    where the system has none. /dev, /proc, /sys and /run are the guest's. There is no way out of
    the guest's network. As anybody but root, the program keeps CAP_NET_ADMIN, which registering a
    queue takes, and locked memory is not limited.

    Before it starts, the NIC is made ready for zero-copy receive: header split on, the last --queues
    queues kept free by RSS, and connections to --port steered there. Of several queues, the client's
    port decides: port / 2 modulo the queues, rounded up to a power of two. SO_INCOMING_NAPI_ID tells
    which one it was.

    The peer is in the guest's other network namespace: its connections come over the NIC. When it is
    done and the program is not, --linger seconds later, the program gets SIGTERM, and the exit code
    is the peer's, unless that is 0 and the program exits by itself with another one.

    Afterwards it is said, without any help from the program, what zero-copy receive did: for each
    task, connection and queue, how many bytes lie where the NIC wrote them and how many the kernel
    copied, and why; how often the CQ was full and what errors there were; how many pieces came back
    and were out at once, and how often there was no buffer for the NIC; whether a queue was still
    taken after the program's end. The kernel counts that by probes on its functions, the NIC by
    itself; what a kernel has no function for is said not to be known. --expect turns it into a test.
    What is not known on any kernel: what a piece was held for, and who of several threads of one
    ring gave it back; and a piece that came back counts once the kernel has taken it from the refill
    ring, which it does when it runs out of buffers.

    "zcrxlab trace DIR", of the --out, tells the run in the order of time, as text or as a page: what
    was on the wire, what the NIC wrote where, the kernel log, and for each process what it had
    received every half second. Requests, CQEs and single buffers are the program's own, and not
    told. The NIC's newest 20000 writes are kept.

ENVIRONMENT
    Of the program and its peer, beside ours:
    NETIF                   the interface, with the zero-copy queues
    LOCAL_V4, LOCAL_V6      its addresses: where the program listens and the peer connects to
    REMOTE_V4, REMOTE_V6    those of the peer
    ZCRX_QUEUE, ZCRX_QUEUES the first of the queues, and all of them ("2 3")
    ZCRX_PORT, ZCRX_PORTS   the first --port, and all of them
    ZCRXLAB_PEER_NETNS      the peer's network namespace

FILES
    Beside what "run" leaves in --out:
    exec.json       how it ended: "ending" is exited, signalled, out_of_memory, timed_out,
                    ended_by_us, refused or guest_lost; "zcrx" is what zero-copy receive did, at the
                    end and over time, "not_as_expected" what --expect did not find
    zcrx.txt        the same in words, with all connections
    trace.jsonl     for "zcrxlab trace"
    peer.log        what the peer printed
    virtiofsd.log   complaints about this machine's files

EXIT CODES
    The program's, 128 + N if signal N killed it, and
    3    the program exited with 0, but something is not as --expect wants it
    64   wrong usage, or something is missing; the message says what to type
    124  it still ran --timeout after its start, or the guest went silent
    126  it is not executable
    127  there is no such program, or a library of it is missing
    130  interrupted
    255  the guest's kernel panicked, or the guest was lost
    Ours come with a line "zcrxlab: ..." on standard error.

EXAMPLES
    zcrxlab exec -- ./server --interface eth0
    zcrxlab exec --port 8080 --peer 'curl -sT file http://$LOCAL_V4:8080/' -- ./server 8080
    zcrxlab exec --port 9999 --queues 2 --send connections=8,size=4M,rate=1M -- ./server
    zcrxlab exec --port 80 --send pattern=http,requests=100,size=64K,think=5ms -- ./server
    zcrxlab exec --fault '{"what":"no_split","match":{"every":10}}' --port 80 --send size=1M -- ./x
    zcrxlab exec --port 80 --send size=8M --expect zero-copy=99% --expect errors=0 -- ./server
    zcrxlab exec --bare -- sh -c 'ethtool -k $NETIF'
    zcrxlab exec --examples
)text";

constexpr const char* kMoreOfMerge = R"(
DESCRIPTION
    Each DIR is the --out of a "zcrxlab matrix", or a folder that holds several of these. Writes
    matrix.json, matrix.md and matrix.html to --out and shows the table. Only results on the same
    terms (version of zcrxlab, filter, options, seed) can stand in one table. Runs that were planned
    and are nowhere finished are "not run".

EXIT CODES
    Those of "zcrxlab matrix", as if one machine had run it all.

EXAMPLE
    zcrxlab merge part-1 part-2 part-3 --out whole
)";

void wrap(std::ostringstream& out, const std::string& text, size_t indent) {
    std::istringstream words(text);
    std::string line(indent, ' ');
    for (std::string word; words >> word;) {
        if (line.size() > indent && line.size() + 1 + word.size() > kWidth) {
            out << line << "\n";
            line.assign(indent, ' ');
        }
        if (line.size() > indent) line += ' ';
        line += word;
    }
    if (line.size() > indent) out << line << "\n";
}

void write_options(std::ostringstream& out, const CLI::App& app) {
    std::string group;
    for (const std::string& current : app.get_groups()) {
        if (current.empty()) continue;
        const auto options = app.get_options(
            [&](const CLI::Option* option) { return option->get_group() == current; });
        if (options.empty()) continue;
        out << "\n" << (current == "Options" ? "OPTIONS" : current) << "\n";
        for (const CLI::Option* option : options) {
            const std::string value = option->get_type_name();
            out << "    " << option->get_name(false, true) << (value.empty() ? "" : " ") << value
                << "\n";
            std::string text = option->get_description();
            if (!option->get_default_str().empty())
                text += fmt::format(" (default {})", option->get_default_str());
            wrap(out, text, kOptionIndent);
        }
    }
}

}  // namespace

std::string ManualFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                       CLI::AppFormatMode /*mode*/) const {
    const CLI::App* parent = app->get_parent();
    const std::string full =
        parent == nullptr ? app->get_name() : parent->get_name() + " " + app->get_name();
    std::ostringstream out;
    out << "NAME\n    " << full << " - " << app->get_description() << "\n\nSYNOPSIS\n";
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    // It has options and a command.
    const bool both = app->get_name() == "lab";
    if (both) out << "    " << full << " --nic IFNAME --peer [netns:]IFNAME [OPTION...]\n";
    if (!commands.empty()) {
        out << "    " << full << " COMMAND [OPTION...]\n\nCOMMANDS\n";
        for (const CLI::App* command : commands)
            out << fmt::format("    {:<9}{}\n", command->get_name(), command->get_description());
        out << "    " << full << " COMMAND --help says more.\n";
        // A command that also does something by itself.
        if (!app->get_footer().empty())
            out << "    " << full << " [OPTION...]" << app->get_footer() << "\n";
    } else {
        out << "    " << full << " [OPTION...]" << app->get_footer() << "\n";
    }
    write_options(out, *app);
    if (parent == nullptr) out << kMoreOfTheProgram;
    if (parent != nullptr && app->get_name() == "matrix") out << kMoreOfMatrix;
    if (parent != nullptr && app->get_name() == "bisect") out << kMoreOfBisect;
    if (parent != nullptr && both) out << kMoreOfLab;
    if (parent != nullptr && app->get_name() == "merge") out << kMoreOfMerge;
    if (parent != nullptr && parent->get_parent() == nullptr)
        out << manual_of_actions(app->get_name()) << manual_of_cards(app->get_name());
    if (parent != nullptr && app->get_name() == "coverage") out << kMoreOfCoverage;
    if (parent != nullptr && app->get_name() == "trace") out << kMoreOfTrace;
    if (parent != nullptr && app->get_name() == "exec") out << kMoreOfExec;
    return out.str();
}

}  // namespace zcrxlab
