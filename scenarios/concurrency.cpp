// Chapter concurrency: rings, queues, threads and processes side by side.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "harness/net/namespace.hpp"
#include "scenarios/form/lane.hpp"
#include "scenarios/form/parallel.hpp"
#include "scenarios/form/scenario.hpp"
#include "scenarios/form/sizes.hpp"

namespace zcrxlab::concurrency {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kQueues = 3;  // from 1 on

TcpOptions ends(Scene& scene, bool loopback = false) {
    TcpOptions options;
    options.local = options.peer = "127.0.0.1";
    if (loopback || !scene.has_device()) return options;
    options.local = scene.endpoints().local_v4;
    options.peer = scene.endpoints().peer_v4;
    options.peer_namespace = scene.endpoints().peer_namespace;
    return options;
}

// A connection whose packets a rule takes to the queue.
TcpPair connect_to_queue(Scene& scene, uint32_t queue) {
    const TcpListener listener = scene.must(tcp_listen(ends(scene)));
    if (scene.has_device()) {
        scene.prepare_nic();
        scene.steer({.destination_port = listener.port, .queue = queue});
    }
    return scene.must(tcp_connect(listener, ends(scene)));
}

// A ring with any number of instances, whose connections come from elsewhere.
class Station {
  public:
    explicit Station(Scene& scene)
        : scene_(scene),
          ring_(scene.must(Ring::create())),
          receiver_(new Receiver(*ring_, scene.trace())) {}
    ~Station() {
        for (auto& ifq : ifqs_) static_cast<void>(ifq->flush());
        flows_.clear();
        receiver_.reset();
        ring_.reset();
        for (auto& ifq : ifqs_) {
            const uint32_t number = ifq->number();
            ifq.reset();
            scene_.trace().add(RingClosed{number});
        }
    }
    Station(const Station&) = delete;
    Station& operator=(const Station&) = delete;

    // An instance on a queue of the NIC, which is prepared; without one, or with no queue, one
    // without a device.
    Ifq& open(std::optional<uint32_t> queue) {
        IfqOptions options;
        options.number = scene_.next_ifq();
        options.area_size = 8_MiB;
        if (queue && scene_.has_device()) {
            options.interface = scene_.endpoints().interface;
            options.queue = *queue;
        }
        ifqs_.push_back(scene_.must(Ifq::open(*ring_, options, &scene_.trace())));
        return *ifqs_.back();
    }
    // Receives `bytes` over a connection through one of the instances.
    void add(Ifq& ifq, TcpPair pair, uint64_t bytes) {
        const uint32_t stream = scene_.next_stream();
        const uint64_t seed = scene_.seed(stream);
        scene_.trace().add(ConnectionOpened{stream, seed, 4, pair.peer_port, pair.receiver_port});
        scene_.must(receiver_->add(stream, pair.receiver.get(), ifq, seed));
        PeerPlan plan;
        plan.stream = stream;
        plan.seed = seed;
        plan.total = bytes;
        plan.chunks = {16000};
        flows_.push_back({std::move(pair.receiver),
                          std::make_unique<Peer>(std::move(pair.peer), plan, scene_.trace())});
        expected_ += bytes;
    }
    void receive_all() {
        if (scene_.must(receiver_->run(scene_.time_left())) == RunEnd::kTimedOut)
            scene_.give_up("Only " + std::to_string(receiver_->total_bytes()) + " of " +
                           std::to_string(expected_) + " bytes came in time.");
        for (Flow& flow : flows_) scene_.must(flow.peer->wait());
        receiver_->finish();
        EXPECT_EQ(receiver_->total_bytes(), expected_);
    }
    Ring& ring() { return *ring_; }

