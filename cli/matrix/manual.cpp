// What "zcrxlab matrix --help" says behind the options.
#include "cli/matrix/matrix.hpp"

namespace zcrxlab {

std::string matrix_manual() {
    return R"text(
DESCRIPTION
    Runs the suite on each kernel with each NIC, each as one "zcrxlab run" of its own, and shows one
    table: chapters and features of the kernel down, kernels across. The next kernel is fetched
    while another one runs. Which features a kernel has, the guest finds by trying.

    A cell is passed; failed; known (a known bug of this kernel, and nothing else); blocked (such a
    bug ended a test before its claim was judged); not supported (all of its tests were skipped, for
    what kernel or NIC lack); or not run. The row "guest" is
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
    4    nothing was judged: all that was run was skipped or blocked
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
}

}  // namespace zcrxlab
