// Reads facts for passthrough from /sys and /proc.
#include "vm/passthrough/facts.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "harness/lab/driver_table.hpp"
#include "harness/lab/sysfs.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// include/uapi/linux/capability.h
constexpr unsigned kCapIpcLock = 14;

// "Max locked memory         8388608              8388608              bytes"
uint64_t memlock_limit(const std::string& limits) {
    constexpr std::string_view kName = "Max locked memory";
    const size_t at = limits.find(kName);
    if (at == std::string::npos) return 0;
    std::istringstream words(limits.substr(at + kName.size()));
    std::string soft;
    words >> soft;
    if (soft == "unlimited") return UINT64_MAX;
    uint64_t bytes = 0;
    std::from_chars(soft.data(), soft.data() + soft.size(), bytes);
    return bytes;
}

// "CapEff:	000001ffffffffff"
bool has_capability(const std::string& status, unsigned capability) {
    constexpr std::string_view kName = "CapEff:";
    const size_t at = status.find(kName);
    if (at == std::string::npos) return false;
    std::istringstream words(status.substr(at + kName.size()));
    std::string mask;
    words >> mask;
    uint64_t bits = 0;
    std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
    return (bits >> capability & 1) != 0;
}

// The only other network function of the card.
Result<std::string> other_function(const fs::path& root, const PciFunction& nic) {
    std::vector<std::string> candidates;
    for (const std::string& address : nic.siblings) {
        const auto sibling = read_function(root, address);
        if (sibling && sibling->is_network()) candidates.push_back(address);
    }
    if (candidates.size() == 1) return candidates.front();
    std::string there;
    for (const std::string& address : candidates) there += (there.empty() ? "" : ", ") + address;
    return Error{EINVAL, nic.address + " has " + (there.empty() ? "no other port" : there) +
                             " on its card, so name the other end of its cable; type: --peer "
                             "vfio:ADDRESS"};
}

void add_neighbours(const fs::path& root, const std::vector<std::string>& addresses,
                    PassthroughFacts& facts) {
    const auto known = [&](const std::string& address) {
        return address == facts.nic.address || address == facts.peer.address ||
               std::any_of(facts.neighbours.begin(), facts.neighbours.end(),
                           [&](const PciFunction& other) { return other.address == address; });
    };
    for (const std::string& address : addresses) {
        if (known(address)) continue;
        if (auto neighbour = read_function(root, address))
            facts.neighbours.push_back(std::move(*neighbour));
    }
}

}  // namespace

Result<std::string> function_named(const std::string& text) {
    const std::string scheme = std::string(nic_at(NicPlace::kPassedIn).name) + ":";
    std::string address = text.starts_with(scheme) ? text.substr(scheme.size()) : text;
    if (is_pci_address(address)) return address;
    return Error{EINVAL, "\"" + text +
                             "\" is no PCI function like vfio:0000:3b:00.0; to see them, type: "
                             "lspci -D"};
}

std::string module_for_guest(const PciFunction& function) {
    if (!function.driver.empty() && function.driver != "vfio-pci") return function.driver;
    return std::string(driver_row_of_vendor(function.vendor).driver);
}

Result<PassthroughFacts> passthrough_in_tree(const fs::path& root, const PassthroughOrder& order) {
    PassthroughFacts facts;
    auto nic = read_function(root, order.nic);
    if (!nic) return nic.error();
    facts.nic = std::move(*nic);
    std::string peer_address = order.peer;
    if (peer_address.empty()) {
        auto other = other_function(root, facts.nic);
        if (!other) return other.error();
        peer_address = std::move(*other);
    }
    if (peer_address == order.nic)
        return Error{EINVAL,
                     order.nic + " cannot be its own peer; --peer is the other end of the cable."};
    auto peer = read_function(root, peer_address);
    if (!peer) return peer.error();
    facts.peer = std::move(*peer);
    for (const PciFunction* function : {&facts.nic, &facts.peer})
        add_neighbours(root, function->members, facts);
    std::error_code error;
    facts.iommu = !sysfs_names(root / "sys/kernel/iommu_groups").empty();
    facts.vfio_pci = fs::exists(root / "sys/bus/pci/drivers/vfio-pci", error);
    facts.memlock = memlock_limit(sysfs_text(root / "proc/self/limits"));
    facts.may_lock = has_capability(sysfs_text(root / "proc/self/status"), kCapIpcLock);
    facts.guest_memory = order.guest_memory;
    return facts;
}

}  // namespace zcrxlab
