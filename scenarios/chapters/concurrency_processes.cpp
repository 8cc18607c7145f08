// Chapter concurrency, processes: each with a queue of its own, or with an import of another's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"

namespace zcrxlab::concurrency_processes {
namespace {

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

constexpr uint64_t kRequestOfChild = 7;

bool arm(Ring& ring, int socket, uint32_t zcrx_id) {
    auto sqe = ring.next_sqe();
    if (!sqe) return false;
    (*sqe)->opcode = uapi::kOpRecvZc;
    (*sqe)->fd = socket;
    (*sqe)->ioprio = uapi::kRecvMultishot;
    (*sqe)->splice_fd_in = static_cast<int32_t>(zcrx_id);
    (*sqe)->user_data = kRequestOfChild;
    return static_cast<bool>(ring.submit());
}

// Beyond the numbers of its parent.
constexpr uint32_t kNumbersOfChild = 100;

SCENARIO(concurrency, two_processes, "two processes receive through a queue each",
         Terms(Needs{.queues = 2, .cpus = 2}).claims({"concurrency.two-processes"})) {
    constexpr uint64_t kBytes = 1_MiB;
    if (scene.has_device()) scene.prepare_nic();
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    const pid_t child = fork_scene([&](Scene& own) {
        own.number_from(kNumbersOfChild);
        ReceivePath rx(own, {.queue = 2});
        rx.connect({.bytes = kBytes});
        EXPECT_EQ(::write(ready[1], "r", 1), 1);
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), kBytes);
    });
    ::close(ready[1]);
    ASSERT_GE(child, 0);
    char told = 0;
    EXPECT_TRUE(read_all(ready[0], &told, 1)) << "The other process did not come to receiving.";
    ::close(ready[0]);
    {
        ReceivePath rx(scene, {.queue = 1});
        rx.connect({.bytes = kBytes});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), kBytes);
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << "The other process failed.";
    }
    if (scene.has_device()) scene.wait_for_release(2);
}

// What the importing process says of a CQE.
struct Arrived {
    int32_t result;
    uint32_t flags;
    uint64_t offset, padding;
    bool big;
};

int receive_by_import(const Scene& scene, int socket, int box, int tell) {
    auto ring = Ring::create();
    if (!ring) return 10;
    auto id = import_box(*ring, box);
    if (!id) return 11;
    if (!arm(*ring, socket, *id)) return 12;
    std::vector<Completion> batch;
    for (;;) {
        auto waited = ring->wait(scene.time_left());
        if (!waited || !*waited) return 13;
        batch.clear();
        ring->reap(batch);
        for (const Completion& cqe : batch) {
            const Arrived arrived{cqe.result, cqe.flags, cqe.offset, cqe.padding, cqe.big};
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
        return receive_by_import(scene, pair.receiver.get(), box.get(), tell);
    });
    ASSERT_GE(child.pid, 0);
    PeerPlan plan;
    plan.stream = scene.next_stream();
    plan.seed = scene.seed(plan.stream);
    plan.total = kBytes;
    Trace& trace = scene.trace();
    trace.add(ConnectionOpened{plan.stream, plan.seed, 4, pair.peer_port, pair.receiver_port});
    RequestSubmitted request;  // of a ring that is not this process's
    request.request = kRequestOfChild;
    request.ifq = ifq.number();
    request.stream = plan.stream;
    trace.add(request);
    Peer peer(std::move(pair.peer), plan, trace);
    const Pattern pattern(plan.seed);
    uint64_t received = 0;
    for (Arrived arrived{}; read_all(child.from.get(), &arrived, sizeof arrived);) {
        CqeSeen seen{request.request, request.ifq,   request.stream,
                     arrived.result,  arrived.flags, arrived.offset,
                     arrived.padding, arrived.big,   received};
        if (arrived.result <= 0) {
            trace.add(seen);
            EXPECT_EQ(arrived.result, 0);
            break;
        }
        const auto length = static_cast<uint32_t>(arrived.result);
        const auto payload = ifq.payload(arrived.offset, length);
        ASSERT_EQ(payload.size(), length) << "outside the area: " << arrived.offset;
        if (const auto wrong = pattern.compare(payload, received)) {
            seen.mismatch = wrong->position;
            seen.expected = wrong->expected;
            seen.seen = wrong->seen;
        }
        trace.add(seen);
        received += length;
        ifq.refill().push(arrived.offset, length);
        trace.add(BufferReturned{request.ifq, arrived.offset, length});
        ifq.refill().publish();
    }
    EXPECT_EQ(received, kBytes);
    trace.add(StreamFinished{plan.stream});
    station.received_elsewhere();
    int status = -1;
    EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace zcrxlab::concurrency_processes
