// Chapter alone: what has a guest for itself.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <vector>

#include "harness/base/errno_name.hpp"
#include "harness/net/tcp_info.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/chapters/mapped_read.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/chapters/unfinished_packet.hpp"
#include "scenarios/chapters/unread_packets.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/interface_down.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::alone {
namespace {

// TCP wants to look at the byte, and the payload cannot be read.
SCENARIO(alone, urgent, "an urgent byte in payload that the kernel cannot read breaks nothing",
         Terms(Needs{.where = Where::kDevice}).claims({"tcp.urgent"})) {
    ForgedStream forged(scene);
    const int on = 1;
    ::setsockopt(forged.rx.socket(forged.stream), SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    forged.rx.arm(forged.stream);
    forged.source.send_all({{0, 1000}, {1000, 1000, kTcpUrgent, 500}, {2000, 1000}});
    forged.source.finish();
    forged.rx.receive_all();
}

// From now on, for what comes from `other` and goes there. False where the kernel has no
// signatures.
bool sign(Scene& scene, const Fd& socket, const std::string& other) {
    constexpr std::string_view kKey = "key";
    tcp_md5sig signature{};
    auto* from = reinterpret_cast<sockaddr_in*>(&signature.tcpm_addr);
    from->sin_family = AF_INET;
    ::inet_pton(AF_INET, other.c_str(), &from->sin_addr);
    signature.tcpm_keylen = kKey.size();
    kKey.copy(reinterpret_cast<char*>(signature.tcpm_key), kKey.size());
    if (::setsockopt(socket.get(), IPPROTO_TCP, TCP_MD5SIG, &signature, sizeof signature) == 0)
        return true;
    if (errno != ENOPROTOOPT) scene.give_up(error_from_errno("sign segments").sentence);
    return false;
}

// Whoever checks a signature wants to look at all that was signed.
SCENARIO(alone, signed_segments,
         "segments with a signature over payload that the kernel cannot read break nothing",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true, .emulated = true, .queues = 1})
             .claims({"neighbours.other-protocols"})) {
    constexpr size_t kSent = 20000;
    ReceivePath rx(scene, {.uncounted = Uncounted::kNothingArrives});
    const TcpPair pair = connect_by_rule(scene, rx.queue());
    if (!sign(scene, pair.receiver, scene.endpoints().peer_v4) ||
        !sign(scene, pair.peer, scene.endpoints().local_v4))
        GTEST_SKIP() << "The kernel signs no segments (CONFIG_TCP_MD5SIG).";
    const std::string counter = "rx" + std::to_string(rx.queue()) + "_packets";
    const uint64_t before = device_counters(scene)[counter];
    const Pattern pattern(scene.seed());
    std::vector<std::byte> bytes(kSent);
    pattern.fill(bytes, 0);
    ASSERT_EQ(::send(pair.peer.get(), bytes.data(), kSent, MSG_NOSIGNAL),
              static_cast<ssize_t>(kSent));
    scene.wait_for("The signed segments were neither taken nor dropped.", [&] {
        const auto now = tcp_info_of(pair.peer.get());
        return now && (now->bytes_acked >= kSent || now->bytes_retrans > 0);
    });
    EXPECT_GT(device_counters(scene)[counter], before) << "They did not come to the queue.";
    const ssize_t got = ::recv(pair.receiver.get(), bytes.data(), kSent, MSG_DONTWAIT);
    const int code = got < 0 ? errno : 0;
    const size_t read = got < 0 ? 0 : static_cast<size_t>(got);
    scene.note(std::to_string(read) + " of " + std::to_string(kSent) + " bytes were read, " +
               errno_name(code));
    EXPECT_TRUE(code == 0 || code == EAGAIN || code == EFAULT)
        << "It is refused with " << errno_name(code) << ".";
    const auto wrong = pattern.compare(std::span(bytes).first(read), 0);
    EXPECT_FALSE(wrong.has_value()) << "Byte " << (wrong ? wrong->position : 0) << " is wrong.";
}

