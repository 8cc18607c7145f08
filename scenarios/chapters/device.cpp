// Chapter device: the emulated NIC does what its driver asks of it, whatever the setting, and data
// arrives right all the time.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "harness/net/namespace.hpp"
#include "harness/net/provider.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::device {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMiB = 1U << 20;
const Needs kDevice{.where = Where::kDevice, .faults = true, .flow_rules = true};
const Needs kOutages{.where = Where::kDevice, .faults = true, .flow_rules = true, .outages = true};

using Counters = std::map<std::string, uint64_t>;

Counters counters(Scene& scene, unsigned port) {
    const std::string answer = scene.must(scene.control(R"({"do":"counters"})"));
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    Counters list;
    if (!json.is_object() || !json.contains("ports")) return list;
    for (const auto& [name, value] : json["ports"][port].items())
        if (value.is_number_unsigned()) list[name] = value.get<uint64_t>();
    return list;
}

// A NIC whose changes end with it, or with a scenario that gives up.
class Changes {
  public:
    Changes(Scene& scene, const std::string& space, const std::string& interface)
        : undo_(std::make_shared<UndoStack>()) {
        nic_ = std::make_shared<Nic>(
            scene.must(in_namespace_get<Nic>(space, [&] { return Nic::open(interface, *undo_); })));
        scene.undo_later("changes of " + interface, [undo = undo_, nic = nic_]() -> Result<void> {
            const std::vector<Error> failed = undo->run();
            return failed.empty() ? Result<void>() : Result<void>(failed.front());
        });
    }
    ~Changes() {
        for (const Error& error : undo_->run()) ADD_FAILURE() << error.sentence;
    }
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;
    Nic* operator->() { return nic_.get(); }

  private:
    std::shared_ptr<UndoStack> undo_;
    std::shared_ptr<Nic> nic_;
};

// The peer's end.
class PeerNic : public Changes {
  public:
    explicit PeerNic(Scene& scene)
        : Changes(scene, scene.endpoints().peer_namespace, scene.endpoints().peer_interface) {}
};

void receive(Scene& scene, ReceivePathOptions options = {}, uint64_t bytes = 2 * kMiB) {
    ReceivePath rx(scene, std::move(options));
    rx.connect({.bytes = bytes, .chunks = {65536, 4097}});
    rx.connect({.bytes = bytes, .chunks = {65536, 4097}, .family = 6});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 2 * bytes);
}

// Until the carrier of the interface is as wanted.
void wait_for_carrier(Scene& scene, bool wanted) {
    scene.wait_for(wanted ? "The link does not come up." : "The link does not go down.", [&] {
        return scene.must(scene.nic().links().get(scene.endpoints().interface)).carrier == wanted;
    });
}

struct Queues {
    const char* name;
    uint32_t count;
};
constexpr Queues kQueues[] = {{"2", 2}, {"3", 3}, {"16", 16}};

SCENARIO_TABLE(device, queues, "any number of queues works, the last of them too", kDevice, kQueues,
               row) {
    const Channels there = scene.must(scene.nic().ethtool().channels());
    const uint32_t most = there.most_receive();
    const uint32_t count = std::min(row.count, most);
    scene.note(std::to_string(count) + " of at most " + std::to_string(most) + " queues");
    scene.must(scene.nic().set_queues(count));
    receive(scene, {.queue = count - 1});
    scene.wait_for_release(count - 1);  // a queue that is taken cannot go
}

SCENARIO(device, one_queue, "with a single queue everything goes there", kDevice) {
    scene.must(scene.nic().set_queues(1));
    Counters before = counters(scene, 0);
    EXPECT_EQ(exchange(scene, {.family = 4, .bytes = 1000, .count = 50}), "");
    Counters after = counters(scene, 0);
    EXPECT_GE(after["rx0_packets"] - before["rx0_packets"], 50U);
}

struct RingSize {
    const char* name;
    uint32_t entries;
    size_t area;
};
constexpr RingSize kRings[] = {
    {"64", 64, 4 * kMiB}, {"512", 512, 4 * kMiB}, {"4096", 4096, 64 * kMiB}};

