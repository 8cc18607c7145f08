// Checks a card before it is taken, each reason in a function of its own, and reports all of
// them.
#include <algorithm>

#include "vm/passthrough/facts.hpp"

namespace zcrxlab {
namespace {

// Beside the guest's memory, what vfio keeps for itself.
constexpr uint64_t kLockedBeside = uint64_t{64} << 20;
// Their order in reset_method is the kernel's own; these reach no other function of the card.
bool resets_alone(const std::string& method) {
    return method == "flr" || method == "af_flr" || method == "pm" || method == "acpi" ||
           method == "device_specific";
}

class Checks {
  public:
    explicit Checks(const PassthroughFacts& facts) : facts_(facts) {}

    std::vector<std::string> reasons() {
        for (const PciFunction* function : {&facts_.nic, &facts_.peer}) {
            look_at_kind(*function);
            look_at_group(*function);
            look_at_reset(*function);
            look_at_bars(*function);
            look_at_interrupts(*function);
            look_at_virtual_functions(*function);
        }
        look_at_iommu();
        look_at_locked_memory();
        return std::move(reasons_);
    }

  private:
    void refuse(const PciFunction& function, const std::string& why) {
        reasons_.push_back(function.address + " " + why);
    }

    void look_at_kind(const PciFunction& function) {
        if (!function.is_network())
            refuse(function, "is no NIC (class " + function.kind +
                                 "); to see what it is, type: lspci -s " + function.address);
    }

    const PciFunction* neighbour(const std::string& address) const {
        const auto at =
            std::find_if(facts_.neighbours.begin(), facts_.neighbours.end(),
                         [&](const PciFunction& other) { return other.address == address; });
        return at == facts_.neighbours.end() ? nullptr : &*at;
    }

    // All of a group goes to the guest or none; bridges stay.
    void look_at_group(const PciFunction& function) {
        if (function.group.empty()) return;
        for (const std::string& member : function.members) {
            const PciFunction* other = neighbour(member);
            if (other == nullptr || other->is_bridge()) continue;
            // Said once, though both may share the group.
            if (&function == &facts_.peer && function.group == facts_.nic.group) continue;
            std::string what = other->driver.empty() ? "without a driver" : other->driver;
            if (!other->interfaces.empty()) what += ", " + other->interfaces.front();
            refuse(function,
                   "shares IOMMU group " + function.group + " with " + member + " (" + what +
                       "), which would have to go along" +
                       (other->is_network()
                            ? "; if it is the other end of the cable, type: --peer vfio:" + member
                            : "; put the card into another slot, behind a root port of its own; "
                              "to see groups, type: ls -d "
                              "/sys/kernel/iommu_groups/*/devices/*"));
        }
    }

    void look_at_reset(const PciFunction& function) {
        const std::string folder = "/sys/bus/pci/devices/" + function.address;
        const auto& methods = function.reset_methods;
        if (methods.empty()) {
            refuse(function,
                   "cannot be reset, so that the guest and then this machine would find it as the "
                   "other left it; to see how, type: cat " +
                       folder + "/reset_method");
            return;
        }
        if (std::any_of(methods.begin(), methods.end(), resets_alone)) return;
        for (const std::string& sibling : function.siblings)
            if (sibling != facts_.nic.address && sibling != facts_.peer.address)
                refuse(function, "can only be reset together with " + sibling +
                                     ", which is not given to the guest; type: cat " + folder +
                                     "/reset_method");
    }

    void look_at_bars(const PciFunction& function) {
        if (function.bars.empty())
            refuse(function, "has no memory window (BAR) that a guest could use; type: lspci -vs " +
                                 function.address);
        for (const PciBar& bar : function.bars)
            if (!bar.assigned)
                refuse(function,
                       "has no room on the bus for BAR " + std::to_string(bar.number) + " of " +
                           std::to_string(bar.size >> 10) +
                           " KiB; add pci=realloc to this machine's kernel parameters, or switch "
                           "on \"above 4G decoding\" in its firmware; to see it, type: lspci -vs " +
                           function.address);
    }

    void look_at_interrupts(const PciFunction& function) {
        if (function.interrupt_vectors == 0)
            refuse(function,
                   "shows no MSI-X, without which its driver does not start in the guest; as root, "
                   "type: lspci -vs " +
                       function.address);
    }

    void look_at_virtual_functions(const PciFunction& function) {
        if (function.virtual_functions == 0) return;
        refuse(function, "has " + std::to_string(function.virtual_functions) +
                             " virtual functions, which somebody may use; if nobody does, type: "
                             "echo 0 > /sys/bus/pci/devices/" +
                             function.address + "/sriov_numvfs");
    }

    void look_at_iommu() {
        if (!facts_.nic.group.empty() && !facts_.peer.group.empty()) return;
        reasons_.push_back(
            facts_.iommu
                ? "The IOMMU of this machine does not reach " +
                      (facts_.nic.group.empty() ? facts_.nic.address : facts_.peer.address) +
                      "; put the card into another slot, and to see groups, type: ls -d "
                      "/sys/kernel/iommu_groups/*/devices/*"
                : std::string(
                      "There is no IOMMU, so that a guest's card could write into all of this "
                      "machine's memory; switch on VT-d or AMD-Vi in the firmware, and add "
                      "intel_iommu=on (Intel; nothing is needed on AMD) to the kernel parameters; "
                      "to see why, type: dmesg | grep -e DMAR -e AMD-Vi"));
    }

    void look_at_locked_memory() {
        const uint64_t needed = facts_.guest_memory + kLockedBeside;
        if (facts_.may_lock || facts_.memlock >= needed) return;
        reasons_.push_back("All memory of the guest has to be locked, " +
                           std::to_string(needed >> 20) + " MiB, and the limit is " +
                           std::to_string(facts_.memlock >> 20) + " MiB; type: ulimit -l " +
                           std::to_string(needed >> 10) + ", or give the guest less with --memory");
    }

    const PassthroughFacts& facts_;
    std::vector<std::string> reasons_;
};

}  // namespace

std::vector<std::string> why_not_to_pass(const PassthroughFacts& facts) {
    return Checks(facts).reasons();
}

}  // namespace zcrxlab
