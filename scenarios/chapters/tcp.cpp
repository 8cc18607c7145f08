// Chapter tcp: what the transport does to a stream: loss, order, duplicates, windows, resets.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <optional>
#include <random>

#include "harness/net/counters.hpp"
#include "harness/net/tcp_info.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::tcp {
namespace {

using namespace std::chrono_literals;

const Needs kFaultNeeds{.where = Where::kDevice, .faults = true};
const Needs kNodevNeeds{.features = {Feature::kNodev}};
// Small, so that counting its buffers is quick, and larger than the receive ring of a NIC.
constexpr size_t kAreaSize = 6_MiB;

// ---- a wire that is not perfect

struct Wire {
    const char* name;
    std::vector<FaultRule> faults;  // of TCP; each gets a seed of its own
    std::string_view claims;
    const char* noticed = nullptr;  // a counter of the receiver's TCP that moves, in netstat
};
// Port 0 is the receiver's, port 1 the peer's, who gets acknowledgements.
const Wire kWires[] = {
    {"burst_of_loss",
     {{.what = FaultKind::kDrop, .match = {.payload = true, .skip = 40, .count = 12}}},
     "tcp.loss",
     "TCPOFOQueue"},
    {"3_percent_lost",
     {{.what = FaultKind::kDrop, .match = {.payload = true, .probability = 0.03}}},
     "tcp.loss",
     "TCPOFOQueue"},
    {"every_9th_late_by_6",
     {{.what = FaultKind::kDelay, .frames = 6, .match = {.payload = true, .every = 9}}},
     "tcp.loss",
     "TCPOFOQueue"},
    {"acknowledgements_lost",
     {{.what = FaultKind::kDrop, .port = 1, .match = {.payload = false, .every = 3}}},
     "tcp.loss"},
    {"every_4th_twice",
     {{.what = FaultKind::kDuplicate, .match = {.payload = true, .every = 4}}},
     "tcp.duplicates",
     "TCPDSACKOldSent"},
    {"all_of_it",
     {{.what = FaultKind::kDuplicate, .match = {.payload = true, .every = 11}},
      {.what = FaultKind::kDelay, .frames = 4, .match = {.payload = true, .every = 23}},
      {.what = FaultKind::kDrop, .match = {.payload = true, .every = 41}},
      {.what = FaultKind::kDrop, .port = 1, .match = {.payload = false, .every = 7}}},
     "tcp.duplicates",
     "TCPOFOQueue"},
};

SCENARIO_TABLE(tcp, wire, "a stream arrives whole over a wire that loses, repeats and reorders",
               kFaultNeeds, kWires, row) {
    uint64_t salt = 100;
    for (FaultRule rule : row.faults) {
        rule.match.protocol = FaultProtocol::kTcp;
        if (rule.match.probability < 1) rule.match.seed = scene.seed(++salt) >> 12;
        scene.inject(rule);
    }
    ReceivePath rx(scene);
    const uint64_t before = row.noticed != nullptr ? scene.must(tcp_counter(row.noticed)) : 0;
    // Small segments, so that there are many of them.
    rx.connect({.bytes = 400_KiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    const std::vector<uint64_t> hits = fault_hits_of_each(scene);
    EXPECT_EQ(hits.size(), row.faults.size());
    for (size_t i = 0; i < hits.size(); ++i)
        EXPECT_GT(hits[i], 0U) << "Fault " << i + 1 << " never happened.";
    if (row.noticed != nullptr) {
        EXPECT_GT(scene.must(tcp_counter(row.noticed)), before)
            << "TCP noticed nothing: " << row.noticed;
    }
    EXPECT_EQ(rx.receiver().total_bytes(), 400_KiB);
}

// The checksum is left as it was, so TCP has to see it, and the peer to send again.
SCENARIO(tcp, corrupt, "a packet with a wrong checksum never reaches the application",
         Terms(kFaultNeeds).claims({"tcp.corrupt"})) {
    scene.inject({.what = FaultKind::kCorrupt,
                  .bytes = 7,
                  .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 20}});
    ReceivePath rx(scene);
    rx.connect({.bytes = 100_KiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_GT(fault_hits(scene), 0U);
    EXPECT_EQ(rx.receiver().total_bytes(), 100_KiB);
}

// ---- segments of our own making

const ReceivePathOptions kKeeping = {.ifq = {.area_size = kAreaSize},
                                     .receiver = {.returns = ReturnPolicy::kNever}};

struct Cut {
    const char* name;
    std::vector<Segment> segments;
};
const Cut kCuts[] = {
    {"all_of_it_again", {{0, 1000}, {0, 1000}, {1000, 1000}, {0, 1000}, {1000, 1000}}},
    {"old_and_new_in_one", {{0, 1000}, {400, 1000}, {900, 1400}, {2299, 300}}},
    {"hole_filled_by_more", {{0, 1000}, {2000, 1000}, {600, 1460}}},
    {"hole_filled_by_less", {{0, 1000}, {2000, 1000}, {900, 300}, {1190, 820}}},
    {"hole_filled_byte_by_byte",
     {{0, 100}, {104, 1000}, {100, 1}, {102, 1}, {101, 1}, {103, 1}, {103, 2}}},
    {"inside_what_waits", {{1000, 1400}, {1200, 100}, {1000, 1}, {2399, 1}, {0, 1000}}},
    {"around_what_waits", {{1200, 100}, {1500, 100}, {1000, 1400}, {0, 1001}}},
    {"bridges_what_waits",
     {{500, 500}, {1500, 500}, {2500, 500}, {700, 1460}, {1800, 1000}, {0, 600}}},
    {"backwards", {{3000, 1000}, {2000, 1000}, {1000, 1000}, {0, 1000}}},
    {"backwards_with_overlap", {{2700, 1300}, {1800, 1300}, {900, 1300}, {0, 1300}}},
};

SCENARIO_TABLE(tcp, cut, "segments that repeat and overlap cost and add no byte",
               Terms(Needs{}).claims({"tcp.overlap", "tcp.duplicates"}), kCuts, row) {
    ForgedStream forged(scene, kKeeping);
    forged.rx.arm(forged.stream);
    forged.source.send_all(row.segments);
    forged.source.finish();
    forged.receive_all();
    scene.must(forged.rx.receiver().return_held());
}

SCENARIO(tcp, cut_at_random,
         "segments that overlap at random, in any order, cost and add neither byte nor buffer",
         Terms(Needs{}).claims({"tcp.overlap"})) {
    constexpr uint64_t kBytes = 30000;
    ForgedStream forged(scene, kKeeping);
    forged.rx.arm(forged.stream);
    std::mt19937_64 random(scene.seed(7));
    for (int i = 0; i < 150; ++i) {
        const uint64_t from = random() % kBytes;
        const uint64_t length = 1 + random() % std::min<uint64_t>(1460, kBytes - from);
        forged.source.send(
            {.from = static_cast<int64_t>(from), .length = static_cast<uint32_t>(length)});
    }
    forged.source.send_range(0, kBytes, 1111);
    forged.source.finish();
    forged.receive_all();
    scene.must(forged.rx.receiver().return_held());
    forged.rx.measure_capacity();
}

SCENARIO(tcp, wrong_checksums, "segments with a wrong checksum are as if they had never been sent",
         Terms(kNodevNeeds).claims({"tcp.corrupt"})) {
    ForgedStream forged(scene, {.nodev = true});
    forged.rx.arm(forged.stream);
    for (int64_t at = 0; at < 5000; at += 1000) {
        forged.source.send({.from = at, .length = 900, .bad_checksum = true});
        forged.source.send({.from = at, .length = 1000});
    }
    forged.source.finish();
    forged.receive_all();
}

// Each of them takes a buffer of its own.
SCENARIO(tcp, tiny_segments, "segments of one byte arrive right",
         Terms(Needs{}).claims({"tcp.tiny"})) {
    ForgedStream forged(scene);
    forged.rx.make_room(forged.stream);
    forged.rx.arm(forged.stream);
    // Nobody sends again what a NIC drops: never more at once than the smallest ring takes.
    for (uint64_t at = 0; at < 400; at += 20) {
        forged.source.send_range(at, at + 20, 1);
        forged.rx.receive(at + 20);
    }
    forged.source.finish();
    forged.receive_all();
}

SCENARIO(tcp, tiny_and_large, "tiny segments among large ones arrive right",
         Terms(Needs{}).claims({"tcp.tiny"})) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 1_MiB, .chunks = {1, 50000, 2, 3, 4096, 1}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
}

struct Ending {
    const char* name;
    std::vector<Segment> segments;
};
const Ending kEndings[] = {
    {"one_byte", {{0, 1, kTcpFin}}},
    {"a_full_segment", {{0, 1460}, {1460, 1460, kTcpFin}}},
    {"before_what_is_missing", {{2000, 500, kTcpFin}, {1000, 1000}, {0, 1000}}},
    {"twice", {{0, 1000}, {1000, 1000, kTcpFin}, {1000, 1000, kTcpFin}}},
    {"cut_differently", {{500, 1000, kTcpFin}, {0, 700}, {700, 800, kTcpFin}}},
    {"alone_before_the_data", {{1000, 0, kTcpFin}, {0, 600}, {600, 400}}},
};

SCENARIO_TABLE(tcp, fin, "data that comes with the end, or after it, arrives before the end",
               Terms(Needs{}).claims({"tcp.fin-with-data"}), kEndings, row) {
    ForgedStream forged(scene);
    forged.rx.arm(forged.stream);
    forged.source.send_all(row.segments);
    forged.receive_all();
    EXPECT_EQ(forged.rx.receiver().state(forged.stream).final_result, 0);
}

struct Reset {
    const char* name;
    std::vector<Segment> before;
    int64_t at;        // the position that the reset gives
    uint64_t arrives;  // bytes in all
    bool believed = true;
    bool armed = true;
    bool count_buffers = false;
};
const Reset kResets[] = {
    {"before_any_data", {}, 0, 0},
    {"after_data", {{0, 1460}, {1460, 1460}}, 2920, 2920},
    {"while_data_waits", {{0, 1460}, {1460, 1460}}, 2920, 2920, true, false},
    {"while_data_waits_behind_a_hole", {{0, 500}, {1000, 1000}}, 500, 500, true, true, true},
    {"not_the_next_number", {{0, 1000}}, 1100, 3000, false},
    {"an_old_number", {{0, 1000}}, 900, 3000, false},
    {"beyond_the_window", {{0, 1000}}, 90'000'000, 3000, false},
};

SCENARIO_TABLE(tcp, reset,
               "a reset ends a request after the data before it, and a wrong one does nothing",
               Terms(Needs{}).claims({"tcp.reset-mid-stream"}), kResets, row) {
    ForgedStream forged(scene, {.ifq = {.area_size = kAreaSize}});
    if (row.armed) forged.rx.arm(forged.stream);
    forged.source.send_all(row.before);
    forged.source.send({.from = row.at, .flags = kTcpReset});
    if (!row.armed) {
        forged.rx.wait_for_queued(forged.stream, row.arrives);
        forged.rx.arm(forged.stream);
    }
    const StreamState& state = forged.rx.receiver().state(forged.stream);
    if (!row.believed) {
        forged.source.send_range(1000, row.arrives, 1000);
        forged.source.send({.from = static_cast<int64_t>(row.arrives), .flags = kTcpFin});
    }
    scene.must(forged.rx.receiver().run(scene.time_left()));
    EXPECT_EQ(state.bytes, row.arrives);
    forged.rx.abandon();
    ASSERT_TRUE(state.ended) << "The request waits, and " << forged.rx.socket_state(forged.stream);
    EXPECT_EQ(state.final_result, row.believed ? -ECONNRESET : 0);
    if (!row.count_buffers) return;
    // What waits behind a hole belongs to the socket until it has no connection any more.
    const sockaddr nowhere{AF_UNSPEC, {}};
    ASSERT_EQ(::connect(forged.rx.socket(forged.stream), &nowhere, sizeof nowhere), 0);
    forged.rx.measure_capacity();
}

SCENARIO(tcp, keep_alive, "a keep-alive probe adds no byte, with data of its own or without",
         Terms(Needs{}).claims({"tcp.keep-alive"})) {
    ForgedStream forged(scene);
    forged.rx.arm(forged.stream);
    for (int64_t at = 0; at < 5000; at += 1000) {
        forged.source.send({.from = at - 1});
        forged.source.send({.from = at - 1, .length = 1});
        forged.source.send({.from = at, .length = 1000});
    }
    forged.source.send({.from = 4999});
    forged.source.finish();
    forged.receive_all();
}

// Chapter alone has the same with payload that the kernel cannot read.
SCENARIO(tcp, urgent,
         "an urgent byte in a stream that asks for it in line does not break the stream",
         Terms(kNodevNeeds).claims({"tcp.urgent"})) {
    ForgedStream forged(scene, {.nodev = true});
    const int on = 1;
    ::setsockopt(forged.rx.socket(forged.stream), SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    forged.rx.arm(forged.stream);
    forged.source.send_all({{0, 1000}, {1000, 1000, kTcpUrgent, 500}, {2000, 1000}});
    forged.source.finish();
    forged.rx.receive_all();
}

// ---- windows

// Each of the segments takes a whole buffer of memory; the kernel makes room by putting them
// together, which it cannot do with what it cannot read, or by throwing them away.
SCENARIO(tcp, memory_full, "a socket whose memory is full of data behind a hole loses no byte",
         Terms(Needs{}).claims({"tcp.memory-full"})) {
    constexpr uint64_t kBytes = 1000;
    ForgedStream forged(scene, {}, {.receive_buffer = 8192});
    forged.rx.arm(forged.stream);
    const uint64_t pruned = scene.must(tcp_counter("PruneCalled"));
    for (int64_t at = 100; at < static_cast<int64_t>(kBytes); at += 3)
        forged.source.send({.from = at, .length = 1});
    const StreamState& state = forged.rx.receiver().state(forged.stream);
    const auto taken = [&] {
        const std::optional<LongTcpInfo> info = tcp_info_of(forged.rx.socket(forged.stream));
        return info && info->bytes_received >= kBytes;
    };
    while (!taken() && scene.time_left() > 0ms) {
        forged.source.send_range(state.bytes, kBytes, 100);
        scene.must(forged.rx.receiver().run(20ms, taken));
    }
    // Before the FIN, which wakes a request, too.
    forged.rx.receive(kBytes);
    forged.source.finish();
    forged.receive_all();
    EXPECT_GT(scene.must(tcp_counter("PruneCalled")), pruned)
        << "the memory of the socket was not full";
}

struct Window {
    const char* name;
    uint32_t lost;  // of the packets that say that the window is open again
    Terms terms = Needs{};
};
const Window kWindows[] = {{"opens", 0}, {"opening_is_lost", 2, kFaultNeeds}};

SCENARIO_TABLE(tcp, zero_window, "a window that closed for want of a reader opens for one",
               Terms(Needs{}).claims({"tcp.zero-window"}), kWindows, row) {
    ReceivePath rx(scene);
    const uint64_t opened = scene.must(tcp_counter("TCPFromZeroWindowAdv"));
    int sender = -1;
    const uint32_t stream = rx.connect({.bytes = 1_MiB,
                                        .tcp = {.receive_buffer = 60000, .send_buffer = 60000},
                                        .armed = false,
                                        .prepare = [&sender](int socket) { sender = socket; }});
    // It closes for want of window, or of memory where segments are short, and only the former has
    // a counter (net/ipv4/tcp_output.c:tcp_select_window).
    scene.wait_for("It did not happen in time: the window closed.", [&] {
        const std::optional<LongTcpInfo> info = tcp_info_of(sender);
        return info && info->snd_wnd == 0;
    });
    EXPECT_LT(rx.peer(stream).sent(), 1_MiB);
    if (row.lost != 0)
        scene.inject(
            {.what = FaultKind::kDrop,
             .port = 1,
             .match = {.protocol = FaultProtocol::kTcp, .payload = false, .count = row.lost}});
    rx.arm(stream);
    rx.receive_all();
    if (row.lost != 0) {
        EXPECT_EQ(fault_hits(scene), row.lost) << "The opening was not lost.";
    }
    EXPECT_GT(scene.must(tcp_counter("TCPFromZeroWindowAdv")), opened);
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
}

}  // namespace
}  // namespace zcrxlab::tcp