// Whoever may ask for them may ask at any time; taking the interface down is for the administrator.
SCENARIO(alone, statistics_while_down, "anybody can ask for the statistics of a NIC that is not up",
         Needs{.where = Where::kDevice, .disruptive = true}) {
    Netdev& netdev = scene.nic().netdev();
    const Result<QueueStatistics> up = netdev.statistics_of_all();
    if (!up && up.error().code == EOPNOTSUPP) GTEST_SKIP() << "The driver keeps no statistics.";
    while_down(scene, [&] {
        const WithoutCapability without(scene, CAP_NET_ADMIN);
        const Result<QueueStatistics> down = netdev.statistics_of_all();
        EXPECT_TRUE(down) << down.error().sentence;
    });
}

struct HalfReader {
    const char* name;
    bool copied;
};
constexpr uint64_t kWaiting = 40000;  // bytes of each half
constexpr HalfReader kHalfReaders[] = {{"mapped", false}, {"copied", true}};

// A kernel that takes what it cannot read for a page panics. What comes first takes another queue.
// It is read up to where that ends.
SCENARIO_TABLE(alone, half_readable,
               "TCP_ZEROCOPY_RECEIVE of a stream whose second half cannot be read gets right bytes "
               "of the first half, and is refused then",
               Terms(Needs{.where = Where::kDevice, .queues = 1})
                   .within(std::chrono::seconds(20))
                   .claims({"neighbours.zerocopy-receive"}),
               kHalfReaders, row) {
    scene.prepare_nic();
    ReceivePath rx(scene, {.steer = false, .uncounted = Uncounted::kNothingArrives});
    const uint32_t stream = rx.connect({.bytes = kWaiting, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, kWaiting);
    scene.steer({.destination_port = local_port(scene, rx.socket(stream)), .queue = rx.queue()});
    rx.peer(stream).send_more(kWaiting);
    rx.wait_for_queued(stream, 2 * kWaiting);
    uint64_t position = 0;
    int code = 0;
    for (bool goes_on = true; goes_on && code == 0;) {
        const Read read = map_pages(rx.socket(stream), row.copied);
        const auto wrong = Pattern(rx.seed(stream)).compare(read.bytes, position);
        ASSERT_FALSE(wrong.has_value()) << "Byte " << (wrong ? wrong->position : 0) << " is wrong.";
        position += read.bytes.size();
        code = read.code;
        goes_on = read.taken;
        EXPECT_TRUE(code != 0 || goes_on || read.waits) << "It says that the stream has ended.";
    }
    scene.note(std::to_string(position) + " bytes, then " + errno_name(code));
    EXPECT_TRUE(code == 0 || code == EFAULT) << "It is refused with " << errno_name(code) << ".";
    EXPECT_GT(position, 0U);
    EXPECT_LE(position, kWaiting) << "It shows what it cannot have read.";
    scene.trace().add(StreamFinished{stream, false});
}

// A driver that forgets the part keeps the area for ever, which nothing but a boot ends.
SCENARIO(alone, queue_goes_amid_packet,
         "a queue that goes while its driver has a part of a packet gives back the buffers of that "
         "part",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .faults = true,
                     .emulated = true,
                     .queues = 1})
             .claims({"teardown.half-a-packet"})) {
    const char* const kSeen = "rx_seen_in_part";
    if (!device_counters(scene).contains(kSeen))
        GTEST_SKIP() << "This NIC completes all buffers of a packet at once.";
    scene.must(scene.nic().set_mtu(9000));
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    const FaultMatch data{.protocol = FaultProtocol::kTcp, .payload = true};
    FaultMatch first = data;
    first.count = 1;
    scene.inject({.what = FaultKind::kStuckPacket, .match = first});
    // Another packet, as the same one sent again, would complete it.
    scene.inject({.what = FaultKind::kDrop, .match = data});
    const uint64_t seen = device_counters(scene)[kSeen];
    ReceivePath rx(scene, {.uncounted = Uncounted::kNothingArrives});
    rx.connect({.bytes = 8000, .end = PeerEnd::kIdle});
    scene.wait_for("The driver sees no part of a packet.",
                   [&] { return device_counters(scene)[kSeen] > seen; });
    rx.abandon();
    rx.close_ring();
}

// A driver that takes parts of old packets for parts of one new packet may end the kernel.
SCENARIO(alone, unread_coalesced_packets,
         "a queue that goes before its driver has read of coalesced packets is as good as new when "
         "it comes back, and costs its interface no carrier",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .faults = true,
                     .emulated = true,
                     .queues = 1})
             .claims({"teardown.unread-packets"})) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    close_with_unread_packets(scene);
}

}  // namespace
}  // namespace zcrxlab::alone