  private:
    struct Flow {
        Fd receiver;
        std::unique_ptr<Peer> peer;
    };
    Scene& scene_;
    std::optional<Ring> ring_;
    std::vector<std::unique_ptr<Ifq>> ifqs_;
    std::unique_ptr<Receiver> receiver_;
    std::vector<Flow> flows_;
    uint64_t expected_ = 0;
};

// ---- a ring, a queue and a thread each

SCENARIO(concurrency, reactor_per_queue,
         "each connection's data lands in the area of the ring that its rule names",
         Terms(Needs{.queues = kQueues, .cpus = 2}).claims({"concurrency.reactor-per-queue"})) {
    in_parallel(kQueues, [&scene](unsigned) {
        Lane lane(scene, {.ifq = {.area_size = 8_MiB}});
        for (uint32_t i = 0; i < 6; ++i) lane.connect({.bytes = 100_KiB + i, .chunks = {9999}});
        lane.receive_all();
        EXPECT_EQ(lane.receiver().total_bytes(), 6 * 100_KiB + 15);
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
    const TcpOptions options = ends(scene);
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
        ::inet_pton(AF_INET, ends(scene).local.c_str(), &at.sin_addr);
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
        ASSERT_EQ(::poll(waiting.data(), waiting.size(), 5000), 1);
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
    const TcpListener listener = scene.must(tcp_listen(ends(scene)));
    for (int i = 0; i < 64 && spread.fewest() < 2; ++i) {
        TcpPair pair = scene.must(tcp_connect(listener, ends(scene)));
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
    Rss rss;
    const size_t entries = scene.must(scene.nic().steering().rss()).table.size();
    for (size_t i = 0; i < entries; ++i)
        rss.table.push_back(1 + static_cast<uint32_t>(i) % kQueues);
    scene.must(scene.nic().set_rss(rss));
    Spread spread;
    row.spread(scene, spread);
    ASSERT_GE(spread.fewest(), 2U) << "the NIC did not spread its connections";
    in_parallel(kQueues, [&](unsigned i) {
        Station station(scene);
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
    Lane right(scene), wrong(scene);
    const uint32_t stream = right.connect({.bytes = 100_KiB, .armed = false});
    io_uring_sqe& entry = *scene.must(wrong.ring().next_sqe());
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = right.socket(stream);
    entry.ioprio = uapi::kRecvMultishot;
    entry.splice_fd_in = static_cast<int32_t>(wrong.ifq().zcrx_id());
    ASSERT_TRUE(scene.must(wrong.ring().wait(scene.time_left())));
    std::vector<Completion> completions;
    wrong.ring().reap(completions);
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].result, -EFAULT);
    EXPECT_EQ(completions[0].flags & uapi::kCqeMore, 0U);
    right.arm(stream);
    right.receive_all();
    EXPECT_EQ(right.receiver().state(stream).bytes, 100_KiB);
}

SCENARIO(concurrency, two_ifqs_one_ring, "one ring receives through several instances at once",
         Terms(Needs{.queues = 2, .cpus = 2}).claims({"concurrency.two-ifqs-one-ring"})) {
    if (scene.has_device()) scene.prepare_nic();
    Station station(scene);
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
    Station station(scene);
    Ifq& queue = station.open(1);
    Ifq& none = station.open({});
    station.add(queue, connect_to_queue(scene, 1), 200_KiB);
    station.add(none, scene.must(tcp_pair(ends(scene, true))), 200_KiB);
    station.receive_all();
}

SCENARIO(concurrency, coming_and_going,
         "rings that come and go on one queue cost the stream on another no byte",
         Terms(Needs{.queues = 2, .cpus = 2}).claims({"concurrency.undisturbed"})) {
    Lane lane(scene, {.ifq = {.area_size = 8_MiB}, .queue = 1});
    lane.connect({.bytes = UINT64_MAX, .rate = 4_MiB});
    std::atomic<bool> done{false};
    std::thread others([&] {
        for (int i = 0; i < 4; ++i) {
            {
                Station station(scene);
                Ifq& ifq = station.open(2);
                station.add(ifq, connect_to_queue(scene, 2), 20000);
                station.receive_all();
            }
            // The ring goes in the background.
            if (scene.has_device()) scene.wait_for_release(2);
        }
        done = true;
    });
    const auto stopped = [&] { return done.load(); };
    const RunEnd end = scene.must(lane.receiver().run(scene.time_left(), stopped));
    others.join();
    EXPECT_EQ(end, RunEnd::kSatisfied);
    lane.peer(1).stop();
    lane.receive_all();
}

// ---- processes

// What another process does: receives a stream through what `open` gives, and compares or tells.
struct Child {
    pid_t pid = -1;
    Fd from;  // what it writes
};

template <typename Work>
Child fork_child(Scene& scene, Work work) {
    std::array<int, 2> ends_of_pipe{};
    if (::pipe2(ends_of_pipe.data(), O_CLOEXEC) != 0)
        scene.must(Result<void>(error_from_errno("make a pipe")));
    Child child;
    child.from = Fd(ends_of_pipe[0]);
    const Fd to(ends_of_pipe[1]);
    child.pid = ::fork();
    if (child.pid == 0) ::_exit(work(to.get()));
    return child;
}

// Reads exactly so many bytes; false at the end of the pipe.
bool read_all(int from, void* into, size_t size) {
    auto* at = static_cast<char*>(into);
    while (size != 0) {
        const ssize_t got = ::read(from, at, size);
        if (got <= 0) return false;
        at += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

bool arm(Ring& ring, int socket, uint32_t zcrx_id) {
    auto sqe = ring.next_sqe();
    if (!sqe) return false;
    (*sqe)->opcode = uapi::kOpRecvZc;
    (*sqe)->fd = socket;
    (*sqe)->ioprio = uapi::kRecvMultishot;
    (*sqe)->splice_fd_in = static_cast<int32_t>(zcrx_id);
    return static_cast<bool>(ring.submit());
}

// The exit code of a process that receives the whole stream through a queue of its own.
int receive_alone(int socket, const IfqOptions& options, uint64_t seed, uint64_t bytes, int tell) {
    auto ring = Ring::create();
    if (!ring) return 10;
    auto ifq = Ifq::open(*ring, options);
    if (!ifq) return 11;
    if (!arm(*ring, socket, (*ifq)->zcrx_id()) || ::write(tell, "r", 1) != 1) return 12;
    const Pattern pattern(seed);
    uint64_t received = 0;
    std::vector<Completion> batch;
    for (;;) {
        auto waited = ring->wait(20s);
        if (!waited || !*waited) return 13;
        batch.clear();
        ring->reap(batch);
        for (const Completion& cqe : batch) {
            if (cqe.result <= 0) return received == bytes && cqe.result == 0 ? 0 : 14;
            const auto length = static_cast<uint32_t>(cqe.result);
            if (pattern.compare((*ifq)->payload(cqe.offset, length), received)) return 15;
            received += length;
            (*ifq)->refill().push(cqe.offset, length);
        }
        (*ifq)->refill().publish();
    }
}

SCENARIO(concurrency, two_processes, "two processes receive through a queue each",
         Terms(Needs{.queues = 2, .cpus = 2}).claims({"concurrency.two-processes"})) {
    constexpr uint64_t kBytes = 1_MiB;
    IfqOptions options;
    options.queue = scene.has_device() ? 2 : 0;
    options.interface = scene.has_device() ? scene.endpoints().interface : "";
    TcpPair pair = connect_to_queue(scene, 2);
    const uint64_t seed = scene.seed(99);
    const Child child = fork_child(scene, [&](int tell) {
        pair.peer.reset();
        return receive_alone(pair.receiver.get(), options, seed, kBytes, tell);
    });
    ASSERT_GE(child.pid, 0);
    char ready = 0;
    EXPECT_TRUE(read_all(child.from.get(), &ready, 1));
    {
        Trace trace;  // the other process's stream is judged there
        PeerPlan plan;
        plan.seed = seed;
        plan.total = kBytes;
        Peer peer(std::move(pair.peer), plan, trace);
        Lane lane(scene, {.queue = 1});
        lane.connect({.bytes = kBytes});
        lane.receive_all();
        int status = -1;
        EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 0);
    }
    if (scene.has_device()) scene.wait_for_release(2);
}

// What the importing process says of a CQE.
struct Arrived {
    int32_t result;
    uint64_t offset;
};

int receive_by_import(int socket, int box, int tell) {
    auto ring = Ring::create();
    if (!ring) return 10;
    auto id = import_box(*ring, box);
    if (!id) return 11;
    if (!arm(*ring, socket, *id)) return 12;
    std::vector<Completion> batch;
    for (;;) {
        auto waited = ring->wait(20s);
        if (!waited || !*waited) return 13;
        batch.clear();
        ring->reap(batch);
        for (const Completion& cqe : batch) {
            const Arrived arrived{cqe.result, cqe.offset};
            if (::write(tell, &arrived, sizeof arrived) != sizeof arrived) return 14;
            if (cqe.result <= 0) return 0;
        }
    }
}

SCENARIO(concurrency, import_in_another_process,
         "what another process receives through an import is in the area of the exporter",
         Terms(Needs{.queues = 1, .cpus = 2, .features = {Feature::kExport}})
             .claims({"concurrency.import-across-processes"})) {
    constexpr uint64_t kBytes = 200_KiB;
    if (scene.has_device()) scene.prepare_nic();
    Station station(scene);
    Ifq& ifq = station.open(1);
    TcpPair pair = connect_to_queue(scene, 1);
    const Fd box = scene.must(ifq.export_box());
    const Child child = fork_child(scene, [&](int tell) {
        pair.peer.reset();
        return receive_by_import(pair.receiver.get(), box.get(), tell);
    });
    ASSERT_GE(child.pid, 0);
    PeerPlan plan;
    plan.seed = scene.seed(99);
    plan.total = kBytes;
    Trace trace;  // no request of this process receives it
    Peer peer(std::move(pair.peer), plan, trace);
    const Pattern pattern(plan.seed);
    uint64_t received = 0;
    for (Arrived arrived{}; read_all(child.from.get(), &arrived, sizeof arrived);) {
        if (arrived.result <= 0) {
            EXPECT_EQ(arrived.result, 0);
            break;
        }
        const auto length = static_cast<uint32_t>(arrived.result);
        const auto payload = ifq.payload(arrived.offset, length);
        ASSERT_EQ(payload.size(), length) << "outside the area: " << arrived.offset;
        EXPECT_FALSE(pattern.compare(payload, received)) << "behind position " << received;
        received += length;
        ifq.refill().push(arrived.offset, length);
        ifq.refill().publish();
    }
    EXPECT_EQ(received, kBytes);
    int status = -1;
    EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace zcrxlab::concurrency
