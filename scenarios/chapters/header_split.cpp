// Chapter header_split: where headers end and payload begins, in one buffer or in many.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "harness/net/driver.hpp"
#include "harness/net/tcp_info.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/coalescing.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/interface_down.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::header_split {
namespace {

constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kQueue = 1;
const Needs kLogged{.where = Where::kDevice, .dma_log = true, .queues = 1};

// The stock driver learned some settings late; a simulated NIC has what its driver has.
std::string elsewhere(Scene& scene) {
    return scene.target().abilities().emulated
               ? "; type: zcrxlab run --nic gve --kernel 7.2 (or newer)"
               : "; type: zcrxlab run --nic gve";
}

uint64_t sum_of(const std::vector<uint32_t>& buffers) {
    uint64_t sum = 0;
    for (const uint32_t bytes : buffers) sum += bytes;
    return sum;
}

// ---- small payloads

SCENARIO(header_split, one_byte_payloads, "payload of one byte in each packet arrives uncopied",
         Terms(kLogged).claims({"header_split.small-payloads"})) {
    constexpr uint64_t kBytes = 300;
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 1, .end = PeerEnd::kIdle});
    rx.receive(1);
    // The next one when this one is here: TCP joins bytes that wait for its device.
    for (uint64_t bytes = 2; bytes <= kBytes; ++bytes) {
        rx.peer(stream).send_more(1);
        rx.receive(bytes);
    }
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    const auto packets = split_packets_of(scene, rx.socket(stream));
    const auto single = std::count(packets.begin(), packets.end(), std::vector<uint32_t>{1});
    EXPECT_GE(single, 10) << "of " << packets.size() << " packets";
}

