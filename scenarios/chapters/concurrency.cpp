// Chapter concurrency: rings, queues and threads side by side.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <random>
#include <thread>

#include "harness/net/namespace.hpp"
#include "scenarios/framework/parallel.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"

namespace zcrxlab::concurrency {
namespace {

constexpr uint32_t kQueues = 3;  // from 1 on

// ---- a ring, a queue and a thread each

SCENARIO(concurrency, reactor_per_queue,
         "each connection's data lands in the area of the ring that its rule names",
         Terms(Needs{.queues = kQueues, .cpus = 2}).claims({"concurrency.reactor-per-queue"})) {
    in_parallel(kQueues, [&scene](unsigned) {
        ReceivePath rx(scene, {.ifq = {.area_size = 8_MiB}});
        for (uint32_t i = 0; i < 6; ++i) rx.connect({.bytes = 100_KiB + i, .chunks = {9999}});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), 6 * 100_KiB + 15);
    });
}

// Connections that the NIC spreads by their hash, and the queue on which each of them comes.
struct Spread {
    std::vector<TcpPair> by_queue[kQueues];
    size_t fewest() const {
        size_t count = SIZE_MAX;
        for (const auto& pairs : by_queue) count = std::min(count, pairs.size());
        return count;
    }
};

Fd connect_peer(Scene& scene, uint16_t port) {
    const TcpOptions options = connection_ends(scene);
    return scene.must(in_namespace_get<Fd>(options.peer_namespace, [&]() -> Result<Fd> {
        Fd peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        ::inet_pton(AF_INET, options.local.c_str(), &to.sin_addr);
        if (::connect(peer.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
            return error_from_errno("connect to the listeners of one port");
        return peer;
    }));
}

uint16_t port_of(int socket, bool peer) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    peer ? ::getpeername(socket, any, &size) : ::getsockname(socket, any, &size);
    return ntohs(address.sin_port);
}

// A listener of each queue on one port: the kernel asks the program which of them it is to be.
std::vector<Fd> listener_per_queue(Scene& scene, uint16_t& port) {
    std::vector<Fd> listeners;
    const int on = 1;
    for (uint32_t i = 0; i < kQueues; ++i) {
        Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        ::inet_pton(AF_INET, connection_ends(scene).local.c_str(), &at.sin_addr);
        if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
            ::listen(listener.get(), 64) != 0)
            scene.must(Result<void>(error_from_errno("listen on one port several times")));
        port = port_of(listener.get(), false);
        listeners.push_back(std::move(listener));
    }
    // The kernel keeps the receive queue plus 1, and the first listener is that of queue 1.
    std::array<sock_filter, 3> code{{
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_QUEUE)},
        {BPF_ALU | BPF_SUB | BPF_K, 0, 0, 2},
        {BPF_RET | BPF_A, 0, 0, 0},
    }};
    const sock_fprog program{code.size(), code.data()};
    if (::setsockopt(listeners[0].get(), SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
                     sizeof program) != 0)
        scene.must(Result<void>(error_from_errno("choose listeners by a program")));
    return listeners;
}

void spread_by_listener(Scene& scene, Spread& spread) {
    uint16_t port = 0;
    const std::vector<Fd> listeners = listener_per_queue(scene, port);
    for (int i = 0; i < 64 && spread.fewest() < 2; ++i) {
        TcpPair pair;
        pair.peer = connect_peer(scene, port);
        std::array<pollfd, kQueues> waiting{};
        for (uint32_t q = 0; q < kQueues; ++q) waiting[q] = {listeners[q].get(), POLLIN, 0};
        ASSERT_EQ(::poll(waiting.data(), waiting.size(), scene.milliseconds_left()), 1);
        for (uint32_t q = 0; q < kQueues; ++q) {
            if (waiting[q].revents == 0) continue;
            pair.receiver = Fd(::accept4(listeners[q].get(), nullptr, nullptr, SOCK_CLOEXEC));
            pair.receiver_port = port;
            pair.peer_port = port_of(pair.receiver.get(), true);
            spread.by_queue[q].push_back(std::move(pair));
            break;
        }
    }
}

void spread_by_napi(Scene& scene, Spread& spread) {
    std::array<uint32_t, kQueues> napis{};
    for (uint32_t q = 0; q < kQueues; ++q)
        napis[q] = scene.must(scene.nic().netdev().receive_queue(q + 1)).napi.value_or(0);
    const TcpListener listener = scene.must(tcp_listen(connection_ends(scene)));
    for (int i = 0; i < 64 && spread.fewest() < 2; ++i) {
        TcpPair pair = scene.must(tcp_connect(listener, connection_ends(scene)));
        uint32_t napi = 0;
        socklen_t size = sizeof napi;
        ASSERT_EQ(::getsockopt(pair.receiver.get(), SOL_SOCKET, SO_INCOMING_NAPI_ID, &napi, &size),
                  0);
        const auto* found = std::find(napis.begin(), napis.end(), napi);
        ASSERT_NE(found, napis.end()) << "no queue has NAPI " << napi;
        spread.by_queue[found - napis.begin()].push_back(std::move(pair));
    }
}

struct Dispatch {
    const char* name;
    std::string_view claims;
    void (*spread)(Scene&, Spread&);
};
constexpr Dispatch kDispatches[] = {
    {"by_listener", "concurrency.listener-per-queue", spread_by_listener},
    {"by_napi", "concurrency.napi-names-queue", spread_by_napi},
};

