// What a port of this machine is, and what the machine uses it for; read and never changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/routes.hpp"

namespace zcrxlab {

// Of one interface.
struct PortFacts {
    std::string interface;
    uint32_t ifindex = 0;
    std::string address;         // of Ethernet, "02:00:..."
    std::string pci;             // "0000:3b:00.0"; empty for what lies on no PCI bus
    std::string vendor, device;  // "0x14e4"
    std::string driver;          // its kernel module, "mlx5_core"
    std::string firmware;
    bool up = false, carrier = false;
    int speed = 0;  // Mbit/s; 0 if it does not say
    bool virtual_function = false;
    unsigned virtual_functions = 0;           // of this port, switched on
    bool switches = false;                    // an embedded switch has taken the port (switchdev)
    std::string master;                       // bond, bridge ... that it belongs to
    std::vector<std::string> uppers, lowers;  // VLANs, macvlans ... on it; what it lies on
    std::vector<std::string> rdma;            // RDMA devices of the same PCI function
    bool xdp = false;
    std::vector<std::string> addresses;  // "192.0.2.1/24", without link-local ones
    std::vector<std::string> providers;  // "queue 3 (io_uring)": somebody's queues
    std::vector<uint32_t> rss_contexts;
};

// Where a file system or a disk comes from over the network.
struct NetworkStorage {
    std::string what;    // "/home (nfs4)", "NVMe nvme1"
    std::string server;  // address
};

// Of the machine.
struct MachineFacts {
    std::vector<Route> routes;
    // Local address to what has a connection there: "192.0.2.1" to "the ssh session".
    std::map<std::string, std::string> connections;
    std::vector<NetworkStorage> storage;
    std::vector<std::string> rdma_users;  // processes with an RDMA device open: "ibv_rc (712)"
    std::vector<std::string> links_up;    // with a carrier; without loopback
};

// From /sys below `root` ("/" on this machine): all but what only netlink knows. There `switches`
// only says that the port has a switch's id. ENODEV says which interfaces there are.
Result<PortFacts> port_in_tree(const std::filesystem::path& root, const std::string& interface);
// Network file systems, disks, TCP connections and RDMA users, from /proc and /sys below `root`.
MachineFacts machine_in_tree(const std::filesystem::path& root);
// Adds what SSH_CONNECTION ("192.0.2.9 50022 192.0.2.1 22") says.
void add_ssh_session(MachineFacts& machine, std::string_view connection);

// The same from the running kernel, with what netlink and ethtool know, in this namespace.
Result<PortFacts> look_at_port(const std::string& interface);
Result<MachineFacts> look_at_machine();

// Local addresses of established connections in the text of /proc/net/tcp or tcp6.
std::vector<std::string> connected_addresses(std::string_view text);
// Network file systems in the text of /proc/self/mountinfo.
std::vector<NetworkStorage> network_mounts(std::string_view text);

}  // namespace zcrxlab
