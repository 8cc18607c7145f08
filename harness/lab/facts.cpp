// Reads facts from /sys and /proc, of this machine or of a recorded tree.
#include "harness/lab/facts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/base/number.hpp"
#include "harness/lab/pci_function.hpp"
#include "harness/lab/sysfs.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    size_t at = 0;
    while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
        const size_t end = std::min(line.find_first_of(" \t", at), line.size());
        words.emplace_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

template <typename Each>
void each_line(std::string_view text, Each each) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// "traddr=192.0.2.7,trsvcid=4420"
std::string value_of(std::string_view options, std::string_view name) {
    const std::string wanted = std::string(name) + "=";
    size_t at = 0;
    while (at < options.size()) {
        const size_t end = std::min(options.find(',', at), options.size());
        const std::string_view option = options.substr(at, end - at);
        if (option.starts_with(wanted)) return std::string(option.substr(wanted.size()));
        at = end + 1;
    }
    return {};
}

// "0100007F" and "B80D0120..." of /proc/net/tcp: 32-bit words as this machine keeps them.
std::string from_proc(const std::string& text) {
    if (text.size() != 8 && text.size() != 32) return {};
    std::vector<uint8_t> bytes;
    for (size_t at = 0; at < text.size(); at += 8) {
        const auto word = number_from_hex<uint32_t>(std::string_view(text).substr(at, 8));
        if (!word) return {};
        const auto* raw = reinterpret_cast<const uint8_t*>(&*word);
        bytes.insert(bytes.end(), raw, raw + sizeof *word);
    }
    static constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool mapped =
        bytes.size() == 16 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
    const bool four = bytes.size() == 4 || mapped;
    char out[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(four ? AF_INET : AF_INET6, bytes.data() + (mapped ? kMapped.size() : 0), out,
                sizeof out);
    return out;
}

void add_disks(const fs::path& root, std::vector<NetworkStorage>& storage) {
    const fs::path nvme = root / "sys/class/nvme";
    for (const std::string& name : sysfs_names(nvme)) {
        const std::string server = value_of(sysfs_text(nvme / name / "address"), "traddr");
        if (!address_bytes(server).empty()) storage.push_back({"the disk " + name, server});
    }
    const fs::path iscsi = root / "sys/class/iscsi_connection";
    for (const std::string& name : sysfs_names(iscsi)) {
        const std::string server = sysfs_text(iscsi / name / "persistent_address");
        if (!server.empty()) storage.push_back({"the iSCSI " + name, server});
    }
}

// Processes that have a file below /dev/infiniband open.
std::vector<std::string> rdma_users(const fs::path& root) {
    std::vector<std::string> users;
    for (const std::string& pid : sysfs_names(root / "proc")) {
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        const fs::path process = root / "proc" / pid;
        std::error_code error;
        for (const auto& fd : fs::directory_iterator(process / "fd", error)) {
            const std::string file = fs::read_symlink(fd.path(), error);
            if (!file.starts_with("/dev/infiniband/uverbs")) continue;
            users.push_back(sysfs_text(process / "comm") + " (" + pid + ")");
            break;
        }
    }
    return users;
}

}  // namespace

Result<PortFacts> port_in_tree(const fs::path& root, const std::string& interface) {
    const fs::path links = root / "sys/class/net";
    const fs::path link = links / interface;
    std::error_code error;
    if (interface.empty() || interface.find('/') != std::string::npos ||
        !fs::exists(link / "ifindex", error)) {
        std::string there;
        for (const std::string& name : sysfs_names(links))
            if (name != "lo") there += (there.empty() ? "" : ", ") + name;
        return Error{ENODEV, "There is no interface \"" + interface + "\" here; there are " +
                                 (there.empty() ? "none" : there) + "."};
    }
    PortFacts port;
    port.interface = interface;
    port.ifindex = static_cast<uint32_t>(sysfs_number(link / "ifindex"));
    port.address = sysfs_text(link / "address");
    port.up = (std::strtoul(sysfs_text(link / "flags").c_str(), nullptr, 16) & 1) != 0;
    port.carrier = sysfs_number(link / "carrier") == 1;
    port.speed = static_cast<int>(std::max(0L, sysfs_number(link / "speed")));
    port.master = sysfs_link(link / "master");
    for (const std::string& name : sysfs_names(link)) {
        if (name.starts_with("upper_") && name.substr(6) != port.master)
            port.uppers.push_back(name.substr(6));
        if (name.starts_with("lower_")) port.lowers.push_back(name.substr(6));
    }
    const fs::path device = link / "device";
    port.driver = sysfs_link(device / "driver");
    if (const std::string pci = sysfs_link(device); is_pci_address(pci)) port.pci = pci;
    port.vendor = sysfs_text(device / "vendor");
    port.device = sysfs_text(device / "device");
    port.virtual_function = fs::is_symlink(device / "physfn", error);
    port.virtual_functions = static_cast<unsigned>(sysfs_number(device / "sriov_numvfs"));
    // A port of an embedded switch has the switch's id; a name beside it belongs to a plain
    // multi-port card, too.
    port.switches = !sysfs_text(link / "phys_switch_id").empty();
    const fs::path infiniband = root / "sys/class/infiniband";
    for (const std::string& name : sysfs_names(infiniband))
        if (!port.pci.empty() && sysfs_link(infiniband / name / "device") == port.pci)
            port.rdma.push_back(name);
    return port;
}

MachineFacts machine_in_tree(const fs::path& root) {
    MachineFacts machine;
    for (const char* file : {"proc/net/tcp", "proc/net/tcp6"})
        for (const std::string& address : connected_addresses(sysfs_text(root / file)))
            machine.connections.emplace(address, "a TCP connection");
    machine.storage = network_mounts(sysfs_text(root / "proc/self/mountinfo"));
    add_disks(root, machine.storage);
    machine.rdma_users = rdma_users(root);
    return machine;
}

void add_ssh_session(MachineFacts& machine, std::string_view connection) {
    const std::vector<std::string> words = words_of(connection);
    if (words.size() == 4) machine.connections[words[2]] = "your ssh session";
}

std::vector<std::string> connected_addresses(std::string_view text) {
    constexpr std::string_view kEstablished = "01";
    std::vector<std::string> addresses;
    each_line(text, [&](std::string_view line) {
        const std::vector<std::string> words = words_of(line);
        if (words.size() < 4 || words[3] != kEstablished) return;
        const size_t colon = words[1].find(':');
        const std::string address = from_proc(words[1].substr(0, colon));
        if (address.empty() || address == "127.0.0.1" || address == "::1") return;
        if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
            addresses.push_back(address);
    });
    return addresses;
}

std::vector<NetworkStorage> network_mounts(std::string_view text) {
    std::vector<NetworkStorage> mounts;
    each_line(text, [&](std::string_view line) {
        // ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [MORE...] - TYPE SOURCE SUPER-OPTIONS
        const std::vector<std::string> words = words_of(line);
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 6 || words.end() - dash < 4) return;
        const std::string& type = dash[1];
        if (!type.starts_with("nfs") && type != "cifs" && type != "smb3" && type != "ceph") return;
        std::string server = value_of(dash[3], "addr");
        if (server.empty()) {
            // "192.0.2.7:6789,192.0.2.8:6789:/" of ceph
            server = dash[2].substr(0, dash[2].find_first_of(":,/"));
        }
        mounts.push_back({words[4] + " (" + type + ")", server});
    });
    return mounts;
}

}  // namespace zcrxlab
