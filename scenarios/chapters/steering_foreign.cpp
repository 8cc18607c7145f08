// Chapter steering: packets on a zcrx queue that are for nobody who uses zcrx.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>

#include "harness/base/errno_name.hpp"
#include "harness/net/namespace.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::steering_foreign {
namespace {

constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kQueue = 1;
const Needs kFaults{.where = Where::kDevice, .faults = true, .flow_rules = true, .queues = 1};

// Everything that steering would bring to queue 0 comes to the zcrx queue instead.
constexpr FaultRule kStray{.what = FaultKind::kWrongQueue, .to = kQueue, .match = {.queue = 0}};

uint64_t packets_on_queue(Scene& scene) {
    return device_counters(scene)["rx" + std::to_string(kQueue) + "_packets"];
}

// ---- TCP

// Reads with recv(2) until `bytes` came or it fails; its errno, 0 if it did not. What it reads is
// compared.
int read_plainly(Scene& scene, int socket, const Pattern& pattern, uint64_t& position,
                 uint64_t bytes) {
    std::vector<std::byte> seen(65536);
    while (position < bytes) {
        pollfd waiting{socket, POLLIN, 0};
        if (::poll(&waiting, 1, scene.milliseconds_left()) != 1)
            scene.give_up("Nothing came to the plain socket.");
        const ssize_t got = ::recv(socket, seen.data(), seen.size(), 0);
        if (got < 0) return errno;
        if (got == 0) scene.give_up("The plain socket's peer closed.");
        const auto wrong =
            pattern.compare(std::span(seen).first(static_cast<size_t>(got)), position);
        EXPECT_FALSE(wrong.has_value())
            << "The byte at " << wrong->position << " of the plain stream is wrong.";
        position += static_cast<uint64_t>(got);
    }
    return 0;
}

// Sends it in segments of their own, as long as the socket takes them.
void send_plainly(Scene& scene, int socket, const Pattern& pattern, uint64_t from, uint64_t to) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::vector<std::byte> bytes(1000);
    for (uint64_t at = from; at < to; at += bytes.size()) {
        pattern.fill(bytes, at);
        if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size()))
            scene.give_up(error_from_errno("send to the plain socket").sentence);
    }
}

TcpOptions ends_of(Scene& scene) {
    const Endpoints& ends = scene.endpoints();
    return {.local = ends.local_v4, .peer = ends.peer_v4, .peer_namespace = ends.peer_namespace};
}

SCENARIO(steering, plain_socket_on_queue,
         "a plain socket whose data comes to the queue gets EFAULT instead, not a wrong byte, and "
         "disturbs no other",
         Terms(kFaults).claims({"steering.foreign-tcp"})) {
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = kMiB, .end = PeerEnd::kIdle});
    const TcpPair plain = scene.must(tcp_pair(ends_of(scene)));
    const Pattern pattern(scene.seed(99));
    uint64_t position = 0;

    send_plainly(scene, plain.peer.get(), pattern, 0, 10000);
    EXPECT_EQ(read_plainly(scene, plain.receiver.get(), pattern, position, 10000), 0);

    rx.receive(kMiB);
    const uint64_t before = packets_on_queue(scene);
    scene.inject(kStray);
    send_plainly(scene, plain.peer.get(), pattern, 10000, 20000);
    const int code = read_plainly(scene, plain.receiver.get(), pattern, position, 20000);
    EXPECT_TRUE(code == EFAULT || (code == 0 && position == 20000))
        << "recv ended with " << std::strerror(code) << " at " << position << ".";
    scene.note("recv of foreign data: errno " + std::to_string(code));
    EXPECT_GT(packets_on_queue(scene), before) << "It did not come to the queue.";
    // It stays where it is, for ever refused.
    if (code == EFAULT) {
        EXPECT_EQ(read_plainly(scene, plain.receiver.get(), pattern, position, 20000), EFAULT);
        EXPECT_EQ(position, 10000U);
    }
    rx.peer(stream).send_more(kMiB);
    rx.receive(2 * kMiB);
    rx.abandon();
}

