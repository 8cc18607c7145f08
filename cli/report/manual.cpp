// What "zcrxlab report --help" says behind the options.
#include "cli/report/report.hpp"

namespace zcrxlab {

std::string report_manual() {
    return R"text(
DESCRIPTION
    Makes one page of what a run, conform or exec has left in its --out: how many tests ended how;
    each failure with its sentence, what happened around it, and the command that repeats it; and a
    row for each test. The page needs nothing but itself. It leads to the trace's page
    (trace.html), the coverage's, the matrix's, logs and captures, as far as they lie in DIR.

    "run", "conform" and "exec" write the same page with --html FILE.html.

EXIT CODES
    0    the page is written, whatever it tells
    64   wrong usage, or there are no results in DIR

EXAMPLES
    zcrxlab report zcrxlab-out
    zcrxlab trace zcrxlab-out --html zcrxlab-out/trace.html && zcrxlab report zcrxlab-out
)text";
}

}  // namespace zcrxlab
