// What "zcrxlab doctor --help" says behind the options.
#include "cli/doctor/doctor.hpp"

namespace zcrxlab {

std::string doctor_manual() {
    return R"text(
DESCRIPTION
    Looks at the machine, the packages that building, testing and building kernels take, the
    compiler, QEMU, KVM, the mirror and its keys, kernels, the cache and each file in it, free
    memory, our own programs, the tools for the guest's shell, and which fixed bugs of zero-copy
    receive this machine's kernel and those of "zcrxlab kernels" have by their versions, and on
    which of these runs have seen one or not ("zcrxlab explain bugs" says more of them). Each line
    begins with "ok", "note" (a run works without it) or "FAIL" (no run works); below it stands the
    command that repairs it. Nothing is installed, and no kernel is fetched; package lists older
    than a day are fetched again.

EXIT CODES
    0    a run can work
    1    something has to be repaired first

EXAMPLES
    zcrxlab doctor
    zcrxlab doctor --json
)text";
}

}  // namespace zcrxlab