SCENARIO(steering, rss_onto_queue,
         "RSS that is pointed at a bound queue brings plain connections there, which then get "
         "EFAULT or their data",
         Terms(kFaults).claims({"steering.foreign-tcp"})) {
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = kMiB, .end = PeerEnd::kIdle});
    rx.receive(kMiB);
    const TcpPair plain = scene.must(tcp_pair(ends_of(scene)));
    const uint64_t before = packets_on_queue(scene);
    Rss rss = scene.must(scene.nic().steering().rss());
    rss.key.clear();
    rss.function.reset();
    std::fill(rss.table.begin(), rss.table.end(), kQueue);
    const Result<void> set = scene.nic().set_rss(rss);
    if (!set) scene.note("refused: " + set.error().sentence);
    const Pattern pattern(scene.seed(99));
    uint64_t position = 0;
    send_plainly(scene, plain.peer.get(), pattern, 0, 5000);
    const int code = read_plainly(scene, plain.receiver.get(), pattern, position, 5000);
    if (set) {
        EXPECT_TRUE(code == EFAULT || position == 5000) << std::strerror(code);
        EXPECT_GT(packets_on_queue(scene), before) << "It did not come to the queue.";
    } else {
        EXPECT_EQ(code, 0);
    }
    rx.peer(stream).send_more(1000);
    rx.receive(kMiB + 1000);
    rx.abandon();
}

// ---- everything else

// What went to the queue, and a look at what came of it: its receivers may or may not get it.
struct Sent {
    uint64_t packets;  // at least
    std::function<void()> look = [] {};
};

// Until a flow rule or a fault leads everything elsewhere, the two ends learn each other's
// addresses: what they would ask then goes where nobody can read it.
void get_acquainted(Scene& scene) {
    for (const uint8_t family : {4, 6})
        EXPECT_EQ(exchange(scene, {.family = family, .bytes = 100}), "");
}

// Reads what there is of datagrams like `sent`, without waiting. One whose bytes lie in the area is
// refused, and gone: its buffers are free again.
void look_at_datagrams(Scene& scene, int socket, const std::vector<std::byte>& sent, int count) {
    std::vector<std::byte> seen(sent.size() + 1);
    int there = 0, refused = 0;
    for (;;) {
        const ssize_t got = ::recv(socket, seen.data(), seen.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EFAULT && ++refused <= count) continue;
        if (got < 0) break;
        ++there;
        EXPECT_TRUE(static_cast<size_t>(got) == sent.size() &&
                    std::equal(sent.begin(), sent.end(), seen.begin()))
            << "A datagram of " << sent.size() << " bytes came as another one of " << got << ".";
    }
    EXPECT_EQ(errno, EAGAIN) << errno_name(errno);
    EXPECT_LE(there + refused, count);
    scene.note(std::to_string(there) + " of " + std::to_string(count) +
               " datagrams came through, " + std::to_string(refused) + " were refused");
}

