// The format of lists, and what repro, fuzz and shrink do.
#include "vm/manual_actions.hpp"

#include "harness/actions/form.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kMoreOfRun = R"text(
ACTIONS
    With --actions the guest does what a list says, in place of scenarios, and all invariants judge
    it as they judge a scenario. A list is text, an action a line:

        [THREAD:] VERB [NAME] [PARAMETER=VALUE ...]   # for people

    Numbers are like 4096, 4KiB or 0x10. Names are made by one action and used by those behind it,
    of the same thread. What a list has made is closed at its end, or at the end of the thread. A
    registration is without a NIC (ZCRX_REG_NODEV) unless it says device=yes. "expect=ERRNO" says
    what is promised; a call that should have succeeded and did not ends the list. For example:

        # a burst larger than the area, then silence
        ring r
        register q ring=r area=16KiB
        connect s ifq=q
        send s bytes=60000 cut=1000
        wait s queued=60000
        arm s
        wait s bytes=60000

    The actions are:

)text";

constexpr const char* kMoreOfRepro = R"text(
DESCRIPTION
    Gives a list of actions (see "zcrxlab run --help"), or the folder of a failure that "fuzz" or
    "shrink" has left, out in a form that others can run without this program:

    --as c       one C file: raw system calls, libc, kernel headers, and nothing else. Its first
                 comment says what is expected, what happens and how to run it; exit code 0 is as
                 expected, 1 the bug, 77 that it cannot be tried. A list without device=yes needs no
                 NIC. What only the emulated NIC can do (fault, link) no C file can, and header split
                 is set through netlink: then the error says so, and the script can.
    --as script  a shell script that boots the kernel with the emulated NIC and does the list
    --as list    the list; of a trace.jsonl, and its --test, that which does again what it shows.
                 What a list cannot say is named in its comments: "not in here: ..."
    --as bundle  a folder for a report: list.actions, failure.json, repro.c, repro.sh, settings.txt,
                 the kernel's config where that kernel is here, splat.txt with places in the source
                 where a vmlinux with debugging information is (--vmlinux, or that of a kernel that
                 was built; else it says that it is raw), and mail.txt, plain text for the kernel's
                 lists. With --tree, who gets it is read from MAINTAINERS. A bundle has to know
                 whether this could be a security bug: it asks, or takes --security.

    "# expected: ..." and "# happens: ..." at the beginning of a list go into the first comment.

    "zcrxlab repro again" makes a list of each test in the folder of a run (with "run --whole-trace",
    since a run keeps 500 events of what passed), runs the lists, and compares: the verdict, broken
    invariants, ifqs, refused calls, faults, and of each stream its bytes and how its requests ended.
    The table is again.md in --out, the lists are in lists/.

    "zcrxlab repro run" builds such a file statically and runs it on each kernel: good (0, and a
    clean kernel log), bad (1, a complaint in the kernel log, a panic), or not to be judged.

EXIT CODES
    Of "repro again": 0 all did the same that are made of actions, 1 otherwise.
    Of "repro run": 0 all were good, or, with --good and --bad, just as that says; 1 otherwise; 4
    none could be judged; 64 wrong usage, or nothing could be started.

EXAMPLES
    zcrxlab repro list.actions -o repro.c
    zcrxlab repro again zcrxlab-out --test 'refill.*'
    zcrxlab repro run repro.c --kernel 7.2.6,7.2.12,7.3
    zcrxlab repro run repro.c --bad 7.2.6 --good 7.3.4
    zcrxlab repro zcrxlab-shrink/smallest --as bundle --security no --tree ~/linux -o report
)text";

constexpr const char* kMoreOfFuzz = R"text(
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
    0 no list failed, 1 one did, 64 wrong usage, or no VM could be started

EXAMPLES
    zcrxlab fuzz --nic nodev --kernel 7.2.6 --time 600
    zcrxlab fuzz --nic nodev --kernel 7.3-coverage --corpus ~/lists
    zcrxlab fuzz --print --lists 3 --seed 7
)text";

constexpr const char* kMoreOfShrink = R"text(
DESCRIPTION
    Takes actions away, then simplifies arguments, fault rules, threads and numbers, as long as the
    list still fails with the same fingerprint. The candidates of a step are tried in one VM after the
    other, --batch in each; of those that fail, all that they take away is taken away at once, if the
    list then still fails. Kernel and NIC are those of the failure unless they are named. Meanwhile
    waits give up after 3 seconds, if it fails so too; the list that is found has its own bounds again.

    A list that lost an action may ask for what nobody promises, and fail for that. With --good, a
    kernel without the bug (one with the fix, or a later one), what fails there, too, is not taken.

    First, last, and before a smaller list is taken, it is measured how often it fails (--repeats).
    Where that is not always, each candidate is tried several times; the one that fails most often is
    taken, and none that fails much more rarely than what was found before.

FILES
    smallest/   the smallest list, for "repro": list.actions and failure.json
    first-1/, try1-1/, good1-1/, sure1-1/, last-1/ ...
                the batches, as for "fuzz"

EXIT CODES
    0 the smallest list was found, 1 it did not fail at all, 64 wrong usage, or no VM could be
    started

EXAMPLE
    zcrxlab shrink zcrxlab-fuzz/failures/NAME --good 7.3.4
)text";

}  // namespace

std::string manual_of_actions(const std::string& command) {
    if (command == "run") return kMoreOfRun + actions_manual();
    if (command == "repro") return kMoreOfRepro;
    if (command == "fuzz") return kMoreOfFuzz;
    if (command == "shrink") return kMoreOfShrink;
    return {};
}

}  // namespace zcrxlab
