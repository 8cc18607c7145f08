// What "zcrxlab bench --help" says behind the options.
#include "cli/bench/bench.hpp"

namespace zcrxlab {

std::string bench_manual() {
    return R"text(
DESCRIPTION
    Measures, with the emulated NIC and with QEMU's own beside it: seconds of a boot, what the
    device process costs, and what the scenarios of the chapter bench count. Rows of one table come
    from one run on one machine, so compare them with each other; nothing of it is a test. QEMU's
    own NICs need a kernel that has their drivers, as the flavour amd64 does.

FILES
    bench.json   the tables
    bench.svg    a picture, where receivers were compared
    and what "run" leaves in --out

EXIT CODES
    Those of "zcrxlab run".

EXAMPLES
    zcrxlab bench --kernel 7.3.4-amd64
    zcrxlab bench --filter bench.receivers
)text";
}

}  // namespace zcrxlab
