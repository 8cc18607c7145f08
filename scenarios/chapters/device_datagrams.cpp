// Datagrams: UDP sockets and packet sockets on both ends of a NIC.
#include "scenarios/chapters/device_datagrams.hpp"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <span>

#include "harness/base/each_processor.hpp"
#include "harness/net/namespace.hpp"
#include "harness/ring/pattern.hpp"

namespace zcrxlab {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};
constexpr uint16_t kVlan = 0x2123;
constexpr uint16_t kExperimental = 0x88b5;  // EtherType for local experiments (IEEE 802)

struct End {
    Fd socket;
    sockaddr_storage address{};
    socklen_t size = 0;
};

Result<void> set(int socket, int level, int option, const void* value, size_t size,
                 const char* name) {
    if (::setsockopt(socket, level, option, value, static_cast<socklen_t>(size)) != 0)
        return error_from_errno(std::string("set ") + name);
    return {};
}

Result<void> set_options(int socket, const Exchange& plan) {
    if (plan.segment != 0) {
        const int segment = plan.segment;
        if (auto done = set(socket, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment, "UDP_SEGMENT");
            !done)
            return done;
    }
    if (plan.options == 0) return {};
    std::vector<uint8_t> bytes(plan.options);
    if (plan.family == 4) {
        std::fill(bytes.begin(), bytes.end(), uint8_t{1});  // no operation (RFC 791)
        return set(socket, IPPROTO_IP, IP_OPTIONS, bytes.data(), bytes.size(), "IP_OPTIONS");
    }
    // Destination options: length in units of 8 bytes behind the first, then PadN (RFC 8200).
    bytes[1] = static_cast<uint8_t>(plan.options / 8 - 1);
    bytes[2] = 1;
    bytes[3] = static_cast<uint8_t>(plan.options - 4);
    return set(socket, IPPROTO_IPV6, IPV6_DSTOPTS, bytes.data(), bytes.size(), "IPV6_DSTOPTS");
}

