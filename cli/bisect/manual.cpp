// What "zcrxlab bisect --help" says behind the options.
#include "cli/bisect/bisect.hpp"

namespace zcrxlab {

std::string bisect_manual() {
    return R"text(
DESCRIPTION
    Finds the two stock kernels, next to each other among those that can be had ("zcrxlab kernels"),
    between which TEST went from passing to failing, or, if --bad is the older one, from failing to
    passing; then says what Debian's changelog has between them. A version may be a series ("7.2"),
    which is its newest kernel. With --nic bnxt it is 7.2.13-amd64 and so on: the kernels for all
    machines, which have its driver; no other is fetched.

    First --good has to be good and --bad to be bad. What is compared from then on are the tests
    that pass on the one and fail on the other. A kernel is

    good              if all of these pass
    bad               if one of them fails, also as "known": a bug that is in the list of known bugs
                      is still there; or if the kernel panics while one of them runs
    cannot be judged  in all other cases: they are skipped or blocked, there is no driver for the NIC, it does
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
    can have what the other has not. Of an upstream release (7.3) Debian names no single change; of
    kernels up to 6.18 the mirror has no changelog, and of 6.19, 7.0 and 7.1 none that a signed list
    names: then the addresses of upstream's are printed, and the command for a tree of the stable
    kernels.

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
    zcrxlab bisect --good 7.3 --bad 6.18 --nic bnxt cqe32.resized/mixed
)text";
}

}  // namespace zcrxlab
