// Builds QEMU's command line.
#include "vm/qemu/qemu_command.hpp"

#include <cstdio>

#include "harness/base/environment.hpp"
#include "kernels/unlisted_modules.hpp"

namespace zcrxlab {

namespace {

// All that TCG can do, but what makes kernel and libc move memory with `rep movsb` and `rep stosb`:
// TCG does those byte by byte, five to twenty times slower than the loops that they take otherwise.
constexpr const char* kTcgCpu = "max,erms=off,fsrm=off,fsrs=off,fzrm=off";

std::string in_hex(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof(text), "%x", value);
    return text;
}

// A comma ends a value in QEMU's options unless it is doubled.
std::string option_value(const std::string& text) {
    std::string result;
    for (char c : text) result.append(c == ',' ? 2 : 1, c);
    return result;
}

std::string json_string(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string vfio_user_device(const std::string& id, unsigned slot,
                             const std::filesystem::path& socket) {
    return R"({"driver":"vfio-user-pci","id":)" + json_string(id) + R"(,"rombar":0,"addr":"0x)" +
           in_hex(slot) + R"(","socket":{"type":"unix","path":)" + json_string(socket.string()) +
           "}}";
}

// Real cards are made for a root port, and some of them look for one.
void add_passed(std::vector<std::string>& command, const std::string& id, unsigned slot,
                const std::string& host) {
    const std::string number = std::to_string(slot);
    std::string port = "pcie-root-port,id=" + id + "-port";
    port.append(",chassis=").append(number).append(",slot=").append(number);
    port.append(",addr=0x").append(in_hex(slot));
    std::string device = "vfio-pci,id=" + id;
    device.append(",host=").append(host).append(",bus=").append(id).append("-port,rombar=0");
    command.insert(command.end(), {"-device", port, "-device", device});
}

void add_pair(std::vector<std::string>& command, const NicPair& pair) {
    const auto add = [&](std::initializer_list<std::string> words) {
        command.insert(command.end(), words);
    };
    if (!pair.receiver_host.empty()) {
        add_passed(command, "receiver", pair.receiver_slot, pair.receiver_host);
        add_passed(command, "peer", pair.peer_slot, pair.peer_host);
        return;
    }
    if (!pair.receiver_socket.empty()) {
        add({"-device",
             vfio_user_device(pair.name + "-receiver", pair.receiver_slot, pair.receiver_socket)});
        add({"-device", vfio_user_device(pair.name + "-peer", pair.peer_slot, pair.peer_socket)});
        return;
    }
    // A hub joins the two; each port's MAC is told apart by its last byte.
    const std::string hub = std::to_string(pair.receiver_slot);
    for (unsigned port = 0; port < 2; ++port) {
        const std::string id = pair.name + std::to_string(port);
        const unsigned slot = port == 0 ? pair.receiver_slot : pair.peer_slot;
        std::string netdev = "hubport,id=";
        netdev.append(id).append(",hubid=").append(hub);
        std::string device = pair.name;
        device.append(",netdev=").append(id).append(",addr=0x").append(in_hex(slot));
        device.append(",romfile=,mac=52:54:00:00:00:").append(slot < 16 ? "0" : "");
        add({"-netdev", netdev, "-device", device.append(in_hex(slot))});
    }
}

void add_saved_start(std::vector<std::string>& command, const SavedStart& saved) {
    const std::string size = std::to_string(saved.image_bytes);
    command.insert(command.end(), {"-object",
                                   "memory-backend-file,id=image,share=off,readonly=on,size=" +
                                       size + ",mem-path=" + option_value(saved.image.string()),
                                   "-device", "ivshmem-plain,memdev=image,addr=0x3", "-global",
                                   kFileOfPages, "-incoming", "file:" + saved.state.string()});
}

std::string kernel_command_line(const VmSettings& settings) {
    // A panic ends QEMU at once (-no-reboot), an oops is a panic; only warnings and worse go to the
    // console, all of it is in the kernel log that init sends. What scenarios write to /dev/kmsg
    // must not be rate-limited.
    std::string line = "console=ttyS0 panic=-1 oops=panic printk.devkmsg=on ";
    line += settings.interactive ? "loglevel=3" : "loglevel=5";
    // On a loaded host the CPUs of an emulated guest stand still for longer than the kernel
    // believes possible: it panics because "IO-APIC + timer doesn't work", or gives up the TSC for
    // a clock that takes an exit to read.
    // While a kernel starts, it patches its code all the time, and what one emulated CPU translates
    // while another one writes it can be half of both: the first then meets a breakpoint (int3)
    // that is gone. So there is one CPU until init has the others started. And a CPU that does not
    // speculate needs none of the detours around speculation, which are a fifth of its time.
    if (settings.accelerator == Accelerator::kTcg)
        line += " no_timer_check tsc=reliable maxcpus=1 mitigations=off";
    // Compared with a timer that comes late, its TSC seems to run many times too slowly or too
    // fast, and so do all its clocks then.
    if (settings.accelerator == Accelerator::kTcg && settings.tsc_khz != 0)
        line += " tsc_early_khz=" + std::to_string(settings.tsc_khz);
    if (settings.iommu) line += " intel_iommu=on";
    if (settings.only_signed_modules) line += std::string(" ") + kOnlySignedModules;
    // What the kernel does not know and has no dot goes into the environment of init.
    if (settings.by_hand) line += std::string(" ") + environment::kTurns + "=all";
    if (!settings.kernel_arguments.empty()) line += " " + settings.kernel_arguments;
    return line;
}

}  // namespace