SCENARIO_TABLE(
    concurrency, dispatch,
    "connections that the NIC spreads find the ring of their queue, and nothing is copied",
    Terms(Needs{.where = Where::kDevice, .queues = kQueues, .cpus = 2}), kDispatches, row) {
    scene.prepare_nic();
    const Rss before = scene.must(scene.nic().steering().rss());
    const size_t entries = before.table.size();
    Rss rss;
    // Drivers draw their key by lot at each boot, and some keys bring near ports to one queue.
    rss.key = before.key;
    std::mt19937_64 random(scene.seed());
    for (std::byte& byte : rss.key) byte = std::byte(random() & 0xff);
    for (size_t i = 0; i < entries; ++i)
        rss.table.push_back(1 + static_cast<uint32_t>(i) % kQueues);
    scene.must(scene.nic().set_rss(rss));
    Spread spread;
    row.spread(scene, spread);
    ASSERT_GE(spread.fewest(), 2U) << "the NIC did not spread its connections";
    in_parallel(kQueues, [&](unsigned i) {
        MultiIfqRing station(scene);
        Ifq& ifq = station.open(i + 1);
        for (TcpPair& pair : spread.by_queue[i]) station.add(ifq, std::move(pair), 50000);
        station.receive_all();
    });
}

SCENARIO(concurrency, other_ring,
         "a connection received through the ring of another queue ends with -EFAULT, and loses no "
         "byte",
         Terms(Needs{.where = Where::kDevice, .queues = 2, .cpus = 2})
             .claims({"concurrency.other-ring"})) {
    ReceivePath right(scene), wrong(scene);
    const uint32_t stream = right.connect({.bytes = 100_KiB, .armed = false});
    io_uring_sqe& entry = *scene.must(wrong.ring().next_sqe());
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = right.socket(stream);
    entry.ioprio = uapi::kRecvMultishot;
    entry.splice_fd_in = static_cast<int32_t>(wrong.ifq().zcrx_id());
    wrong.receiver().expect_other(entry.user_data, "recv_zc");
    const auto refused = scene.must(wrong.receiver().next_other(scene.time_left()));
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->result, -EFAULT);
    EXPECT_EQ(refused->flags & uapi::kCqeMore, 0U);
    right.arm(stream);
    right.receive_all();
    EXPECT_EQ(right.receiver().state(stream).bytes, 100_KiB);
}

SCENARIO(concurrency, two_ifqs_one_ring, "one ring receives through several instances at once",
         Terms(Needs{.queues = 2, .cpus = 2}).claims({"concurrency.two-ifqs-one-ring"})) {
    if (scene.has_device()) scene.prepare_nic();
    MultiIfqRing station(scene);
    Ifq& first = station.open(1);
    Ifq& second = station.open(2);
    EXPECT_NE(first.zcrx_id(), second.zcrx_id());
    for (int i = 0; i < 3; ++i) {
        station.add(first, connect_to_queue(scene, 1), 100_KiB);
        station.add(second, connect_to_queue(scene, 2), 150_KiB);
    }
    station.receive_all();
}

SCENARIO(concurrency, device_and_none_in_one_ring,
         "one ring receives through an instance of a queue and one without a device at once",
         Terms(Needs{.queues = 1, .cpus = 2, .features = {Feature::kNodev}})
             .claims({"concurrency.two-ifqs-one-ring"})) {
    if (scene.has_device()) scene.prepare_nic();
    MultiIfqRing station(scene);
    Ifq& queue = station.open(1);
    Ifq& none = station.open({});
    station.add(queue, connect_to_queue(scene, 1), 200_KiB);
    station.add(none, scene.must(tcp_pair(connection_ends(scene, true))), 200_KiB);
    station.receive_all();
}

// Rings that receive a little on the queue, one after the other.
void come_and_go(Scene& scene, uint32_t queue, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        {
            MultiIfqRing station(scene);
            Ifq& ifq = station.open(queue);
            station.add(ifq, connect_to_queue(scene, queue), 20000);
            station.receive_all();
        }
        // The ring goes in the background.
        if (scene.has_device()) scene.wait_for_release(queue);
    }
}

struct Comings {
    const char* name;
    uint32_t queues;  // on which rings come and go at the same time, from 2 on
    Terms terms;
};
const Comings kComings[] = {
    {"one_queue", 1, Needs{.queues = 2, .cpus = 2}},
    {"two_queues", 2, Needs{.queues = 3, .cpus = 2}},
};

SCENARIO_TABLE(concurrency, coming_and_going,
               "rings that come and go on other queues cost the stream on one no byte",
               Terms(Needs{}).claims({"concurrency.undisturbed"}), kComings, row) {
    ReceivePath rx(scene, {.ifq = {.area_size = 8_MiB}, .queue = 1});
    rx.connect({.bytes = UINT64_MAX, .rate = 4_MiB});
    std::atomic<uint32_t> going{row.queues};
    std::vector<std::thread> others;
    for (uint32_t i = 0; i < row.queues; ++i)
        others.emplace_back([&scene, &going, queue = 2 + i] {
            come_and_go(scene, queue, 4);
            --going;
        });
    const auto stopped = [&] { return going == 0; };
    const RunEnd end = scene.must(rx.receiver().run(scene.time_left(), stopped));
    for (std::thread& other : others) other.join();
    EXPECT_EQ(end, RunEnd::kSatisfied);
    rx.peer(1).stop();
    rx.receive_all();
}

}  // namespace
}  // namespace zcrxlab::concurrency
