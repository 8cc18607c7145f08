// What "zcrxlab coverage --help" says behind the options.
#include "cli/coverage/coverage.hpp"

namespace zcrxlab {

std::string coverage_manual() {
    return R"text(
DESCRIPTION
    Runs the scenarios on a kernel that counts (default 7.3-coverage; "zcrxlab kernel build --config
    coverage" makes it) and shows which lines and branches of the sources in
    kernel-config/coverage.scope were run, from power-on to the end; with --also, on several NICs one
    after another. Functions that were not wholly run are listed with the reason that
    kernel-config/coverage.unreached gives.

    What was run is a map of what is not asked yet, never a proof that what was asked is right.
    --mutate looks at that: it builds the kernel once as it is and runs the scenarios, then with each
    patch in turn, until a scenario fails that did not fail before. It counts if it fails again in
    three runs of the scenario alone, and in none of three without the patch. So does a guest that is
    lost or falls silent; one that panics counts at once, as its console says why. What fails and is
    not proved so is told as "at times", with how many runs of it alone failed. The kernel tree is not
    written to: a twin of hard links is changed.

    --generate makes the mistakes itself, one small change each, in the functions that
    kernel-config/coverage.scope names of a source, or in all if it names none. They are in one
    kernel, OUT/switched-bzImage, which makes the one whose number is set: what nobody notices is
    told with its setting, as "run --module-parameter kernel.mutant_FILE=NUMBER" takes it. Those that
    have to be constants are built one at a time. That kernel says, too, which of them each scenario came by
    (kernel.reached_FILE): who did not cannot notice it, and is not asked. Scenarios that noticed a
    mistake in the same function, or many in the same source, are asked first, on --nic and on the NICs
    of --also. What these do not notice is compiled alone, and set aside if it does not compile, or if
    the compiler makes the same code of it. Then all are asked, on one NIC after the other.

    They are tried by lot (--seed), so that what is broken off is a sample, and several at once
    (--at-once). Each result is kept as it comes: ended by Ctrl-C and typed again with the same --out,
    the command goes on there, and so does one with another --sample or --seed. On several machines,
    give each its --shard and its own --out, and join these with --join. --left-by DIR asks another
    kernel or machine about what nobody noticed in that --out: --config debug, --iommu.

    What other code does the same (a WARN that never fires, a pointer that is poisoned and freed),
    nobody could notice. kernel-config/unnoticeable/FILE.list names it by hand, with the reason. A row
    that is about no mistake any more, or about one that was noticed, is told, and fails with --check.
    --try-none looks at the lists alone.

    ci/coverage measures the kernel's selftest and liburing's test in the same way.

FILES
    coverage.json    the counts, by file, function and suite
    coverage.html    one page: the table, and each function's source with its counts beside it
    NIC/             of --also: what its run has left
    mutations.json   of --mutate and --generate, a mistake on each line: name, title, source,
                     function, line, rule, noticed, panicked, test, nic, invariants, said, seconds,
                     at_times, alone, set_aside, by_hand, unreached, each where it is not empty; and
                     the score
    record/          the same without words and times, short enough to be kept beside the code;
                     --join takes it, too
    mutations.html   of --generate, one page: the sources, each line coloured by what became of the
                     mistakes on it, with who noticed beside it
    patches/         of --generate: the mistakes
    NAME/, NAME.log  of --mutate: what the run with the patch NAME.patch has left

EXIT CODES
    Those of "zcrxlab run"; 1 also where --check finds something. Of --mutate: 0 all were noticed, 1
    one was not, 64 one could not be tried.

EXAMPLES
    zcrxlab coverage --filter 'registration.*'
    zcrxlab coverage --also bnxt --check
    zcrxlab exec --kernel 7.3-coverage --out mine --file ./my-test -- ./my-test
    zcrxlab coverage --from zcrxlab-coverage --beside mine=mine
    zcrxlab coverage --mutate tests/kernel_mutations/*.patch
    zcrxlab coverage --generate io_uring/zcrx.c --sample 25 --seed 7
    zcrxlab coverage --generate io_uring/zcrx.c --sample 100 --seed 7 --also nodev
    zcrxlab coverage --generate io_uring/zcrx.c --try-none --check
    zcrxlab coverage --generate io_uring/zcrx.c --shard 2/3 --out part-2
    zcrxlab coverage --generate io_uring/zcrx.c --join part-1,part-2,part-3
)text";
}

}  // namespace zcrxlab
