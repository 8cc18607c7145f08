// What "zcrxlab kernel --help" says behind the options.
#include "cli/kernel/kernel.hpp"

namespace zcrxlab {

std::string kernel_manual() {
    return R"text(
DESCRIPTION
    "zcrxlab kernel build" makes a kernel that "run --kernel" takes by its name. It prints the
    kernel's path on standard output. If a requested setting did not take, because this kernel lacks
    it or what it depends on, that is shown with the place that asked for it.

EXIT CODES
    0    the kernel was built; with --check: every requested setting took
    1    the build failed; with --check: a requested setting did not take
    64   wrong usage, or something is missing; the message says what to type

EXAMPLES
    zcrxlab kernel build --source ~/linux --config debug --name mine
    zcrxlab run --kernel mine
    zcrxlab kernel build --config coverage
)text";
}

}  // namespace zcrxlab
