// What "zcrxlab kernels --help" says behind the options.
#include "cli/kernels/kernels.hpp"

namespace zcrxlab {

std::string kernels_manual() {
    return R"text(
DESCRIPTION
    Lists what --kernel takes, oldest first: stock kernels of Debian, those that "zcrxlab kernel
    build" has made, and those that are installed here; with flavour, where each is from, whether it
    is in the cache, and which is the default. Package lists older than a day are fetched again.

    Of some kernels the lists name the image and no longer the modules, which the mirror still has.
    apt checks the image as ever; it is booted with module.sig_enforce=1, so that it loads no module
    that was not signed with the key that it was built with.

    With --fetch it makes sure that one kernel is in the cache, so that a later run needs no
    network, and prints its release and where it lies.

EXIT CODES
    0    the kernels were listed, or the one of --fetch is in the cache
    64   wrong usage, there is no such kernel, or it could not be fetched

EXAMPLES
    zcrxlab kernels
    zcrxlab kernels --json
    zcrxlab kernels --fetch 7.2
)text";
}

}  // namespace zcrxlab