// A driver may need more than a small ring to send, and refuses it: what it takes has to work.
void set_rings(Scene& scene, uint32_t rx, uint32_t tx) {
    scene.must(scene.nic().set_ring_sizes(rx, 0));
    const Result<void> sends = scene.nic().set_ring_sizes(0, tx);
    if (sends) return;
    scene.note(sends.error().sentence);
    if (sends.error().code != EINVAL || tx >= 512) scene.must(sends);
}

SCENARIO_TABLE(device, rings, "rings of any size that the driver takes work", kDevice, kRings,
               row) {
    const RingSizes most = scene.must(scene.nic().ethtool().rings());
    const uint32_t rx = std::min(row.entries, most.rx_max.value_or(row.entries));
    set_rings(scene, rx, std::min(row.entries, most.tx_max.value_or(row.entries)));
    EXPECT_EQ(scene.must(scene.nic().ethtool().rings()).rx, rx);
    const size_t kept = size_t{buffers_kept_by_driver(scene)} * kPageSize;
    receive(scene, {.ifq = {.area_size = std::max(row.area, 2 * kept)}});
}

struct Mtu {
    const char* name;
    uint32_t mtu;
};
constexpr Mtu kMtus[] = {{"1280", 1280}, {"4096", 4096}, {"9000", 9000}};

SCENARIO_TABLE(device, mtu, "packets of any size up to the MTU arrive", kDevice, kMtus, row) {
    PeerNic peer(scene);
    scene.must(scene.nic().set_mtu(row.mtu));
    scene.must(peer->set_mtu(row.mtu));
    receive(scene);
    scene.wait_for_release(1);  // what a restart of the queue does is for sent_during_restart
    EXPECT_EQ(exchange(scene, {.family = 4, .bytes = row.mtu - 28}), "");
    EXPECT_EQ(exchange(scene, {.family = 6, .bytes = row.mtu - 48}), "");
}

constexpr std::chrono::milliseconds kRestart = 5s;  // at most, on a machine of the usual speed

// Each datagram is awaited before the next one leaves, which would take a waiting one along. A
// second processor, since on one nothing is sent meanwhile.
SCENARIO(device, sent_during_restart, "a packet sent while a queue is given back does not wait",
         Needs{.where = Where::kDevice, .faults = true, .flow_rules = true, .cpus = 2}) {
    for (uint32_t round = 0; round < 4; ++round) {
        receive(scene, {.queue = 1}, 65536);
        // Whoever asks waits while the queue starts again.
        const auto released =
            std::async(std::launch::async, [&scene, interface = scene.endpoints().interface] {
                return wait_for_release(interface, 1, scene.scaled(kRestart));
            });
        std::string missing;
        do {
            missing = send_to_peer(scene, {.family = 4, .bytes = 100});
        } while (missing.empty() && released.wait_for(0s) != std::future_status::ready);
        released.wait();
        ASSERT_EQ(missing, "") << missing;
        scene.wait_for_release(1);
    }
}

// A feature of both ends is switched off; a counter of the port says that it is.
struct Offload {
    const char* name;
    const char* feature;
    unsigned port;        // 0 = under test, 1 = its peer
    const char* counter;  // moves while it is on
};
constexpr Offload kOffloads[] = {
    {"tso", "tx-tcp-segmentation", 1, "tx_tso_packets"},
    {"rsc", "rx-gro-hw", 0, "rx_rsc"},
    {"tx_checksum", "tx-checksum-ip-generic", 1, "tx_checksums"},
};

SCENARIO_TABLE(device, offload, "an offload can be switched off and on again", kDevice, kOffloads,
               row) {
    const auto changeable = scene.must(scene.nic().ethtool().features()).changeable;
    if (std::find(changeable.begin(), changeable.end(), row.feature) == changeable.end())
        GTEST_SKIP() << "The driver cannot switch " << row.feature
                     << "; type: zcrxlab run --nic gve --kernel 7.2 (or newer)";
    if (!counters(scene, row.port).contains(row.counter))
        GTEST_SKIP() << "The NIC does not count what " << row.feature
                     << " does; type: zcrxlab run --nic gve";
    const auto moved = [&] {
        const uint64_t before = counters(scene, row.port).at(row.counter);
        ReceivePath rx(scene, {.queue = 1});
        rx.connect({.bytes = 2 * kMiB});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), 2 * kMiB);
        return counters(scene, row.port).at(row.counter) - before;
    };
    scene.must(scene.nic().set_feature(row.feature, true));
    EXPECT_GT(moved(), 0U) << row.feature << " is on, and does nothing";
    scene.wait_for_release(1);
    {
        PeerNic peer(scene);
        Changes local(scene, "", scene.endpoints().interface);
        scene.must(local->set_feature(row.feature, false));
        scene.must(peer->set_feature(row.feature, false));
        EXPECT_EQ(moved(), 0U) << row.feature << " is off, and works on";
        scene.wait_for_release(1);
    }
    EXPECT_GT(moved(), 0U) << row.feature << " is on again, and does nothing";
}

