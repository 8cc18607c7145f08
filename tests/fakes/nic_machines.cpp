// The trees, file by file.
#include "tests/fakes/nic_machines.hpp"

#include <filesystem>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

void link(const TemporaryFolder& root, const fs::path& name, const fs::path& target) {
    fs::create_directories((root.path() / name).parent_path());
    fs::create_symlink(target, root.path() / name);
}

struct Function {
    std::string pci, driver, vendor, device, group;
    std::string resource;  // its windows
    std::string interface;
};

// Of each card of this kind: two 64-bit windows and MSI-X behind power management.
constexpr const char* kBnxtWindows =
    "0x00000000d0f10000 0x00000000d0f1ffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x00000000d0d00000 0x00000000d0dfffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x00000000d0f22000 0x00000000d0f29fff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x00000000d1000000 0x00000000d103ffff 0x0000000000046200\n";
constexpr const char* kMlx5Windows =
    "0x0000000096000000 0x0000000097ffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";

std::string configuration() {
    std::string bytes(256, '\0');
    bytes[0x06] = 0x10;  // it has a list of capabilities
    bytes[0x34] = 0x48;  // which begins there
    bytes[0x48] = 0x01;  // power management
    bytes[0x49] = static_cast<char>(0xa0);
    bytes[0xa0] = 0x11;  // MSI-X
    bytes[0xa2] = 0x3f;  // of 64 vectors
    bytes[0xa3] = static_cast<char>(0x80);
    return bytes;
}

void add_function(const TemporaryFolder& root, const Function& function) {
    const fs::path folder = "sys/devices/pci0000:3a/" + function.pci;
    link(root, "sys/bus/pci/devices/" + function.pci,
         "../../../devices/pci0000:3a/" + function.pci);
    root.write(folder / "class", "0x020000\n");
    root.write(folder / "driver_override", "(null)\n");
    root.write(folder / "power/control", "on\n");
    root.write(folder / "reset_method", "flr bus\n");
    root.write(folder / "resource", function.resource);
    root.write(folder / "config", configuration());
    const fs::path groups = "sys/kernel/iommu_groups";
    link(root, folder / "iommu_group", "../../../kernel/iommu_groups/" + function.group);
    link(root, groups / function.group / "devices" / function.pci,
         "../../../../devices/pci0000:3a/" + function.pci);
    if (!function.interface.empty())
        fs::create_directories(root.path() / folder / "net" / function.interface);
    root.write(folder / "vendor", function.vendor + "\n");
    root.write(folder / "device", function.device + "\n");
    root.write(folder / "sriov_numvfs", "0\n");
    link(root, folder / "driver", "../../../bus/pci/drivers/" + function.driver);
}

void add_interface(const TemporaryFolder& root, const std::string& name, int index,
                   const std::string& address, const std::string& pci, bool up) {
    const fs::path folder = "sys/class/net/" + name;
    root.write(folder / "ifindex", std::to_string(index) + "\n");
    root.write(folder / "address", address + "\n");
    root.write(folder / "flags", up ? "0x1003\n" : "0x1002\n");
    // Of a port that is down it cannot be read (EINVAL); nor can a folder (EISDIR).
    if (up) root.write(folder / "carrier", "1\n");
    if (!up) fs::create_directories(root.path() / folder / "carrier");
    root.write(folder / "speed", up ? "25000\n" : "-1\n");
    root.write(folder / "phys_switch_id", "");
    link(root, folder / "device", "../../../devices/pci0000:3a/" + pci);
}

// Ours, of root: the limit of locked memory does not count.
void make_process(const TemporaryFolder& root) {
    root.write("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units     \n"
               "Max cpu time              unlimited            unlimited            seconds   \n"
               "Max locked memory         8388608              16777216             bytes     \n");
    root.write("proc/self/status", "Name:\tzcrxlab\nCapEff:\t000001ffffffffff\n");
}

}  // namespace

