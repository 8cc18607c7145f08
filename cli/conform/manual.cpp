// What "zcrxlab conform --help" says behind the options.
#include "cli/conform/conform.hpp"

namespace zcrxlab {

std::string conform_manual() {
    return R"text(
DESCRIPTION
    Says whether PROGRAM, a receiver with io_uring zero-copy receive, is right. It is started
    unchanged, as "zcrxlab exec" starts it, in a guest whose NIC is ready for it; once for each
    situation, all in one VM. A peer in the guest's other network namespace connects to --port, and
    peer and NIC make the situation on purpose: packets are lost, the CQ gets full, the peer resets
    the connection. When the peer is done, the program gets a second to end, then SIGTERM.

    The program need not help. The kernel counts by probes what it gave to it, and what it put into
    the refill ring; the peer knows what it has sent, and sees what becomes of its connections. So a
    verdict tells
      bytes that the program never took, and what the kernel had said to it before that,
      entries of the refill ring that give back what is not held, name nothing, or find no room,
      pieces that were never given back, and a NIC that found no buffer,
      connections that were given up, or left open behind their end,
      a processor that was busy while nobody said anything,
      memory and open files that grow with each connection that comes and goes,
      a crash, an error as its exit code, and a queue that is still taken after its end.
    With --check echo the peer compares what comes back, and says from which byte on it is wrong,
    and by how many bytes it was shifted. With --check sha256 the program sends back, or prints, the
    SHA-256 of each connection at its end, as 64 hex digits.

    With --client CMD the program's own client runs in place of our peer, for a program that wants
    its client's protocol. CMD is a command of a shell, in the peer's network namespace, as the same
    user, in the same folder and with the same environment as the program: it connects to $LOCAL_V4
    or $LOCAL_V6 and $ZCRX_PORT. It runs once in each situation, and again where that asks for it.
    It compares by itself what it gets, and ends with 0 if all is well. Its bytes are nobody's but its
    own, so there is no --check. What our peer makes by what it sends (a FIN alone, a reset, tiny
    writes, 64 connections at once ...) is skipped; "conform --client CMD --list" lists the others.
    What happens amid the packets happens when 30 with payload have come from the client, so it
    should send 100 KiB and more, without waiting for each answer: one that sends less leaves
    situations "blocked", or "skipped" where it never fills what is to get full. A verdict tells of
    the client's exit code, of a run that did not end in --client-timeout, of connections that are
    still open 10 s after the client has ended them, and of all else that is told above. --port can
    be given several times: connections to each of them go to the queues. Without one, the program
    steers by itself, and the client starts once it listens on any port.

    In two situations the program does not get its queue. There it is right if it ends with an exit
    code that is not 0, or receives what comes in the ordinary way. In "killed" it is started anew
    after kill -9, as soon as its queue is free. "two_queues" needs --queues 2.

    A kernel before 7.3 does not tell which entries of the refill ring name nothing, so "plain" is
    blocked there; and where streams stand still by a known bug of the kernel, the situation is
    blocked and names it.

    A red verdict says what the program did, what the kernel promises (a row of docs/contract.md),
    and what to change. A situation that could not be made, or not be judged, is "blocked", one that
    cannot happen to this program is "skipped", with the reason; neither passed.

FILES
    In --out, beside what "run" leaves there (results.tap, results.xml, results.json):
    program.log     what the program printed, situation by situation
    peer.log        what the peer told, and the client printed
    zcrx.txt        what zero-copy receive did, as exec says it, situation by situation

EXIT CODES
    0    the program did right in all situations that can happen to it
    1    in a situation the program did wrong
    4    nothing wrong was seen, and a situation could not be judged
    64   wrong usage, or something is missing; the message says what to type
    74   nothing failed, but results could not be written as a whole
    124  not done in --timeout
    126  the program is not executable
    127  there is no such program, or a library of it is missing
    130  interrupted
    255  the guest's kernel panicked, or the guest was lost

EXAMPLES
    zcrxlab conform --port 8080 -- ./server 8080
    zcrxlab conform --port 8080 --filter cq_full --filter reset -- ./server 8080
    zcrxlab conform --port 8080 --check echo -- ./echo_server 8080
    zcrxlab conform --port 8080 --check sha256 --html verdict.html -- ./server 8080
    zcrxlab conform --port 8080 --client './client $LOCAL_V4 8080' -- ./server 8080
    zcrxlab conform --list
    zcrxlab conform --examples
)text";
}

}  // namespace zcrxlab
