// What "zcrxlab exec --help" says behind the options.
#include "cli/exec/exec.hpp"

namespace zcrxlab {

std::string exec_manual() {
    return R"text(
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

    So whatever runs in the guest, the peer too, can read what you can and send nothing anywhere.
    What it prints and writes below --rw does come back, therefore the places where keys and tokens
    usually lie are empty there: in home folders .ssh, .gnupg, .aws, .azure, .kube, .docker, .netrc,
    .git-credentials, .npmrc, .pypirc, .password-store, .vault-token, .local/share/keyrings,
    .config/{gh,hub,gcloud,rclone,git/credentials}, .cargo/credentials.toml, .gem/credentials,
    .m2/settings.xml, and the profiles of browsers; shadow files, the keys of sshd, TLS, WireGuard
    and Kerberos in /etc; and unless you are root, /root. --hide hides more, --show shows one again.
    They are covered on this side, in a mount namespace of virtiofsd's own, so that not even the
    guest's kernel can look behind; where this machine gives you none, a line says so. Not as root,
    that takes a user namespace too, so that the guest sees the files of all other users as root's.
    The environment can have tokens as well: --clean-env keeps it back.

    Before it starts, the NIC is made ready for zero-copy receive: header split on, the last --queues
    queues kept free by RSS, and connections to --port steered there. Of several queues, the client's
    port decides: port / 2 modulo the queues, rounded up to a power of two. SO_INCOMING_NAPI_ID tells
    which one it was.

    With --selftests it is made as tools/testing/selftests/drivers/net of the kernel expect it, and
    no queue is taken. With their environment, which is set in any case, they start as they are.

    With --icount the guest is emulated, and QEMU counts its instructions: its clock goes a nanosecond
    for each (-icount shift=0), as on a CPU of 1 GHz, however long this machine takes for it. What
    has to be done within a time is done so by more programs; all of it takes longer here. A guest
    that waits does so in real time (sleep=on): with sleep=off its clock would jump to its next
    timer, and each timeout would be over before the NIC has answered, which is a process of this
    machine and knows nothing of that clock. So to a guest that computes, the NIC looks fast, and for
    one that waits it is as slow as ever. Where the NIC waits for a packet to join it to another one,
    that is 20 ms of this machine. Such a guest boots each time, has one CPU unless --cpus says more
    (all of them are one thread), and its times in "zcrxlab trace" are not those of the NIC. --timeout
    stays real time. KVM counts no instructions: --accel kvm is refused.

    Modules of the guest's kernel are loaded when the kernel or the program asks for them, as modprobe
    does it, from the kernel's packages. What was asked for in vain is named at the end.

    The peer is in the guest's other network namespace: its connections come over the NIC. When it is
    done and the program is not, --linger seconds later, the program gets SIGTERM, and the exit code
    is the peer's, unless that is 0 and the program exits by itself with another one.

    Afterwards it is said, without any help from the program, what zero-copy receive did: for each
    task, connection and queue, how many bytes lie where the NIC wrote them and how many the kernel
    copied, and why; how often the CQ was full and what errors there were; how many pieces were given
    back, how much of the area was needed, and how often there was no buffer for the NIC; whether a
    queue was still taken after the program's end. The kernel counts that by probes on its
    functions, the NIC by itself; what a kernel has no function for is said not to be known.
    --expect turns it into a test. With --no-probes nothing is counted and nothing said: so the
    kernel is as fast as it is, and an emulated one that boots is 2 s earlier where the program
    starts.
    What is not known on any kernel: what a piece was held for, and who of several threads of one
    ring gave it back.

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
    REMOTE_TYPE, REMOTE_ARGS "netns", and the name of the peer's network namespace (ip netns exec
                            $REMOTE_ARGS), as the kernel's driver selftests want them
    ZCRXLAB_PEER_NETNS      the same namespace as a path (nsenter --net=$ZCRXLAB_PEER_NETNS)

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
    74   nothing failed, but results or standard output could not be written as a whole
    124  it still ran --timeout after its start, or the guest went silent
    126  it is not executable
    127  there is no such program, or a library of it is missing
    130  interrupted, or nobody reads standard output any more
    255  the guest's kernel panicked, or the guest was lost
    Ours come with a line "zcrxlab: ..." on standard error.

EXAMPLES
    zcrxlab exec -- ./server --interface eth0
    zcrxlab exec --port 8080 --peer 'curl -sT file http://$LOCAL_V4:8080/' -- ./server 8080
    zcrxlab exec --port 9999 --queues 2 --send connections=8,size=4M,rate=1M -- ./server
    zcrxlab exec --port 80 --send pattern=http,requests=100,size=64K,think=5ms -- ./server
    zcrxlab exec --fault '{"what":"no_split","match":{"every":10}}' --port 80 --send size=1M -- ./x
    zcrxlab exec --port 80 --send size=8M --expect zero-copy=99% --expect errors=0 -- ./server
    zcrxlab exec --selftests -- tools/testing/selftests/drivers/net/ping.py
    zcrxlab exec --bare -- sh -c 'ethtool -k $NETIF'
    zcrxlab exec --clean-env --hide ~/secrets -- ./server
    zcrxlab exec --examples
)text";
}

}  // namespace zcrxlab
