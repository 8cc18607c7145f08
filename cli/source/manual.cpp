// What "zcrxlab source --help" says behind the options.
#include "cli/source/source.hpp"

namespace zcrxlab {

std::string source_manual() {
    return R"text(
DESCRIPTION
    Fetches what is not in the cache yet, and prints its path, and nothing else, on standard output:

    kernel    the archive with Debian's source of a kernel series (170 MB)
    headers   a folder with Debian's headers and kbuild of a kernel (20 MB), to build a module with
    liburing  the folder with the source of Debian's newest liburing (0.6 MB)
    tools     a root folder with Debian's newest ethtool, iproute2, Python and others that tests of
              the kernel call (120 MB), for a chroot in the guest

    Do not write to these folders; other builds use them.

EXIT CODES
    0    the path was printed
    64   wrong usage, there is no such version, or it could not be fetched

EXAMPLES
    zcrxlab source kernel 7.2
    zcrxlab source headers 7.3.4
    tar -xf "$(zcrxlab source kernel)"
)text";
}

}  // namespace zcrxlab
