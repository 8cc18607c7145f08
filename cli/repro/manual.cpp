// What "zcrxlab repro --help" says behind the options.
#include "cli/repro/repro.hpp"

namespace zcrxlab {

std::string repro_manual() {
    return R"text(
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

    What it has made, it runs: where the bug must show (--bad, or where the failure was seen), and
    where it must not (--good, or what the failure knows as good, else the default kernel). What came
    of it is said on standard error, and stands in the C file, the script, failure.json and the mail,
    which claim nothing else. --no-check leaves that out, and they say so. A list can show what its C
    file does not: invariants that only the trace can tell, or a moment that a faster program misses.

    What shows a finding that is embargoed (docs/findings.md) is not given out: it is an error, and
    nothing is made, unless --security yes says that it is for security@kernel.org and maintainers.
    Then its title says so, too. With --no-check nobody looks what a list shows.

    "# expected: ..." and "# happens: ..." at the beginning of a list go into the first comment.

    "zcrxlab repro again" makes a list of each test in the folder of a run (with "run --whole-trace",
    since a run keeps 500 events of what passed), runs the lists, and compares: the verdict, broken
    invariants, ifqs, refused calls, faults, and of each stream its bytes and how its requests ended.
    The table is again.md in --out, the lists are in lists/.

    "zcrxlab repro run" builds such a file statically and runs it on each kernel: good (0, and a
    clean kernel log), bad (1, a complaint in the kernel log, a panic), or not to be judged.

EXIT CODES
    0 what was made did as it was foretold; 1 it was made, and did not; 4 it was made, and no kernel
    could judge it; 64 wrong usage, nothing could be made or started.
    Of "repro again": 0 all did the same that are made of actions, 1 otherwise.
    Of "repro run": 0 all were good, or, with --good and --bad, just as that says; 1 otherwise; 4
    none could be judged; 64 wrong usage, or nothing could be started.

EXAMPLES
    zcrxlab repro list.actions --bad 7.2.12 --good 7.3.4 -o repro.c
    zcrxlab repro list.actions --no-check -o repro.c
    zcrxlab repro again zcrxlab-out --test 'refill.*'
    zcrxlab repro run repro.c --kernel 7.2.6,7.2.12,7.3
    zcrxlab repro run repro.c --bad 7.2.6 --good 7.3.4
    zcrxlab repro zcrxlab-shrink/smallest --as bundle --security no --tree ~/linux -o report
)text";
}

}  // namespace zcrxlab