SCENARIO(header_split, no_payload,
         "packets without payload give back the buffer that came with them",
         Terms(Needs{.where = Where::kDevice, .faults = true, .queues = 1})
             .claims({"header_split.small-payloads"})) {
    constexpr uint64_t kPackets = 600;
    if (scene.must(scene.nic().ethtool().rings()).rx.value_or(0) > 256)
        scene.must(scene.nic().set_ring_sizes(256, 0));
    int peer = -1;
    // Of fewer buffers than there are packets.
    ReceivePath rx(scene, {.ifq = {.area_size = 2 * kMiB}, .queue = kQueue});
    const uint32_t stream = rx.connect(
        {.bytes = 100000, .end = PeerEnd::kIdle, .prepare = [&](int socket) { peer = socket; }});
    rx.receive(100000);
    const uint64_t before = device_counters(scene)["rx1_packets"];
    const int on = 1;
    ::setsockopt(rx.socket(stream), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char byte = 'x';
    for (uint64_t i = 0; i < kPackets; ++i) {
        ::setsockopt(peer, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
        ASSERT_EQ(::send(rx.socket(stream), &byte, 1, MSG_NOSIGNAL), 1);
        ASSERT_EQ(::recv(peer, &byte, 1, 0), 1);
    }
    EXPECT_GE(device_counters(scene)["rx1_packets"], before + kPackets * 9 / 10);
    rx.peer(stream).send_more(100000);
    rx.receive(200000);
    rx.abandon();
    scene.read_dma_log();
    rx.measure_capacity();
}

// ---- options

struct Options {
    const char* name;
    uint8_t family;
    uint32_t bytes;  // of IPv4 options or of an IPv6 header with destination options
};
constexpr Options kOptions[] = {{"ipv4_4", 4, 4}, {"ipv4_20", 4, 20}, {"ipv4_40", 4, 40},
                                {"ipv6_8", 6, 8}, {"ipv6_24", 6, 24}, {"ipv6_40", 6, 40}};

// What the peer's packets carry from now on; without bytes, nothing.
void carry_options(Scene& scene, int socket, uint8_t family, uint32_t bytes) {
    std::vector<uint8_t> options(bytes, uint8_t{family == 4 ? uint8_t{1} : uint8_t{0}});  // padding
    if (family == 6 && bytes != 0) {
        options[1] = static_cast<uint8_t>(bytes / 8 - 1);  // RFC 8200: units of 8 behind the first
        options[2] = 0x1e;  // an experimental option (RFC 4727), to be stepped over
        options[3] = static_cast<uint8_t>(bytes - 4);
    }
    const int level = family == 4 ? IPPROTO_IP : IPPROTO_IPV6;
    const int name = family == 4 ? IP_OPTIONS : IPV6_DSTOPTS;
    if (::setsockopt(socket, level, name, bytes != 0 ? options.data() : nullptr, bytes) != 0)
        scene.give_up(error_from_errno("set options of a connection").sentence);
}

SCENARIO_TABLE(header_split, options, "headers with options are split off where they end",
               Terms(kLogged).claims({"header_split.options"}), kOptions, row) {
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect(
        {.bytes = 300001, .family = row.family, .tcp = {.mss = 1300}, .prepare = [&](int socket) {
             carry_options(scene, socket, row.family, row.bytes);
         }});
    rx.receive_all();
    const auto packets = split_packets_of(scene, rx.socket(stream));
    uint64_t bytes = 0;
    for (const auto& packet : packets) bytes += sum_of(packet);
    EXPECT_GE(bytes, 300001U);
}

SCENARIO(header_split, too_long,
         "headers longer than the NIC has room for stop their connection and nothing else, until "
         "they are shorter again",
         Terms(Needs{.where = Where::kDevice, .faults = true, .two_families = true, .queues = 1})
             .claims({"header_split.too-long"})) {
    int peer = -1;
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream =
        rx.connect({.bytes = 10000, .family = 6, .end = PeerEnd::kIdle, .prepare = [&](int socket) {
                        peer = socket;
                    }});
    rx.receive(10000);
    carry_options(scene, peer, 6, 248);  // 14 + 40 + 248 + 32 bytes of headers
    rx.peer(stream).send_more(5000);
    scene.wait_for("No header was too long for the device.",
                   [&] { return device_counters(scene)["rx_header_overflow"] != 0; });
    const uint32_t other = rx.connect({.bytes = 200000, .end = PeerEnd::kIdle});
    rx.receive(210000);
    EXPECT_EQ(rx.receiver().state(other).bytes, 200000U);
    EXPECT_EQ(rx.receiver().state(stream).bytes, 10000U);
    carry_options(scene, peer, 6, 0);
    rx.receive(215000);
    rx.abandon();
}

// ---- many buffers

struct Shape {
    const char* name;
    uint32_t buffer;     // rx-buf-len
    bool coalescing;     // rx-gro-hw
    uint32_t mss;        // 0: what the MTU allows
    uint32_t buffers;    // a packet has at least so many
    uint32_t limit = 0;  // of each request
    std::string_view claims = "header_split.coalesced";
    uint32_t cq_entries = 4096;
    uint64_t bytes = 4 * kMiB;  // of a stream
    uint8_t family = 4;
    Terms terms = kLogged;
};
constexpr uint64_t kMostStreams = 6;
constexpr uint32_t kMtu = 9000;
const Needs kLoggedOfTwoFamilies{
    .where = Where::kDevice, .dma_log = true, .two_families = true, .queues = 1};
const Shape kShapes[] = {
    {"jumbo", 4096, false, 0, 3, 0, "header_split.jumbo"},
    {"jumbo_small_buffers", 2048, false, 0, 5, 0, "header_split.jumbo"},
    {"jumbo_odd", 4096, false, 8193, 3, 0, "header_split.jumbo"},
    {"coalesced", 4096, true, 1448, 4},
    {"coalesced_odd", 4096, true, 1111, 4},
    {.name = "coalesced_ipv6",
     .buffer = 4096,
     .coalescing = true,
     .mss = 1428,
     .buffers = 4,
     .family = 6,
     .terms = kLoggedOfTwoFamilies},
    {"coalesced_jumbo", 4096, true, 0, 8},
    {"coalesced_limit", 4096, true, 1448, 4, 50000},
    {"coalesced_small_cq", 4096, true, 1448, 4, 50000, "header_split.coalesced", 2, kMiB},
    // More than an skb has fragments: the rest hangs behind it in others.
    {"coalesced_small_buffers", 2048, true, 0, 18},
    {"coalesced_small_buffers_limit", 2048, true, 0, 18, 50000},
    // Requests end in the middle of the packet, for want of a slot and by their length.
    {"coalesced_small_buffers_small_cq", 2048, true, 0, 18, 50000, "header_split.coalesced", 2,
     kMiB},
};

SCENARIO_TABLE(header_split, shape,
               "packets of many buffers arrive whole, however they are cut, and count as all of "
               "their segments",
               kLogged, kShapes, row) {
    scene.must(scene.nic().set_mtu(kMtu));
    const Result<void> coalescing =
        row.coalescing ? coalesce(scene) : scene.nic().set_feature("rx-gro-hw", false);
    if (!coalescing) GTEST_SKIP() << coalescing.error().sentence << elsewhere(scene);
    if (!use_receive_buffers(scene, row.buffer) && row.buffer != 4096)
        GTEST_SKIP() << "The driver has no setting rx-buf-len" << elsewhere(scene);
    ReceivePath rx(
        scene,
        {.ring = {.sq_entries = std::min(row.cq_entries, 128U), .cq_entries = row.cq_entries},
         .receiver = {.limit = row.limit, .small_cq = row.cq_entries < row.buffers},
         .queue = kQueue});
    TcpOptions tcp;
    if (row.mss != 0) tcp.mss = row.mss + 12;  // timestamps are part of it
    size_t most = 0;
    for (uint64_t streams = 1; streams <= kMostStreams && most < row.buffers; ++streams) {
        const uint32_t stream =
            rx.connect({.bytes = row.bytes, .chunks = {262144}, .family = row.family, .tcp = tcp});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), streams * row.bytes);
        most = std::max(most, most_buffers_of_packet(scene, rx.socket(stream)));
        // A packet that the NIC has joined still counts as all of its segments.
        const std::optional<LongTcpInfo> info = tcp_info_of(rx.socket(stream));
        ASSERT_TRUE(info);
        EXPECT_GE(info->data_segs_in, row.bytes / (row.mss != 0 ? row.mss : kMtu));
    }
    EXPECT_GE(most, row.buffers);
    if (!row.coalescing) {
        EXPECT_LE(most, kMtu / row.buffer + 1);
    }
}

