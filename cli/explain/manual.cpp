// What "zcrxlab explain --help" says behind the options.
#include "cli/explain/explain.hpp"

namespace zcrxlab {

std::string explain_manual() {
    return R"text(
DESCRIPTION
    Says for each operation that can return the errno what can be behind it. With --interface it
    also looks at an interface of this machine, changes nothing there, and says which of that it
    shows.

EXIT CODES
    0    it was said, also where the contract knows no such errno
    64   wrong usage, or no such operation

EXAMPLES
    zcrxlab explain EEXIST register
    zcrxlab explain -22
    sudo zcrxlab explain EOPNOTSUPP register --interface ens1f0np0 --queue 3
)text";
}

}  // namespace zcrxlab