Result<End> open_udp(const Exchange& plan, const std::string& address) {
    End end;
    end.socket = Fd(::socket(plan.family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!end.socket) return error_from_errno("make a UDP socket");
    auto* in4 = reinterpret_cast<sockaddr_in*>(&end.address);
    auto* in6 = reinterpret_cast<sockaddr_in6*>(&end.address);
    end.address.ss_family = plan.family == 4 ? AF_INET : AF_INET6;
    end.size = plan.family == 4 ? sizeof *in4 : sizeof *in6;
    void* where = plan.family == 4 ? static_cast<void*>(&in4->sin_addr) : &in6->sin6_addr;
    ::inet_pton(end.address.ss_family, address.c_str(), where);
    const int room = 4 << 20;
    if (auto done =
            set(end.socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room, "SO_RCVBUFFORCE");
        !done)
        return done.error();
    auto* any = reinterpret_cast<sockaddr*>(&end.address);
    if (::bind(end.socket.get(), any, end.size) != 0) return error_from_errno("bind to " + address);
    if (::getsockname(end.socket.get(), any, &end.size) != 0)
        return error_from_errno("getsockname");
    if (auto done = set_options(end.socket.get(), plan); !done) return done.error();
    return end;
}

bool readable(const Scene& scene, int socket) {
    pollfd waiting{socket, POLLIN, 0};
    return ::poll(&waiting, 1, static_cast<int>(scene.scaled(kPatience).count())) == 1;
}

// Whether what did not arrive was not lost: the same once more through each transmit queue, which
// the sender's processor may choose (Documentation/networking/scaling.rst, XPS), brings all of
// them.
bool comes_behind_another(const Scene& scene, const End& from, const End& to,
                          std::span<const std::byte> bytes) {
    size_t awaited = 1;
    on_each_processor([&] {
        const auto* address = reinterpret_cast<const sockaddr*>(&to.address);
        ::sendto(from.socket.get(), bytes.data(), bytes.size(), 0, address, to.size);
        ++awaited;
    });
    std::vector<std::byte> seen(bytes.size());
    for (; awaited > 0; --awaited)
        if (!readable(scene, to.socket.get()) ||
            ::recv(to.socket.get(), seen.data(), seen.size(), 0) < 0)
            return false;
    return true;
}

std::string pass(const Scene& scene, const End& from, const End& to, const Exchange& plan,
                 const Pattern& pattern) {
    std::vector<std::byte> bytes(plan.bytes), seen(plan.bytes + 1);
    for (uint32_t i = 0; i < plan.count; ++i) {
        const uint64_t position = uint64_t{i} * plan.bytes;
        pattern.fill(bytes, position);
        const ssize_t sent = ::sendto(from.socket.get(), bytes.data(), bytes.size(), 0,
                                      reinterpret_cast<const sockaddr*>(&to.address), to.size);
        if (sent != static_cast<ssize_t>(bytes.size()))
            return error_from_errno("send " + std::to_string(plan.bytes) + " bytes").sentence;
        size_t at = 0;
        while (at < plan.bytes) {
            const size_t wanted =
                plan.segment == 0 ? plan.bytes : std::min<size_t>(plan.segment, plan.bytes - at);
            if (!readable(scene, to.socket.get()))
                return "Datagram " + std::to_string(i) +
                       (at == 0 && comes_behind_another(scene, from, to, bytes)
                            ? " came only behind another one."
                            : " did not arrive from byte " + std::to_string(at) + " on.");
            const ssize_t got = ::recv(to.socket.get(), seen.data(), seen.size(), 0);
            if (got != static_cast<ssize_t>(wanted))
                return "A datagram of " + std::to_string(wanted) + " bytes arrived with " +
                       std::to_string(got) + ".";
            if (auto wrong = pattern.compare(std::span(seen).first(wanted), position + at))
                return "Byte " + std::to_string(wrong->position) + " is wrong.";
            at += wanted;
        }
    }
    return {};
}

struct BothEnds {
    End local, peer;
};

BothEnds open_both(Scene& scene, const Exchange& plan) {
    const Endpoints& ends = scene.endpoints();
    const bool four = plan.family == 4;
    BothEnds both;
    both.local = scene.must(open_udp(plan, four ? ends.local_v4 : ends.local_v6));
    both.peer = scene.must(in_namespace_get<End>(
        ends.peer_namespace, [&] { return open_udp(plan, four ? ends.peer_v4 : ends.peer_v6); }));
    return both;
}

std::string pass_to_peer(Scene& scene, const BothEnds& ends, const Exchange& plan) {
    const std::string wrong = pass(scene, ends.local, ends.peer, plan, Pattern(scene.seed(2)));
    return wrong.empty() ? wrong : "To the peer: " + wrong;
}

void append(std::vector<std::byte>& into, const void* bytes, size_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    into.insert(into.end(), first, first + size);
}

std::vector<std::byte> rss_input(const End& from, const End& to) {
    std::vector<std::byte> input;
    for (const End* end : {&from, &to}) {
        if (end->address.ss_family == AF_INET)
            append(input, &reinterpret_cast<const sockaddr_in*>(&end->address)->sin_addr, 4);
        else
            append(input, &reinterpret_cast<const sockaddr_in6*>(&end->address)->sin6_addr, 16);
    }
    // The port lies at the same place in both.
    for (const End* end : {&from, &to})
        append(input, &reinterpret_cast<const sockaddr_in*>(&end->address)->sin_port, 2);
    return input;
}

struct RawEnd {
    Fd socket;
    std::array<uint8_t, ETH_ALEN> address{};
};

Result<RawEnd> open_raw(const std::string& interface) {
    RawEnd end;
    end.socket = Fd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)));
    if (!end.socket) return error_from_errno("make a packet socket");
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    if (::ioctl(end.socket.get(), SIOCGIFHWADDR, &request) != 0)
        return error_from_errno("ask for the address of " + interface);
    std::memcpy(end.address.data(), request.ifr_hwaddr.sa_data, ETH_ALEN);
    sockaddr_ll at{};
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(ETH_P_ALL);
    at.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
    if (::bind(end.socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
        return error_from_errno("bind to " + interface);
    const int on = 1;
    if (auto done =
            set(end.socket.get(), SOL_PACKET, PACKET_AUXDATA, &on, sizeof on, "PACKET_AUXDATA");
        !done)
        return done.error();
    return end;
}

// The tag that the kernel took out of the frame; 0 without one.
uint16_t tag_of(msghdr& message) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA) continue;
        tpacket_auxdata data{};
        std::memcpy(&data, CMSG_DATA(c), sizeof data);
        return (data.tp_status & TP_STATUS_VLAN_VALID) != 0 ? data.tp_vlan_tci : uint16_t{0};
    }
    return 0;
}