struct Buffer {
    const char* name;
    uint32_t bytes;
};
constexpr Buffer kBuffers[] = {{"2048", 2048}, {"4096", 4096}};

SCENARIO_TABLE(header_split, boundaries,
               "payload that ends before, at and behind each end of a buffer arrives right",
               Terms(kLogged).claims({"header_split.jumbo"}), kBuffers, row) {
    scene.must(scene.nic().set_mtu(kMtu));
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    if (!use_receive_buffers(scene, row.bytes) && row.bytes != 4096)
        GTEST_SKIP() << "The driver has no setting rx-buf-len" << elsewhere(scene);
    std::vector<uint32_t> sizes = {1, 2, 63, 64, 65};
    for (uint32_t end = row.bytes; end < 8900; end += row.bytes)
        for (const uint32_t size : {end - 1, end, end + 1}) sizes.push_back(size);
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 0, .chunks = sizes, .end = PeerEnd::kIdle});
    uint64_t sent = 0;
    for (const uint32_t size : sizes) {
        rx.peer(stream).send_more(size);
        rx.receive(sent += size);
    }
    const auto packets = split_packets_of(scene, rx.socket(stream));
    for (const uint32_t size : sizes) {
        std::vector<uint32_t> wanted(size / row.bytes, row.bytes);
        if (size % row.bytes != 0) wanted.push_back(size % row.bytes);
        EXPECT_NE(std::find(packets.begin(), packets.end(), wanted), packets.end())
            << "No packet with " << size << " bytes of payload came.";
    }
    rx.abandon();
}

// ---- headers that are copied

struct Copied {
    const char* name;
    bool coalesce;
};
constexpr Copied kCopied[] = {{"packets", false}, {"joined_packets", true}};

SCENARIO_TABLE(header_split, copied_headers,
               "headers that the driver copies out of their buffer cost no byte and no buffer",
               Terms(Needs{
                         .where = Where::kDevice, .dma_log = true, .disruptive = true, .queues = 1})
                   .claims({"header_split.copied"}),
               kCopied, row) {
    constexpr uint32_t kCopybreak = 512;  // bytes; longer than headers
    if (const auto now = rx_copybreak(scene.endpoints().interface); !now) {
        if (now.error().code == EOPNOTSUPP) GTEST_SKIP() << "The driver has no rx-copybreak.";
        scene.give_up(now.error().sentence);
    }
    const Result<void> coalescing = scene.nic().set_feature("rx-gro-hw", row.coalesce);
    if (!coalescing) GTEST_SKIP() << coalescing.error().sentence << elsewhere(scene);
    change_while_down(scene, [&] { scene.must(scene.nic().set_copybreak(kCopybreak)); });
    ASSERT_EQ(scene.must(rx_copybreak(scene.endpoints().interface)), kCopybreak);
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 1, .end = PeerEnd::kIdle});
    uint64_t sent = 1;
    rx.receive(sent);
    // Packets that are shorter than it as a whole, too.
    for (const uint32_t bytes : {100, 440, 441, 600, 1448, 1449}) {
        rx.peer(stream).send_more(bytes);
        rx.receive(sent += bytes);
    }
    rx.peer(stream).send_more(kMiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), sent + kMiB);
    rx.measure_capacity();
}

// The driver polls between the first buffer of a packet and the others.
SCENARIO(header_split, half_packets,
         "packets that are completed in two steps arrive whole, and cost no buffer",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .faults = true,
                     .emulated = true,
                     .queues = 1})
             .claims({"header_split.jumbo"})) {
    constexpr uint64_t kBytes = kMiB / 4;
    scene.must(scene.nic().set_mtu(kMtu));
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    scene.inject({.what = FaultKind::kHalfPacket,
                  .match = {.protocol = FaultProtocol::kTcp, .payload = true}});
    ReceivePath rx(scene, {.ifq = {.area_size = 6 * kMiB}, .queue = kQueue});
    rx.connect({.bytes = kBytes});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), kBytes);
    EXPECT_GE(fault_hits(scene), kBytes / kMtu);
    scene.must(scene.target().clear_faults());
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::header_split