void make_bnxt_machine(const TemporaryFolder& root) {
    add_function(root, {"0000:01:00.0", "igb", "0x8086", "0x1521", "20", kMlx5Windows, "eno1"});
    add_function(root,
                 {"0000:3b:00.0", "bnxt_en", "0x14e4", "0x1751", "40", kBnxtWindows, "ens1f0np0"});
    add_function(root,
                 {"0000:3b:00.1", "bnxt_en", "0x14e4", "0x1751", "41", kBnxtWindows, "ens1f1np1"});
    make_process(root);
    add_interface(root, "eno1", 2, "3c:ec:ef:00:00:01", "0000:01:00.0", true);
    add_interface(root, "ens1f0np0", 4, "84:16:0c:00:00:10", "0000:3b:00.0", false);
    add_interface(root, "ens1f1np1", 5, "84:16:0c:00:00:11", "0000:3b:00.1", true);
    // In whatever mode the card is.
    for (const char* name : {"ens1f0np0", "ens1f1np1"})
        root.write(fs::path("sys/class/net") / name / "phys_switch_id", "100000feff0c1684\n");
    root.write("sys/class/net/lo/ifindex", "1\n");
    // 192.0.2.10:22 <- 192.0.2.99, established; and a listener.
    root.write("proc/net/tcp",
               "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
               "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
               "   1: 0A0200C0:0016 630200C0:C350 01 00000000:00000000 02:000A0A3C 00000000\n");
    root.write("proc/self/mountinfo",
               "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
               "90 22 0:45 / /home rw,relatime shared:9 - nfs4 fs:/home "
               "rw,vers=4.2,addr=198.51.100.7,proto=tcp\n");
}

void make_mlx5_machine(const TemporaryFolder& root) {
    add_function(
        root, {"0000:5e:00.0", "mlx5_core", "0x15b3", "0x1021", "60", kMlx5Windows, "ens3f0np0"});
    add_function(root,
                 {"0000:5e:00.2", "mlx5_core", "0x15b3", "0x101e", "61", kMlx5Windows, "ens3f0v0"});
    make_process(root);
    root.write("sys/devices/pci0000:3a/0000:5e:00.0/sriov_numvfs", "1\n");
    link(root, "sys/devices/pci0000:3a/0000:5e:00.2/physfn", "../0000:5e:00.0");
    add_interface(root, "ens3f0np0", 3, "b8:3f:d2:00:00:20", "0000:5e:00.0", true);
    add_interface(root, "ens3f0v0", 7, "b8:3f:d2:00:00:21", "0000:5e:00.2", true);
    link(root, "sys/class/net/ens3f0np0/master", "../bond0");
    link(root, "sys/class/net/ens3f0np0/upper_bond0", "../bond0");
    link(root, "sys/class/net/ens3f0np0/upper_ens3f0np0.7", "../ens3f0np0.7");
    root.write("sys/class/net/ens3f0np0/phys_switch_id", "b83fd20000002000\n");
    link(root, "sys/class/infiniband/mlx5_0/device", "../../../devices/pci0000:3a/0000:5e:00.0");
    root.write("proc/712/comm", "ib_write_bw\n");
    link(root, "proc/712/fd/4", "/dev/infiniband/uverbs0");
    root.write("sys/class/nvme/nvme1/address", "traddr=198.51.100.9,trsvcid=4420\n");
}

namespace {

NicSettings usual(uint32_t queues, uint32_t table) {
    NicSettings settings;
    settings.mtu = 1500;
    settings.channels = Channels{};
    settings.channels->combined = queues;
    settings.rss = Rss{};
    for (uint32_t i = 0; i < table; ++i) settings.rss->table.push_back(i % queues);
    settings.rss->key.assign(40, std::byte(0x6d));
    settings.rings = RingSizes{};
    return settings;
}

}  // namespace

NicSettings bnxt_settings() {
    NicSettings settings = usual(8, 128);
    settings.features = {{"rx-gro-hw", true}, {"rx-lro", false}, {"rx-ntuple-filter", false}};
    settings.rings->rx = 511;
    settings.rings->tx = 511;
    // Says that it splits as soon as it has buffers for it.
    settings.rings->data_split = DataSplit::kEnabled;
    settings.rings->hds_thresh = 704;
    return settings;
}

NicSettings mlx5_settings() {
    NicSettings settings = usual(2, 128);
    settings.private_flags = {{"rx_cqe_compress", true}, {"rx_striding_rq", false}};
    settings.features = {{"rx-gro-hw", false}, {"rx-lro", true}, {"rx-ntuple-filter", false}};
    settings.rings->rx = 1024;
    settings.rings->tx = 1024;
    settings.rings->data_split = DataSplit::kDisabled;
    settings.rings->hds_thresh = 0;
    return settings;
}

NicSettings gve_settings() {
    NicSettings settings = usual(2, 128);
    settings.channels = Channels{};
    settings.channels->rx = settings.channels->tx = 2;  // it has no combined ones
    settings.private_flags = {{"report-stats", false}};
    settings.features = {{"rx-ntuple-filter", true}};
    settings.rings->rx = 1024;
    settings.rings->tx = 1024;
    settings.rings->data_split = DataSplit::kDisabled;
    return settings;
}

}  // namespace zcrxlab