// Nobody but the NIC can sum up payload that the kernel cannot read, so this is without zcrx.
SCENARIO(device, receive_checksum,
         "without receive checksums the kernel finds the NIC's data right", kDevice) {
    scene.must(scene.nic().set_feature("rx-checksum", false));
    for (const uint8_t family : {4, 6})
        EXPECT_EQ(exchange(scene, {.family = family, .bytes = 1400, .count = 20}), "");
}

SCENARIO(device, link, "data goes on when the link was away", kOutages) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kMiB, .end = PeerEnd::kIdle});
    rx.receive(kMiB);
    set_link(scene, false);
    wait_for_carrier(scene, false);
    rx.peer(stream).send_more(kMiB);
    std::this_thread::sleep_for(scene.scaled(200ms));
    EXPECT_EQ(rx.receiver().total_bytes(), kMiB);
    set_link(scene, true);
    wait_for_carrier(scene, true);
    rx.receive(2 * kMiB);
    EXPECT_EQ(rx.receiver().total_bytes(), 2 * kMiB);
    rx.abandon();
}

SCENARIO(device, reset,
         "a device that reports itself broken is reset by its driver and works again", kOutages) {
    const uint64_t before = counters(scene, 1)["resets"];
    scene.must(scene.control(R"({"do":"reset","port":1})"));
    scene.wait_for("The driver does not reset the device.",
                   [&] { return counters(scene, 1)["resets"] != before; });
    receive(scene);
}

// The peer is silent until its byte has arrived, so that nothing but that byte can wake the
// receiver.
SCENARIO(device, prompt, "every packet is told of at once, many times round the smallest ring",
         Terms(kDevice).within(8s)) {
    constexpr uint64_t kWrites = 200;
    set_rings(scene, 64, 64);
    ReceivePath rx(scene, {.ifq = {.area_size = 4 * kMiB}});
    const uint32_t stream = rx.connect({.bytes = 1, .end = PeerEnd::kIdle});
    rx.receive(1);
    for (uint64_t received = 1; received < kWrites; ++received) {
        rx.peer(stream).send_more(1);
        rx.receive(received + 1);
    }
    rx.peer(stream).send_more(kMiB);
    rx.receive(kWrites + kMiB);
    rx.abandon();
}

// Through a queue whose memory the kernel can read, so that it can have a look of its own.
SCENARIO(device, wrong_checksum, "of packets with a wrong checksum no byte gets through", kDevice) {
    scene.inject(
        {.what = FaultKind::kCorrupt,
         .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 20, .count = 10}});
    ReceivePath rx(scene, {.steer = false, .uncounted = Uncounted::kNothingArrives});
    scene.trace().add(CopiesExpected{rx.ifq().number(), kMiB});
    const uint64_t before = counters(scene, 0)["rx_bad_checksum"];
    const uint32_t stream = rx.connect({.bytes = kMiB, .tcp = {.mss = 1400}});
    scene.done("connect s" + std::to_string(stream) + " ifq=q" + std::to_string(rx.ifq().number()) +
               " route=any");
    rx.receive_all();
    EXPECT_GT(counters(scene, 0)["rx_bad_checksum"], before);
}

// The Toeplitz hash as Microsoft's "RSS hashing functions" words it, one bit after the other.
uint32_t toeplitz(const std::vector<std::byte>& key, const std::vector<std::byte>& input) {
    uint32_t hash = 0;
    const auto bit = [](const std::vector<std::byte>& of, size_t at) {
        return at / 8 < of.size() &&
               (std::to_integer<unsigned>(of[at / 8]) >> (7 - at % 8) & 1) != 0;
    };
    for (size_t i = 0; i < input.size() * 8; ++i) {
        if (!bit(input, i)) continue;
        uint32_t window = 0;
        for (size_t j = 0; j < 32; ++j) window = window << 1 | (bit(key, i + j) ? 1 : 0);
        hash ^= window;
    }
    return hash;
}

