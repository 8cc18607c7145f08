// Reads /sys/bus/pci (Documentation/ABI/testing/sysfs-bus-pci).
#include "harness/lab/pci_function.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "harness/base/hex.hpp"
#include "harness/base/number.hpp"
#include "harness/lab/sysfs.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

const fs::path kDevices = "sys/bus/pci/devices";

// Flags in "resource" (include/linux/ioport.h: IORESOURCE_MEM, IORESOURCE_UNSET).
constexpr uint64_t kMemory = 0x200;
constexpr uint64_t kUnset = 0x20000000;
// Lines behind these are expansion ROM and bridge windows.
constexpr unsigned kBars = 6;

// PCI Local Bus Specification 3.0, 6.1, 6.7 and 6.8.2.
constexpr size_t kStatus = 0x06;
constexpr unsigned kHasCapabilities = 0x10;
constexpr size_t kFirstCapability = 0x34;
constexpr unsigned kMsix = 0x11;
constexpr unsigned kMsixVectors = 0x07ff;

// "0x00000000fe000000"; false for what is no such number.
bool take_hexadecimal(const std::string& word, uint64_t& number) {
    if (!word.starts_with("0x")) return false;
    const auto read = number_from_hex<uint64_t>(std::string_view(word).substr(2));
    if (read) number = *read;
    return read.has_value();
}

std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// Same domain, bus and device.
std::vector<std::string> siblings_of(const fs::path& devices, const std::string& address) {
    const std::string slot = address.substr(0, address.size() - 1);
    std::vector<std::string> siblings;
    for (const std::string& name : sysfs_names(devices))
        if (name != address && name.starts_with(slot)) siblings.push_back(name);
    return siblings;
}

}  // namespace

bool is_pci_address(std::string_view text) {
    constexpr std::string_view kForm = "hhhh:hh:hh.o";
    if (text.size() != kForm.size()) return false;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool fits = kForm[i] == 'h'   ? kHexDigits.find(text[i]) != std::string_view::npos
                          : kForm[i] == 'o' ? text[i] >= '0' && text[i] <= '7'
                                            : text[i] == kForm[i];
        if (!fits) return false;
    }
    return true;
}

unsigned msix_vectors(std::span<const std::byte> configuration) {
    const auto byte = [&](size_t at) -> unsigned {
        return at < configuration.size() ? static_cast<unsigned>(configuration[at]) : 0;
    };
    if ((byte(kStatus) & kHasCapabilities) == 0) return 0;
    size_t at = byte(kFirstCapability) & 0xfc;
    // A list that bites its tail ends, too.
    for (int hops = 0; at >= 0x40 && hops < 48; ++hops) {
        if (byte(at) == kMsix) return ((byte(at + 2) | byte(at + 3) << 8) & kMsixVectors) + 1;
        at = byte(at + 1) & 0xfc;
    }
    return 0;
}

std::vector<PciBar> memory_bars(std::string_view resource) {
    std::vector<PciBar> bars;
    std::istringstream lines{std::string(resource)};
    std::string line;
    for (unsigned number = 0; number < kBars && std::getline(lines, line); ++number) {
        const std::vector<std::string> words = words_in(line);
        uint64_t first = 0, last = 0, flags = 0;
        if (words.size() != 3 || !take_hexadecimal(words[0], first) ||
            !take_hexadecimal(words[1], last) || !take_hexadecimal(words[2], flags))
            continue;
        if ((flags & kMemory) == 0 || last < first) continue;
        bars.push_back({number, last - first + 1, (flags & kUnset) == 0});
    }
    return bars;
}

Result<PciFunction> read_function(const fs::path& root, const std::string& address) {
    if (!is_pci_address(address))
        return Error{EINVAL, "\"" + address +
                                 "\" is no PCI address like 0000:3b:00.0; to see them, type: "
                                 "lspci -D"};
    const fs::path folder = root / kDevices / address;
    std::error_code error;
    if (!fs::exists(folder / "vendor", error))
        return Error{ENODEV, "There is no PCI function " + address +
                                 "; to see those that there are, type: lspci -D"};
    PciFunction function;
    function.address = address;
    function.vendor = sysfs_text(folder / "vendor");
    function.device = sysfs_text(folder / "device");
    function.kind = sysfs_text(folder / "class");
    function.driver = sysfs_link(folder / "driver");
    function.driver_override = sysfs_text(folder / "driver_override");
    if (function.driver_override == "(null)") function.driver_override.clear();
    function.power_control = sysfs_text(folder / "power/control");
    function.group = sysfs_link(folder / "iommu_group");
    function.members = sysfs_names(folder / "iommu_group/devices");
    function.siblings = siblings_of(root / kDevices, address);
    function.reset_methods = words_in(sysfs_text(folder / "reset_method"));
    function.interfaces = sysfs_names(folder / "net");
    function.bars = memory_bars(sysfs_text(folder / "resource"));
    const std::string configuration = sysfs_bytes(folder / "config");
    function.interrupt_vectors = msix_vectors(std::as_bytes(std::span(configuration)));
    function.virtual_function = fs::is_symlink(folder / "physfn", error);
    function.virtual_functions = static_cast<unsigned>(sysfs_number(folder / "sriov_numvfs"));
    return function;
}

}  // namespace zcrxlab
