// How a card goes into a guest and comes back.
#include "vm/manual_cards.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kCardsOfRun = R"text(
A NIC OF THIS MACHINE
    With --nic vfio:ADDRESS the guest gets a real NIC: the function at this address on the PCI bus
    ("lspci -D") is taken from its driver and given to vfio-pci, the guest boots with it and with the
    one at the other end of its cable (--peer; where the card has just two ports, the other one), and
    both are given back with the settings that they had. It needs root, an IOMMU, and KVM unless
    --accel tcg is asked for; the guest's kernel needs their driver: cloud-amd64 has mlx5_core and
    gve, bnxt_en is in "--kernel 7.3-amd64".

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

}  // namespace

std::string manual_of_cards(const std::string& command) {
    return command == "run" ? kCardsOfRun : "";
}

}  // namespace zcrxlab
