// What "zcrxlab merge --help" says behind the options.
#include "cli/merge/merge.hpp"

namespace zcrxlab {

std::string merge_manual() {
    return R"text(
DESCRIPTION
    Each DIR is the --out of a "zcrxlab matrix", or a folder that holds several of these. Writes
    matrix.json, matrix.md and matrix.html to --out and shows the table. Only results on the same
    terms (version of zcrxlab, filter, options, seed) can stand in one table. Runs that were planned
    and are nowhere finished are "not run".

EXIT CODES
    Those of "zcrxlab matrix", as if one machine had run it all.

EXAMPLES
    zcrxlab merge part-1 part-2 part-3 --out whole
)text";
}

}  // namespace zcrxlab
