// What "zcrxlab shell --help" says behind the options.
#include "cli/shell/shell.hpp"

namespace zcrxlab {

std::string shell_manual() {
    return R"text(
DESCRIPTION
    Boots the VM that "run" boots, and starts a shell as root in place of the scenarios. The network
    is up; the peer is in the network namespace "peer". The guest has BusyBox, this machine's ip, ss
    and ethtool where they are installed, zcrx-setup, which makes a queue ready for zero-copy
    receive, and zcrx-scenarios. What to type is shown above the first prompt. What is written in
    the guest is gone with it.

FILES
    In --out: device.log, wire.pcapng, guest.cpio and qemu-command.txt, as "run" leaves them.

EXIT CODES
    0    the guest was powered off
    64   wrong usage, or something is missing; the message says what to type
    130  interrupted
    255  the emulated NIC ended before the guest did

EXAMPLES
    zcrxlab shell
    zcrxlab shell --kernel 7.2 --cpus 4
    zcrxlab shell --fault '{"what":"drop","match":{"every":10}}'
)text";
}

}  // namespace zcrxlab