std::string pass_tagged(const Scene& scene, const RawEnd& from, const RawEnd& to, size_t bytes,
                        const Pattern& pattern) {
    std::vector<std::byte> frame;
    append(frame, to.address.data(), ETH_ALEN);
    append(frame, from.address.data(), ETH_ALEN);
    for (const uint16_t word : {uint16_t{ETH_P_8021Q}, kVlan, kExperimental}) {
        const uint16_t stored = htons(word);
        append(frame, &stored, sizeof stored);
    }
    const size_t header = frame.size();
    frame.resize(header + bytes);
    pattern.fill(std::span(frame).subspan(header), 0);
    if (::send(from.socket.get(), frame.data(), frame.size(), 0) !=
        static_cast<ssize_t>(frame.size()))
        return error_from_errno("send a tagged frame").sentence;
    std::vector<std::byte> seen(70000);
    alignas(cmsghdr) std::array<std::byte, 256> control;
    while (readable(scene, to.socket.get())) {
        sockaddr_ll source{};
        iovec part{seen.data(), seen.size()};
        msghdr message{};
        message.msg_name = &source;
        message.msg_namelen = sizeof source;
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t got = ::recvmsg(to.socket.get(), &message, 0);
        if (got < ETH_HLEN || source.sll_pkttype == PACKET_OUTGOING ||
            source.sll_protocol != htons(kExperimental))
            continue;
        if (tag_of(message) != kVlan)
            return "The tag is " + std::to_string(tag_of(message)) + " instead of " +
                   std::to_string(kVlan) + ".";
        if (got != static_cast<ssize_t>(ETH_HLEN + bytes))
            return "A frame of " + std::to_string(ETH_HLEN + bytes) + " bytes arrived with " +
                   std::to_string(got) + ".";
        if (auto wrong = pattern.compare(std::span(seen).subspan(ETH_HLEN, bytes), 0))
            return "Byte " + std::to_string(wrong->position) + " is wrong.";
        return {};
    }
    return "A tagged frame of " + std::to_string(bytes) + " bytes did not arrive.";
}

}  // namespace

std::string exchange(Scene& scene, Exchange& plan) {
    const BothEnds ends = open_both(scene, plan);
    plan.rss_input = rss_input(ends.peer, ends.local);
    const std::string wrong = pass(scene, ends.peer, ends.local, plan, Pattern(scene.seed(1)));
    return wrong.empty() ? pass_to_peer(scene, ends, plan) : "From the peer: " + wrong;
}

std::string send_to_peer(Scene& scene, const Exchange& plan) {
    return pass_to_peer(scene, open_both(scene, plan), plan);
}

std::string exchange_tagged(Scene& scene, size_t bytes) {
    const Endpoints& ends = scene.endpoints();
    const RawEnd local = scene.must(open_raw(ends.interface));
    const RawEnd peer = scene.must(in_namespace_get<RawEnd>(
        ends.peer_namespace, [&] { return open_raw(ends.peer_interface); }));
    std::string wrong = pass_tagged(scene, peer, local, bytes, Pattern(scene.seed(3)));
    if (!wrong.empty()) return "From the peer: " + wrong;
    wrong = pass_tagged(scene, local, peer, bytes, Pattern(scene.seed(4)));
    return wrong.empty() ? wrong : "To the peer: " + wrong;
}

}  // namespace zcrxlab
