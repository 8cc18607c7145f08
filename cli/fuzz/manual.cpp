// What "zcrxlab fuzz --help" says behind the options.
#include "cli/fuzz/fuzz.hpp"

namespace zcrxlab {

std::string fuzz_manual() {
    return R"text(
DESCRIPTION
    Makes random lists of actions from a model that knows what may be done when and what has to come
    of it, and runs them, --batch in each VM; some break the rules on purpose, and must be refused
    with the errno that is promised. Where the contract is exact the list says so, as "expect=" of a
    call, as "count" (requests and final CQEs of a stream), "buffers" and "capacity". All invariants
    and the kernel log judge. The same --seed gives the same lists in the same order, whatever --jobs
    and --batch are.

    A list is in a file before the VM starts. If a guest panics or hangs, the lists behind the one
    that was running go on in another VM. Failures are told apart by their fingerprint: the first
    complaint without its numbers, or the top frames of the first splat. Every 5 seconds, from the
    beginning, it says how many lists have ended, how many that is in a second, how many ways through
    the kernel's code were reached (from one piece of a function to the next, where the kernel counts
    them), and how often which fingerprint was seen.

    With --corpus the lists of that folder come first. Then every list that reaches a new way is put
    there, and every second list is made from one of them: what it does up to some point, and then
    something else. That needs a kernel that counts ("zcrxlab kernel build --config coverage"). A
    *.actions file of one's own may lie there too. Which list is made from which depends on what was
    kept by then, so with --corpus only the folder's content and the seed together give the same.

FILES
    failures/NAME/    the first list of each fingerprint, for "repro" and "shrink": list.actions and
                      failure.json
    vm1-1/ ...        the last batch of each job: lists/, run.log, and in out/ what "run" leaves
    DIR/*.actions     with --corpus: lists that were worth keeping

EXIT CODES
    0 no list failed, 1 one did, 4 the time was up before the first list, 64 wrong usage, or no VM
    could be started

EXAMPLES
    zcrxlab fuzz --nic nodev --kernel 7.2.6 --time 600
    zcrxlab fuzz --nic nodev --kernel 7.3-coverage --corpus ~/lists
    zcrxlab fuzz --print --lists 3 --seed 7
)text";
}

}  // namespace zcrxlab
