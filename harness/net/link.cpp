// rtnetlink requests about links and addresses.
#include "harness/net/link.hpp"

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "harness/base/hex.hpp"

namespace zcrxlab {
namespace {

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

NetlinkRequest link_request(uint16_t type, uint16_t flags, const ifinfomsg& info = {}) {
    NetlinkRequest request(type, flags);
    request.fixed(bytes_of(info));
    return request;
}

// A binary address of 4 or 16 bytes.
struct BinaryAddress {
    uint8_t family = AF_INET;
    std::vector<std::byte> bytes;
};

Result<BinaryAddress> parse_address(const std::string& text) {
    BinaryAddress address;
    address.family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
    address.bytes.resize(address.family == AF_INET ? 4 : 16);
    if (::inet_pton(address.family, text.c_str(), address.bytes.data()) != 1)
        return Error{EINVAL, "\"" + text + "\" is no IP address"};
    return address;
}

}  // namespace

Result<LinkState> decode_link(const NetlinkMessage& message) {
    auto attributes = message.attributes(sizeof(ifinfomsg));
    if (!attributes) return attributes.error();
    ifinfomsg info;
    std::memcpy(&info, message.payload.data(), sizeof info);
    LinkState link;
    link.ifindex = static_cast<uint32_t>(info.ifi_index);
    link.up = (info.ifi_flags & IFF_UP) != 0;
    link.carrier = (info.ifi_flags & IFF_LOWER_UP) != 0;
    if (const auto* name = find_attribute(*attributes, IFLA_IFNAME)) {
        auto text = name->string();
        if (!text) return text.error();
        link.name = *text;
    }
    if (const auto* mtu = find_attribute(*attributes, IFLA_MTU)) {
        auto value = mtu->u32();
        if (!value) return value.error();
        link.mtu = *value;
    }
    if (const auto* losses = find_attribute(*attributes, IFLA_CARRIER_DOWN_COUNT)) {
        auto value = losses->u32();
        if (!value) return value.error();
        link.carrier_losses = *value;
    }
    if (const auto* address = find_attribute(*attributes, IFLA_ADDRESS)) {
        for (const std::byte byte : address->payload) {
            if (!link.hardware_address.empty()) link.hardware_address += ':';
            link.hardware_address += hex_of(std::span(&byte, 1));
        }
    }
    if (const auto* xdp = find_attribute(*attributes, IFLA_XDP)) {
        auto inside = xdp->nested();
        if (!inside) return inside.error();
        if (const auto* attached = find_attribute(*inside, IFLA_XDP_ATTACHED)) {
            auto mode = attached->u8();
            if (!mode) return mode.error();
            link.xdp = *mode != XDP_ATTACHED_NONE;
        }
    }
    return link;
}

Result<Links> Links::open() {
    auto socket = NetlinkSocket::open(NETLINK_ROUTE);
    if (!socket) return socket.error();
    return Links(std::move(*socket));
}

Result<LinkState> Links::get(const std::string& name) {
    auto request = link_request(RTM_GETLINK, 0);
    request.put_string(IFLA_IFNAME, name);
    auto messages = socket_.call(std::move(request), "get the link " + name);
    if (!messages) return messages.error();
    if (messages->empty()) return Error{ENODEV, "there is no interface " + name};
    return decode_link(messages->front());
}

Result<std::vector<LinkState>> Links::all() {
    auto messages = socket_.call(link_request(RTM_GETLINK, NLM_F_DUMP), "list the links");
    if (!messages) return messages.error();
    std::vector<LinkState> links;
    for (const NetlinkMessage& message : *messages) {
        auto link = decode_link(message);
        if (!link) return link.error();
        links.push_back(std::move(*link));
    }
    return links;
}

Result<void> Links::change(const std::string& name, NetlinkRequest request,
                           const std::string& doing) {
    request.put_string(IFLA_IFNAME, name);
    auto messages = socket_.call(std::move(request), doing + " " + name);
    if (!messages) return messages.error();
    return {};
}

Result<void> Links::set_up(const std::string& name, bool up) {
    ifinfomsg info{};
    info.ifi_change = IFF_UP;
    info.ifi_flags = up ? static_cast<unsigned>(IFF_UP) : 0U;
    return change(name, link_request(RTM_NEWLINK, 0, info), up ? "bring up" : "bring down");
}

Result<void> Links::set_mtu(const std::string& name, uint32_t mtu) {
    auto request = link_request(RTM_NEWLINK, 0);
    request.put_u32(IFLA_MTU, mtu);
    return change(name, std::move(request), "set the MTU to " + std::to_string(mtu) + " on");
}

Result<void> Links::move(const std::string& name, int namespace_fd) {
    auto request = link_request(RTM_NEWLINK, 0);
    request.put_u32(IFLA_NET_NS_FD, static_cast<uint32_t>(namespace_fd));
    return change(name, std::move(request), "move to another namespace:");
}

Result<void> Links::add_vlan(const std::string& name, const std::string& lower, uint16_t id) {
    const auto under = get(lower);
    if (!under) return under.error();
    auto request = link_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
    request.put_u32(IFLA_LINK, under->ifindex)
        .begin(IFLA_LINKINFO)
        .put_string(IFLA_INFO_KIND, "vlan")
        .begin(IFLA_INFO_DATA)
        .put(IFLA_VLAN_ID, bytes_of(id))
        .end()
        .end();
    return change(name, std::move(request), "add the VLAN " + std::to_string(id) + " as");
}

Result<void> Links::add_netkit(const std::string& name, const std::string& peer, int namespace_fd,
                               uint32_t queues, uint32_t mtu) {
    constexpr uint16_t kNetkitPeer = 1;  // IFLA_NETKIT_PEER_INFO: ifinfomsg, then attributes
    const ifinfomsg info{};
    NetlinkRequest inside(RTM_NEWLINK, 0);
    inside.fixed(bytes_of(info))
        .put_string(IFLA_IFNAME, peer)
        .put_u32(IFLA_MTU, mtu)
        .put_u32(IFLA_NUM_RX_QUEUES, queues)
        .put_u32(IFLA_NET_NS_FD, static_cast<uint32_t>(namespace_fd));
    auto request = link_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
    request.put_u32(IFLA_MTU, mtu)
        .begin(IFLA_LINKINFO)
        .put_string(IFLA_INFO_KIND, "netkit")
        .begin(IFLA_INFO_DATA)
        .put(kNetkitPeer, inside.bytes().subspan(sizeof(nlmsghdr)))
        .end()
        .end();
    return change(name, std::move(request), "add the netkit pair");
}

Result<void> Links::remove(const std::string& name) {
    return change(name, link_request(RTM_DELLINK, 0), "remove");
}

Result<void> Links::number_namespace(int namespace_fd, uint32_t id) {
    constexpr uint16_t kNamespaceId = 1, kNamespaceFd = 3;  // NETNSA_*, linux/net_namespace.h
    const uint32_t padded_rtgenmsg = AF_UNSPEC;
    NetlinkRequest request(RTM_NEWNSID, NLM_F_CREATE | NLM_F_EXCL);
    request.fixed(bytes_of(padded_rtgenmsg))
        .put_u32(kNamespaceId, id)
        .put_u32(kNamespaceFd, static_cast<uint32_t>(namespace_fd));
    auto messages =
        socket_.call(std::move(request), "give a namespace the number " + std::to_string(id));
    if (!messages) return messages.error();
    return {};
}

Result<void> Links::change_address(const std::string& name, const std::string& address,
                                   uint8_t prefix_length, bool add) {
    auto binary = parse_address(address);
    if (!binary) return binary.error();
    auto link = get(name);
    if (!link) return link.error();
    ifaddrmsg info{};
    info.ifa_family = binary->family;
    info.ifa_prefixlen = prefix_length;
    info.ifa_index = link->ifindex;
    // An address that may still turn out to be a duplicate cannot be bound for a second.
    if (binary->family == AF_INET6) info.ifa_flags = IFA_F_NODAD;
    NetlinkRequest request(add ? RTM_NEWADDR : RTM_DELADDR,
                           add ? NLM_F_CREATE | NLM_F_EXCL : uint16_t{0});
    request.fixed(bytes_of(info));
    request.put(IFA_LOCAL, binary->bytes).put(IFA_ADDRESS, binary->bytes);
    auto messages =
        socket_.call(std::move(request), (add ? "add " : "remove ") + address + " on " + name);
    if (!messages) return messages.error();
    return {};
}

Result<void> Links::add_address(const std::string& name, const std::string& address,
                                uint8_t prefix_length) {
    return change_address(name, address, prefix_length, true);
}

Result<void> Links::remove_address(const std::string& name, const std::string& address,
                                   uint8_t prefix_length) {
    return change_address(name, address, prefix_length, false);
}

Result<std::vector<std::string>> Links::addresses(const std::string& name) {
    auto link = get(name);
    if (!link) return link.error();
    NetlinkRequest request(RTM_GETADDR, NLM_F_DUMP);
    const ifaddrmsg info{};
    request.fixed(bytes_of(info));
    auto messages = socket_.call(std::move(request), "list the addresses of " + name);
    if (!messages) return messages.error();
    std::vector<std::string> found;
    for (const NetlinkMessage& message : *messages) {
        auto attributes = message.attributes(sizeof info);
        if (!attributes) return attributes.error();
        ifaddrmsg about;
        std::memcpy(&about, message.payload.data(), sizeof about);
        if (about.ifa_index != link->ifindex || about.ifa_scope == RT_SCOPE_LINK) continue;
        const auto* address = find_attribute(*attributes, IFA_LOCAL);
        if (address == nullptr) address = find_attribute(*attributes, IFA_ADDRESS);
        const size_t size = about.ifa_family == AF_INET ? 4 : 16;
        if (address == nullptr || address->payload.size() != size) continue;
        char text[INET6_ADDRSTRLEN] = "";
        ::inet_ntop(about.ifa_family, address->payload.data(), text, sizeof text);
        found.push_back(std::string(text) + "/" + std::to_string(about.ifa_prefixlen));
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace zcrxlab