struct Family {
    const char* name;
    uint8_t family;
};
constexpr Family kFamilies[] = {{"ipv4", 4}, {"ipv6", 6}};

SCENARIO_TABLE(device, rss, "flows go where the Toeplitz hash, the key and the table say", kDevice,
               kFamilies, row) {
    constexpr uint32_t kFlows = 24, kEach = 40, kQueuesUsed = 4;
    Rss rss = scene.must(scene.nic().steering().rss());
    std::mt19937_64 random(scene.seed());
    for (std::byte& byte : rss.key) byte = std::byte(random() & 0xff);
    for (uint32_t& entry : rss.table) entry = static_cast<uint32_t>(random() % kQueuesUsed);
    rss.function.reset();
    scene.must(scene.nic().set_rss(rss));

    std::vector<uint64_t> expected(kQueuesUsed);
    Counters before = counters(scene, 0);
    for (uint32_t i = 0; i < kFlows; ++i) {
        Exchange flow{.family = row.family, .bytes = 64, .count = kEach};
        EXPECT_EQ(exchange(scene, flow), "");
        const uint32_t hash = toeplitz(rss.key, flow.rss_input);
        expected[rss.table[hash % rss.table.size()]] += kEach;
    }
    Counters after = counters(scene, 0);
    for (uint32_t queue = 0; queue < kQueuesUsed; ++queue) {
        const std::string name = "rx" + std::to_string(queue) + "_packets";
        const uint64_t seen = after[name] - before[name];
        EXPECT_GE(seen, expected[queue]) << "queue " << queue;
        // Neighbour discovery is hashed as well.
        EXPECT_LE(seen, expected[queue] + 20) << "queue " << queue;
    }
}

struct Datagram {
    const char* name;
    Exchange exchange;
};
const Datagram kDatagrams[] = {
    {"1_byte", {.bytes = 1}},
    {"1_byte_ipv6", {.family = 6, .bytes = 1}},
    {"full", {.bytes = 1472}},
    {"full_ipv6", {.family = 6, .bytes = 1452}},
    {"fragments", {.bytes = 60001}},
    {"fragments_ipv6", {.family = 6, .bytes = 60001}},
    {"segmented", {.bytes = 50001, .segment = 1400}},
    {"segmented_ipv6", {.family = 6, .bytes = 50001, .segment = 1400}},
    {"ip_options", {.bytes = 1000, .options = 40}},
};

SCENARIO_TABLE(device, udp, "UDP arrives whole both ways, small, large, in pieces, with options",
               kDevice, kDatagrams, row) {
    const uint64_t refused =
        counters(scene, 0)["wire_tx_refused"] + counters(scene, 1)["wire_tx_refused"];
    EXPECT_EQ(exchange(scene, Exchange(row.exchange)), "");
    EXPECT_EQ(counters(scene, 0)["wire_tx_refused"] + counters(scene, 1)["wire_tx_refused"],
              refused);
}

SCENARIO(device, vlan, "frames with a VLAN tag pass both ways", kDevice) {
    for (const size_t bytes : {46, 1000, 1500}) EXPECT_EQ(exchange_tagged(scene, bytes), "");
}

// Timestamps and three SACK blocks fill the 40 bytes of options that there are.
SCENARIO(device, tcp_options, "headers with all the options that TCP has room for are split right",
         kDevice) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kMiB, .chunks = {1400}, .end = PeerEnd::kIdle});
    // What the receiving end sends meets loss, so that the peer's data carries SACK blocks.
    scene.inject({.what = FaultKind::kDrop,
                  .port = 1,
                  .match = {.protocol = FaultProtocol::kTcp,
                            .payload = true,
                            .probability = 0.2,
                            .seed = scene.seed()}});
    const std::vector<std::byte> bytes(500);
    for (int i = 0; i < 100; ++i)
        if (::send(rx.socket(stream), bytes.data(), bytes.size(), MSG_DONTWAIT) < 0) break;
    rx.receive(kMiB);
    EXPECT_EQ(rx.receiver().total_bytes(), kMiB);
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::device