NicPair emulated_pair(const NicRow& nic, const std::filesystem::path& receiver_socket,
                      const std::filesystem::path& peer_socket) {
    return {std::string(nic.name), std::string(nic.driver), nic.receiver_slot,
            nic.peer_slot,         receiver_socket,         peer_socket};
}

NicPair passed_pair(const std::string& receiver_host, const std::string& peer_host) {
    NicPair pair;
    pair.name = kPassedPair;
    pair.receiver_host = receiver_host;
    pair.peer_host = peer_host;
    return pair;
}

NicPair simulated_pair(const NicRow& nic) {
    NicPair pair;
    pair.name = pair.module = nic.driver;
    pair.simulated = true;
    return pair;
}

std::vector<NicPair> comparison_pairs() {
    // The virtual functions of an igb take the numbers 16 and 17 above its own.
    return {{"igb", "igb", 6, 8, {}, {}},
            {"e1000e", "e1000e", 9, 10, {}, {}},
            {"virtio-net-pci", "virtio_net", 11, 12, {}, {}}};
}

GuestPair guest_pair(const NicPair& pair, unsigned number) {
    const auto pci = [](unsigned slot) {
        char text[16];
        std::snprintf(text, sizeof(text), "0000:00:%02x.0", slot);
        return std::string(text);
    };
    GuestPair guest;
    guest.name = pair.name;
    guest.receiver_pci = pair.simulated ? pair.module + "0" : pci(pair.receiver_slot);
    guest.peer_pci = pair.simulated ? pair.module + "1" : pci(pair.peer_slot);
    guest.peer_netns = number == 0 ? "/run/netns/peer" : "/run/netns/peer-" + pair.name;
    // 192.0.2.0/24 is set aside for documentation (RFC 5737), 198.18.0.0/15 for measuring networks
    // (RFC 2544), fd00::/8 for private use (RFC 4193).
    const std::string v4 = number == 0 ? "192.0.2." : "198.18." + std::to_string(number) + ".";
    const std::string v6 = "fd00:0:0:" + std::to_string(number + 1) + "::";
    guest.local_v4 = v4 + "1";
    guest.peer_v4 = v4 + "2";
    guest.local_v6 = v6 + "1";
    guest.peer_v6 = v6 + "2";
    return guest;
}

std::vector<std::string> qemu_command(const VmSettings& settings) {
    std::vector<std::string> command = settings.qemu.command;
    const auto add = [&](std::initializer_list<std::string> words) {
        command.insert(command.end(), words);
    };
    const bool kvm = settings.accelerator == Accelerator::kKvm;
    const std::string memory = std::to_string(settings.memory_mib) + "M";
    add({"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"});
    // Threads of their own for its CPUs would each count for themselves.
    const char* const emulated = settings.icount ? "tcg,thread=single" : "tcg,thread=multi";
    add({"-accel", kvm ? "kvm" : emulated, "-cpu", kvm ? "host" : kTcgCpu});
    // 2 to the power of 0 nanoseconds for each instruction. A guest that waits does so in real time
    // (sleep=on): what it waits for, as our NIC, is outside.
    if (settings.icount) add({"-icount", "shift=0,sleep=on"});
    add({"-smp", std::to_string(settings.cpus), "-m", memory});
    // The device process maps guest memory, so it has to be a shared file.
    add({"-object", "memory-backend-memfd,id=mem,size=" + memory + ",share=on" +
                        (settings.huge_pages ? ",hugetlb=on,hugetlbsize=2M" : "")});
    add({"-machine", "q35,memory-backend=mem"});
    // Before all devices: each asks for its address space when it is made. The caching mode tells
    // about mappings that are made, which a device outside of QEMU has to know.
    if (settings.iommu) add({"-device", "intel-iommu,intremap=on,caching-mode=on"});
    add({"-kernel", settings.kernel.string(), "-initrd", settings.image.string()});
    add({"-append", kernel_command_line(settings)});
    add({"-serial", settings.interactive ? "mon:stdio" : "stdio"});
    if (!settings.records.empty() || !settings.control_socket.empty())
        add({"-device", "virtio-serial-pci,id=ports,addr=0x2"});
    if (!settings.records.empty())
        add({"-chardev", settings.records + ",id=records", "-device",
             std::string("virtserialport,bus=ports.0,nr=1,chardev=records,name=") + kRecordsPort});
    if (!settings.control_socket.empty())
        add({"-chardev", "socket,id=control,path=" + option_value(settings.control_socket.string()),
             "-device",
             std::string("virtserialport,bus=ports.0,nr=2,chardev=control,name=") + kControlPort});
    for (const FolderDevice& folder : settings.folders)
        add({"-chardev",
             "socket,id=" + folder.tag + ",path=" + option_value(folder.socket.string()), "-device",
             "vhost-user-fs-pci,chardev=" + folder.tag + ",tag=" + folder.tag});
    for (const NicPair& pair : settings.pairs)
        if (!pair.simulated) add_pair(command, pair);
    if (settings.saved) add_saved_start(command, *settings.saved);
    command.insert(command.end(), settings.more.begin(), settings.more.end());
    return command;
}

std::string quoted_for_shell(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& word : command) {
        if (!line.empty()) line += ' ';
        const bool plain =
            !word.empty() && word.find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_=+/.,:@%") == std::string::npos;
        if (plain) {
            line += word;
            continue;
        }
        line += '\'';
        for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

}  // namespace zcrxlab
