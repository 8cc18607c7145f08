// Links and addresses through rtnetlink.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {

struct LinkState {
    uint32_t ifindex = 0;
    std::string name;
    bool up = false;               // as configured (IFF_UP)
    bool carrier = false;          // IFF_LOWER_UP
    uint32_t mtu = 0;              // bytes
    std::string hardware_address;  // "02:00:..."; empty without one
    bool xdp = false;              // a program is attached
    uint32_t carrier_losses = 0;   // since it was made (IFLA_CARRIER_DOWN_COUNT)
    bool operator==(const LinkState&) const = default;
};

// Works on the network namespace in which it was opened.
class Links {
  public:
    static Result<Links> open();

    // ENODEV for an unknown name.
    Result<LinkState> get(const std::string& name);
    Result<std::vector<LinkState>> all();
    Result<void> set_up(const std::string& name, bool up);
    Result<void> set_mtu(const std::string& name, uint32_t mtu);
    // Moves the interface into the namespace behind `namespace_fd`.
    Result<void> move(const std::string& name, int namespace_fd);
    // "192.0.2.1" or "2001:db8::1"; no duplicate address detection for IPv6. EEXIST if it has it.
    Result<void> add_address(const std::string& name, const std::string& address,
                             uint8_t prefix_length);
    Result<void> remove_address(const std::string& name, const std::string& address,
                                uint8_t prefix_length);
    // The interface `name` for the VLAN `id` (1 to 4094) on top of `lower`. EOPNOTSUPP without the
    // module 8021q.
    Result<void> add_vlan(const std::string& name, const std::string& lower, uint16_t id);
    // A pair of netkit interfaces without Ethernet addresses: `name` here, and `peer`, which has
    // room for so many receive queues, in the namespace behind `namespace_fd`. EOPNOTSUPP where the
    // kernel has no netkit.
    Result<void> add_netkit(const std::string& name, const std::string& peer, int namespace_fd,
                            uint32_t queues, uint32_t mtu);
    Result<void> remove(const std::string& name);
    // Calls the namespace behind `namespace_fd` by a number in messages to this one.
    Result<void> number_namespace(int namespace_fd, uint32_t id);
    // "address/prefix" of each address of the interface, sorted; without link-local ones.
    Result<std::vector<std::string>> addresses(const std::string& name);

  private:
    explicit Links(NetlinkSocket socket) : socket_(std::move(socket)) {}
    Result<void> change(const std::string& name, NetlinkRequest request, const std::string& doing);
    Result<void> change_address(const std::string& name, const std::string& address,
                                uint8_t prefix_length, bool add);

    NetlinkSocket socket_;
};

Result<LinkState> decode_link(const NetlinkMessage& message);

}  // namespace zcrxlab
