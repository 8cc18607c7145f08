// zcrx-fetch: brings QEMU and the default kernel into the cache while the rest is still compiled.
//
// It says nothing. What it cannot bring, the command that needs it tries again, and says why not.
#include <sys/prctl.h>

#include <csignal>
#include <exception>

#include "harness/base/exit_code.hpp"
#include "kernels/kernel.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace {

// A shell starts what runs beside it deaf to Ctrl-C. The shell becomes the command that is waited
// for, so where that ends, this does.
void end_with_the_command() {
    for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

}  // namespace

int main() try {
    end_with_the_command();
    const zcrxlab::Progress silent = [](const std::string&) {};
    const bool qemu = zcrxlab::find_qemu(silent).ok();
    const bool kernel = zcrxlab::find_kernel("", silent).ok();
    return qemu && kernel ? 0 : zcrxlab::kExitFailed;
} catch (const std::exception&) {
    return zcrxlab::kExitFailed;
}
