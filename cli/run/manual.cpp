// What "zcrxlab run --help" says behind the options: lists of actions, NICs of this machine,
// examples.
#include "cli/run/run.hpp"
#include "lists/language/form.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kLists = R"text(
ACTIONS
    With --actions the guest does what a list says, in place of scenarios, and all invariants judge
    it as they judge a scenario. A list is text, an action a line:

        [THREAD:] VERB [NAME] [PARAMETER=VALUE ...]   # for people

    Numbers are like 4096, 4KiB or 0x10. Names are made by one action and used by those behind it,
    of the same thread. What a list has made is closed at its end, or at the end of the thread. A
    registration is without a NIC (ZCRX_REG_NODEV) unless it says device=yes. "expect=ERRNO" says
    what is promised; a call that should have succeeded and did not ends the list. For example:

        # a burst larger than the area, then silence
        ring r
        register q ring=r area=16KiB
        connect s ifq=q
        send s bytes=60000 cut=1000
        wait s queued=60000
        arm s
        wait s bytes=60000

    The actions are:

)text";

constexpr const char* kCards = R"text(
A NIC OF THIS MACHINE
    With --nic vfio:ADDRESS the guest gets a real NIC: the function at this address on the PCI bus
    ("lspci -D") is taken from its driver and given to vfio-pci, the guest boots with it and with the
    one at the other end of its cable (--peer; where the card has just two ports, the other one), and
    both are given back with the settings that they had. It needs root, an IOMMU, and KVM unless
    --accel tcg is asked for; the guest's kernel needs their driver: cloud-amd64 has mlx5_core and
    gve, bnxt_en is in "--kernel 7.3-amd64", which --nic bnxt takes by itself.

    First it only looks, and refuses with what to type: no IOMMU; an IOMMU group with something else
    in it, which would have to go along; a function that cannot be reset by itself, has no room for
    its memory windows, or no MSI-X; a limit of locked memory below the guest's; virtual functions;
    and every port that somebody needs, as "zcrxlab lab" has it. Then it shows what it will do, and
    asks (--yes answers). --print-command shows it, with QEMU's command, and stops.

    What there was is in a journal, on the disk before the first change. After success, failure, a
    lost guest, a timeout and Ctrl-C, the cards are given back: QEMU ends, vfio-pci lets go, the
    override goes, the driver takes the function (with one reset, then one removal and rescan, if it
    does not), and its port gets its name and its settings back. After kill -9 or a crash, "zcrxlab
    lab restore" does the same. I8 compares all of it; what is not as it was is said, and the journal
    stays.

    In the guest, what the driver wants (order and peculiarities as in lab mode) is set before the
    scenarios start. I4 is judged by what the driver counts, which is weaker than a device's log.

        zcrxlab run --nic vfio:0000:3b:00.0 --print-command
        sudo zcrxlab run --nic vfio:0000:3b:00.0 --peer vfio:0000:3b:00.1 --kernel 7.3-amd64
)text";

constexpr const char* kExamplesOfRun = R"text(
FILES AND EXIT CODES
    "zcrxlab --help" lists the files of --out, and the exit codes.

EXAMPLES
    zcrxlab run
    zcrxlab run --kernel 7.2 --filter 'receive.*' --seed 7 -v
    zcrxlab run --vms 4
    zcrxlab run --fault '{"what":"drop","match":{"payload":true,"every":100}}'
    zcrxlab run --nic nodev --actions list.actions
)text";

}  // namespace

std::string run_manual() {
    return kLists + actions_manual() + kCards + kExamplesOfRun;
}

}  // namespace zcrxlab
