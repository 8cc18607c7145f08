// What "zcrxlab explain --help" says behind the options.
#include "cli/explain/explain.hpp"

namespace zcrxlab {

std::string explain_manual() {
    return R"text(
DESCRIPTION
    Of an errno it says for each operation that can return it what can be behind it. With
    --interface it also looks at an interface of this machine, changes nothing there, and says which
    of that it shows.

    Of a fixed bug of zero-copy receive it says what is seen of it, what fixed it, which scenario
    shows it, and who has it: this machine's kernel, or those of --kernel, and each that "zcrxlab
    kernels" lists. "bugs" is all of them. A kernel
        is affected      as the CVE's record, the kernel's history or our runs have it
        has it fixed     the fix is in its release, or came before its branch began
        never had it     it is older than the bug
        is not known     its branch was not looked at, or somebody else than kernel.org and Debian
                         has made it, and may have taken the fix alone: ask for the release that it
                         is made of
    "seen", "not seen" and "not tried" come from runs alone: from those that findings record, and
    those of --matrix. Versions never make a bug seen.

EXIT CODES
    Of an errno:
    0    it was said, also where the contract knows no such errno
    64   wrong usage, or no such operation
    Of a fixed bug, about this machine's kernel, or all those of --kernel:
    0    none is affected
    1    one is affected
    4    none is known to be affected, but of one it is not known
    64   wrong usage, or no such bug is known

EXAMPLES
    zcrxlab explain EEXIST register
    zcrxlab explain -22
    sudo zcrxlab explain EOPNOTSUPP register --interface ens1f0np0 --queue 3
    zcrxlab explain CVE-2025-40046
    zcrxlab explain 98ad5b63f504 --kernel 7.2.9 --kernel 7.3.4
    zcrxlab explain bugs --kernel "$(uname -r)" --json
)text";
}

}  // namespace zcrxlab
