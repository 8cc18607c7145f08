// Chapter baseline: the same stream through RECV_ZC, through multishot recv with a ring of provided
// buffers, and through plain recv, on the same NIC: the same bytes, and what each way costs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/errno_name.hpp"
#include "harness/base/mapping.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::baseline {
namespace {

using namespace std::chrono_literals;

// What one way made of a stream.
struct Cost {
    uint64_t bytes = 0;
    std::optional<uint64_t> copied;  // bytes, if the way knows
    uint64_t cqes = 0;
    std::optional<uint64_t> calls;  // system calls of the receiving thread
    double milliseconds = 0;        // of the processor, for the receiving thread
    std::string trouble;            // empty if all bytes were right
};

// Counts the system calls of this thread by a tracepoint; nothing where there is none.
class CallCounter {
  public:
    CallCounter() {
        for (const char* folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
            uint64_t id = 0;
            std::ifstream file(std::string(folder) + "/events/raw_syscalls/sys_enter/id");
            if (!(file >> id)) continue;
            perf_event_attr event{};
            event.type = PERF_TYPE_TRACEPOINT;
            event.size = sizeof event;
            event.config = id;
            counter_.reset(static_cast<int>(
                ::syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
            return;
        }
    }
    std::optional<uint64_t> read() const {
        uint64_t count = 0;
        if (!counter_ || ::read(counter_.get(), &count, sizeof count) != sizeof count) return {};
        return count;
    }

  private:
    Fd counter_;
};

double processor_milliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Takes the bytes of a stream as they come and compares each of them. What a way sets up for all of
// its streams is not counted: it begins when it is ready to receive.
class Meter {
  public:
    Meter(Cost& cost, uint64_t seed) : cost_(cost), pattern_(seed) { begin(); }
    void begin() {
        calls_ = counter_.read();
        processor_ = processor_milliseconds();
    }
    void take(std::span<const std::byte> bytes) {
        const auto wrong = pattern_.compare(bytes, cost_.bytes);
        if (wrong && cost_.trouble.empty())
            cost_.trouble = "byte " + std::to_string(wrong->position) + " is wrong";
        cost_.bytes += bytes.size();
    }
    void end() {
        cost_.milliseconds = processor_milliseconds() - processor_;
        const auto now = counter_.read();
        // The second reading is a call, too.
        if (now && calls_ && *now > *calls_) cost_.calls = *now - *calls_ - 1;
    }

  private:
    Cost& cost_;
    Pattern pattern_;
    CallCounter counter_;
    std::optional<uint64_t> calls_;
    double processor_ = 0;
};

// ---- the three ways

constexpr size_t kRoom = 65536;

void plain(Scene&, int socket, Meter& meter, Cost&) {
    std::vector<std::byte> room(kRoom);
    meter.begin();
    for (;;) {
        const ssize_t got = ::recv(socket, room.data(), room.size(), 0);
        if (got <= 0) return;
        meter.take(std::span(room).first(static_cast<size_t>(got)));
    }
}

// Hands the data CQEs of a multishot request to `take` until the stream ends, arming again whenever
// the request stops for want of something.
template <typename Arm, typename Take>
void multishot(Scene& scene, Ring& ring, Cost& cost, Arm&& arm, Take&& take) {
    std::vector<Completion> batch;
    arm(*scene.must(ring.next_sqe()));
    for (;;) {
        batch.clear();
        if (!scene.must(ring.wait(scene.time_left())))
            scene.give_up("Only " + std::to_string(cost.bytes) + " bytes came in time.");
        cost.cqes += ring.reap(batch);
        for (const Completion& completion : batch) {
            if (completion.result > 0) take(completion);
            if ((completion.flags & uapi::kCqeMore) != 0) continue;
            if (completion.result == 0) return;
            if (completion.result < 0 && completion.result != -ENOBUFS &&
                completion.result != -ENOSPC && completion.result != -ENOMEM)
                scene.give_up("The request ended with " + errno_name(-completion.result) + ".");
            arm(*scene.must(ring.next_sqe()));
        }
    }
}

constexpr uint32_t kBuffers = 256;
constexpr uint32_t kBufferBytes = 16384;

void provided_buffers(Scene& scene, int socket, Meter& meter, Cost& cost) {
    constexpr unsigned kRegister = 22;  // IORING_REGISTER_PBUF_RING
    RingOptions options;
    options.flags = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer;
    Mapping entries = scene.must(Mapping::map(kBuffers * sizeof(io_uring_buf),
                                              PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS));
    std::vector<std::byte> room(size_t{kBuffers} * kBufferBytes);
    Ring ring = scene.must(Ring::create(options));
    auto* provided = reinterpret_cast<io_uring_buf_ring*>(entries.data());
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<uintptr_t>(provided);
    registration.ring_entries = kBuffers;
    if (const int code = ring.register_raw(kRegister, &registration, 1); code < 0)
        scene.give_up("A ring of provided buffers is refused with " + errno_name(-code) + ".");
    const int mask = io_uring_buf_ring_mask(kBuffers);
    const auto provide = [&](unsigned id) {
        io_uring_buf_ring_add(provided, room.data() + size_t{id} * kBufferBytes, kBufferBytes,
                              static_cast<uint16_t>(id), mask, 0);
        io_uring_buf_ring_advance(provided, 1);
    };
    io_uring_buf_ring_init(provided);
    for (unsigned id = 0; id < kBuffers; ++id) provide(id);
    meter.begin();
    const auto arm = [&](io_uring_sqe& entry) {
        entry.opcode = IORING_OP_RECV;
        entry.fd = socket;
        entry.ioprio = uapi::kRecvMultishot;
        entry.flags = IOSQE_BUFFER_SELECT;
    };
    multishot(scene, ring, cost, arm, [&](const Completion& completion) {
        const unsigned id = completion.flags >> IORING_CQE_BUFFER_SHIFT;
        meter.take(
            {room.data() + size_t{id} * kBufferBytes, static_cast<size_t>(completion.result)});
        provide(id);
    });
}

// Through an ifq that is there already, as is the socket's flow rule.
void zero_copy(Scene& scene, Ring& ring, Ifq& ifq, int socket, Meter& meter, Cost& cost) {
    const auto arm = [&](io_uring_sqe& entry) {
        entry.opcode = uapi::kOpRecvZc;
        entry.fd = socket;
        entry.ioprio = uapi::kRecvMultishot;
        entry.splice_fd_in = static_cast<int32_t>(ifq.zcrx_id());
    };
    const uint64_t before = ifq.statistics() ? ifq.statistics()->copy_bytes : 0;
    uint32_t unflushed = 0;
    multishot(scene, ring, cost, arm, [&](const Completion& completion) {
        const auto length = static_cast<uint32_t>(completion.result);
        meter.take(ifq.payload(completion.offset, length));
        if (!ifq.refill().push(completion.offset, length))
            scene.give_up("The refill ring is full.");
        ifq.refill().publish();
        // Without a NIC nobody else looks at it.
        if (ifq.nodev() && ++unflushed % 1024 == 0) scene.must(ifq.flush());
    });
    if (ifq.statistics()) cost.copied = ifq.statistics()->copy_bytes - before;
}

// ---- side by side

double rounded(double value) {
    return std::round(value * 10) / 10;
}

nlohmann::ordered_json row_of(const std::string& stream, const std::string& way, const Cost& cost) {
    nlohmann::ordered_json row = {{"stream", stream}, {"way", way}, {"KiB", cost.bytes >> 10}};
    if (cost.copied) row["KiB copied"] = *cost.copied >> 10;
    row["CQEs"] = cost.cqes;
    if (cost.calls) row["system calls"] = *cost.calls;
    row["CPU ms"] = rounded(cost.milliseconds);
    return row;
}

struct Stream {
    const char* name;
    uint64_t bytes;
    std::vector<uint32_t> chunks;
    uint8_t family = 4;
};
const Stream kStreams[] = {{"large_writes", 4 << 20, {65536}},
                           {"small_writes", 256 << 10, {100, 1, 997}},
                           {"ipv6", 1 << 20, {4097, 65536}, 6}};

using Receive = std::function<void(int socket, Meter&, Cost&)>;

// One stream, whose packets go to `queue`, or where the NIC likes if that is 0.
Cost measure(Scene& scene, const Stream& stream, uint32_t queue, const Receive& receive) {
    const Endpoints& ends = scene.endpoints();
    TcpOptions options;
    options.family = stream.family;
    options.local = stream.family == 4 ? ends.local_v4 : ends.local_v6;
    options.peer = stream.family == 4 ? ends.peer_v4 : ends.peer_v6;
    options.peer_namespace = ends.peer_namespace;
    const TcpListener listener = scene.must(tcp_listen(options));
    if (queue != 0) {
        FlowRule rule;
        rule.family = stream.family;
        rule.destination_port = listener.port;
        rule.queue = queue;
        scene.steer(rule);
    }
    TcpPair pair = scene.must(tcp_connect(listener, options));
    PeerPlan plan;
    plan.seed = scene.seed();
    plan.total = stream.bytes;
    plan.chunks = stream.chunks;
    plan.record = false;
    Trace unused;
    Peer peer(std::move(pair.peer), plan, unused);

    Cost cost;
    Meter meter(cost, plan.seed);
    receive(pair.receiver.get(), meter, cost);
    meter.end();
    scene.must(peer.wait());
    return cost;
}

bool has_events(Scene& scene) {
    Ring ring = scene.must(Ring::create());
    IfqOptions options;
    options.area_size = 16 * kPageSize;
    options.events = EventOptions{.user_data = 1, .types = 0, .statistics = true};
    return static_cast<bool>(Ifq::open(ring, options));
}

SCENARIO_TABLE(baseline, stream,
               "a stream is the same through RECV_ZC, multishot recv and plain recv",
               Terms(Needs{}).within(20s), kStreams, row) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto judge = [&](const std::string& way, const Cost& cost) {
        EXPECT_EQ(cost.trouble, "") << way;
        EXPECT_EQ(cost.bytes, row.bytes) << way;
        rows.push_back(row_of(row.name, way, cost));
    };
    {
        ReceivePathOptions options;
        if (has_events(scene))
            options.ifq.events = EventOptions{.user_data = ~uint64_t{0}, .statistics = true};
        ReceivePath rx(scene, options);
        const Receive receive = [&](int socket, Meter& meter, Cost& cost) {
            zero_copy(scene, rx.ring(), rx.ifq(), socket, meter, cost);
        };
        const Cost cost = measure(scene, row, scene.has_device() ? rx.queue() : 0, receive);
        judge("RECV_ZC", cost);
        if (cost.copied && scene.has_device()) {
            EXPECT_EQ(*cost.copied, 0U) << "bytes that the kernel says it has copied";
        } else if (cost.copied) {
            // What came in the linear part of a packet is not counted: a known issue.
            EXPECT_GT(*cost.copied, 0U) << "bytes that the kernel says it has copied";
            EXPECT_LE(*cost.copied, row.bytes) << "bytes that the kernel says it has copied";
        }
    }
    const auto copying = [&](const std::string& way, auto&& receive) {
        Cost cost = measure(scene, row, 0, [&](int socket, Meter& meter, Cost& so_far) {
            receive(scene, socket, meter, so_far);
        });
        cost.copied = cost.bytes;
        judge(way, cost);
    };
    copying("multishot recv", provided_buffers);
    copying("recv", plain);
    const nlohmann::ordered_json table = {{"table", "The same stream, received in three ways"},
                                          {"rows", rows}};
    scene.measured(table.dump());
}

}  // namespace
}  // namespace zcrxlab::baseline
