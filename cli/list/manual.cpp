// What "zcrxlab list --help" says behind the options.
#include "cli/list/list.hpp"

namespace zcrxlab {

std::string list_manual() {
    return R"text(
DESCRIPTION
    Lists the scenarios by chapter, with a sentence for each and what it needs of kernel and NIC. No
    VM is started.

EXIT CODES
    0    they were listed
    64   wrong usage

EXAMPLES
    zcrxlab list
    zcrxlab list --filter 'receive.*'
    zcrxlab list --json
)text";
}

}  // namespace zcrxlab
