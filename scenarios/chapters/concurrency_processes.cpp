// Chapter concurrency, processes: each with a queue of its own, or with an import of another's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"

namespace zcrxlab::concurrency_processes {
namespace {

using namespace std::chrono_literals;

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
        ReceivePath rx(scene, {.queue = 1});
        rx.connect({.bytes = kBytes});
        rx.receive_all();
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
    MultiIfqRing station(scene);
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
}  // namespace zcrxlab::concurrency_processes