// Sends `count` datagrams from the peer.
Sent send_datagrams(Scene& scene, uint8_t family, size_t bytes, int count) {
    const Endpoints& ends = scene.endpoints();
    const bool four = family == 4;
    sockaddr_storage address{};
    auto* in4 = reinterpret_cast<sockaddr_in*>(&address);
    auto* in6 = reinterpret_cast<sockaddr_in6*>(&address);
    address.ss_family = four ? AF_INET : AF_INET6;
    ::inet_pton(address.ss_family, four ? ends.local_v4.c_str() : ends.local_v6.c_str(),
                four ? static_cast<void*>(&in4->sin_addr) : &in6->sin6_addr);
    // Somebody waits for them, so that no ICMP error comes back.
    const auto local =
        std::make_shared<const Fd>(::socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    socklen_t size = four ? sizeof *in4 : sizeof *in6;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(local->get(), generic, size) != 0 ||
        ::getsockname(local->get(), generic, &size) != 0)
        scene.give_up(error_from_errno("bind a UDP socket").sentence);
    const Fd peer = scene.must(in_namespace_get<Fd>(ends.peer_namespace, [&]() -> Result<Fd> {
        return Fd(::socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    }));
    const Pattern pattern(scene.seed(5));
    std::vector<std::byte> sent(bytes);
    pattern.fill(sent, 0);
    for (int i = 0; i < count; ++i)
        EXPECT_EQ(::sendto(peer.get(), sent.data(), bytes, 0, generic, size),
                  static_cast<ssize_t>(bytes));
    constexpr uint64_t kLargest = 9000;  // packet that a NIC here has
    const uint64_t pieces = std::max<uint64_t>(bytes / kLargest, 1);
    return {.packets = pieces * static_cast<uint64_t>(count), .look = [&scene, local, sent, count] {
                look_at_datagrams(scene, local->get(), sent, count);
            }};
}

Sent send_pings(Scene& scene, int count) {
    const Endpoints& ends = scene.endpoints();
    const Fd raw = scene.must(in_namespace_get<Fd>(ends.peer_namespace, []() -> Result<Fd> {
        return Fd(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
    }));
    struct {
        icmphdr header;
        std::array<uint8_t, 56> data;
    } echo{};
    echo.header.type = ICMP_ECHO;
    echo.header.checksum = htons(static_cast<uint16_t>(~(ICMP_ECHO << 8)));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    ::inet_pton(AF_INET, ends.local_v4.c_str(), &to.sin_addr);
    for (int i = 0; i < count; ++i)
        EXPECT_GT(
            ::sendto(raw.get(), &echo, sizeof echo, 0, reinterpret_cast<sockaddr*>(&to), sizeof to),
            0);
    return {.packets = static_cast<uint64_t>(count)};
}

// Frames of a protocol that nobody has, with a VLAN tag in front.
Sent send_tagged(Scene& scene, int count) {
    const Endpoints& ends = scene.endpoints();
    const Fd raw = scene.must(in_namespace_get<Fd>(ends.peer_namespace, [&]() -> Result<Fd> {
        Fd fd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
        sockaddr_ll at{};
        at.sll_family = AF_PACKET;
        at.sll_ifindex = static_cast<int>(if_nametoindex(ends.peer_interface.c_str()));
        if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
            return error_from_errno("bind to " + ends.peer_interface);
        return fd;
    }));
    std::array<uint8_t, 1000> frame{};
    std::fill_n(frame.begin(), 6, uint8_t{0xff});          // to everybody
    std::copy_n("\x02\0\0\0\0\x77", 6, &frame[6]);         // from a made-up address
    std::copy_n("\x81\0\x01\x23\x88\xb5", 6, &frame[12]);  // VLAN 0x123, experimental EtherType
    for (int i = 0; i < count; ++i)
        EXPECT_EQ(::send(raw.get(), frame.data(), frame.size(), 0),
                  static_cast<ssize_t>(frame.size()));
    return {.packets = static_cast<uint64_t>(count)};
}

struct Stray {
    const char* name;
    Sent (*send)(Scene&);
};
const Stray kStrays[] = {
    {"udp", [](Scene& scene) { return send_datagrams(scene, 4, 1000, 20); }},
    {"udp_1_byte", [](Scene& scene) { return send_datagrams(scene, 4, 1, 20); }},
    {"udp_empty", [](Scene& scene) { return send_datagrams(scene, 4, 0, 20); }},
    {"udp_ipv6", [](Scene& scene) { return send_datagrams(scene, 6, 1000, 20); }},
    {"fragments", [](Scene& scene) { return send_datagrams(scene, 4, 60000, 4); }},
    {"fragments_ipv6", [](Scene& scene) { return send_datagrams(scene, 6, 60000, 4); }},
    {"icmp", [](Scene& scene) { return send_pings(scene, 20); }},
    {"vlan", [](Scene& scene) { return send_tagged(scene, 20); }},
};

SCENARIO_TABLE(steering, stray, "packets of other kinds on the queue disturb nothing",
               Terms(kFaults).claims({"steering.foreign-packets"}), kStrays, row) {
    get_acquainted(scene);
    ReceivePath rx(scene, {.ifq = {.area_size = 6 * kMiB}, .queue = kQueue});
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    scene.inject(kStray);
    const uint64_t before = packets_on_queue(scene);
    const Sent sent = row.send(scene);
    // A sender has done its part before the device has taken what it sends. A simulated NIC counts
    // a packet when its driver takes it, a little later.
    EXPECT_TRUE(scene.becomes([&] { return packets_on_queue(scene) >= before + sent.packets; },
                              scene.time_left() / 4))
        << "They did not come to the queue.";
    EXPECT_GE(fault_hits(scene), sent.packets);
    scene.must(scene.target().clear_faults());
    // It comes through the same queue behind them, so that they are done with when it is here.
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 2 * kMiB);
    sent.look();
    rx.measure_capacity();
}

SCENARIO(steering, strays_give_buffers_back,
         "buffers that packets of other kinds took are usable again", kFaults) {
    get_acquainted(scene);
    ReceivePath rx(scene, {.ifq = {.area_size = 6 * kMiB}, .queue = kQueue});
    rx.connect({.bytes = 10000});
    rx.receive_all();
    scene.inject({.what = FaultKind::kWrongQueue,
                  .to = kQueue,
                  .match = {.protocol = FaultProtocol::kUdp, .queue = 0}});
    send_datagrams(scene, 4, 1400, 1000);
    EXPECT_TRUE(scene.becomes([&] { return fault_hits(scene) >= 900; }, scene.time_left() / 4))
        << "They did not come to the queue.";
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::steering_foreign
