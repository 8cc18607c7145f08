// What "zcrxlab shrink --help" says behind the options.
#include "cli/shrink/shrink.hpp"

namespace zcrxlab {

std::string shrink_manual() {
    return R"text(
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

EXAMPLES
    zcrxlab shrink zcrxlab-fuzz/failures/NAME --good 7.3.4
)text";
}

}  // namespace zcrxlab
