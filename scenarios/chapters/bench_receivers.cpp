// bench: what a byte costs its receiver, by the way it comes in, the size of the buffers, and how
// many queues are busy.
//
// One stream for each queue, each with a thread and a ring of its own. All ways take turns in every
// round. The sender makes and copies no byte; nothing is checked, so that the way itself is seen.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "harness/net/tcp.hpp"
#include "scenarios/framework/median.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/receiving_end.hpp"
#include "scenarios/framework/streams/sent_file.hpp"
#include "scenarios/framework/surroundings/memory_traffic.hpp"

namespace zcrxlab::bench_receivers {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;  // of a stream in a turn
constexpr uint64_t kLeastBytes = uint64_t{2} << 20;  // and to warm up
constexpr double kTurnSeconds = 0.5;                 // a turn sends what takes about so long
constexpr uint32_t kSizes[] = {4096, 16384, 65536};  // of a buffer
constexpr uint32_t kQueueCounts[] = {1, 2, 4};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Of this thread, in the kernel and outside of it.
double thread_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

// Of all processors, with interrupts and whatever else runs.
double busy_seconds() {
    std::ifstream stat("/proc/stat");
    std::string name;
    std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
    stat >> name;
    for (double& value : ticks) stat >> value;
    const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    return busy / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// What one turn came to.
struct Turn {
    double mbits = 0;           // of all streams together
    double receiver_ns = 0;     // processor time of the receiving threads for each KiB
    double machine_ns = 0;      // of the whole machine, the sender included
    std::optional<double> bus;  // bytes to and from memory for each byte
};

constexpr Way kWays[] = {Way::kZeroCopy, Way::kBufferRing, Way::kPlain};

class Bench {
  public:
    explicit Bench(Scene& scene)
        : scene_(scene), payload_(scene, kMostBytes), first_(scene.endpoints().first_queue) {
        scene.prepare_nic();
        tcp_.local = scene.endpoints().local_v4;
        tcp_.peer = scene.endpoints().peer_v4;
        tcp_.peer_namespace = scene.endpoints().peer_namespace;
        const uint32_t queues = scene.target().abilities().queues;
        most_queues_ = queues > first_ ? queues - first_ : 0;
        for (uint32_t i = 0; i < std::min(most_queues_, 4U); ++i) {
            listeners_.push_back(scene.must(tcp_listen(tcp_)));
            FlowRule rule;
            rule.destination_port = listeners_.back().port;
            rule.queue = first_ + i;
            scene.steer(rule);
        }
    }

    void run() {
        for (const uint32_t size : kSizes)
            for (const uint32_t queues : kQueueCounts)
                if (queues <= listeners_.size()) compare(size, queues);
        scene_.measured(nlohmann::ordered_json{{"table", "Receivers"}, {"rows", rows_}}.dump());
    }

  private:
    void compare(uint32_t size, uint32_t queues) {
        std::vector<Way> ways(std::begin(kWays), std::end(kWays));
        if (!zero_copy_takes(scene_, size, first_)) ways.erase(ways.begin());
        scene_.wait_for_release(first_);
        std::vector<uint64_t> bytes;
        for (const Way way : ways) {
            const Turn warm = turn(way, size, queues, kLeastBytes);
            const double wanted = warm.mbits * 1e6 / 8 * kTurnSeconds / queues;
            bytes.push_back(std::clamp(static_cast<uint64_t>(wanted), kLeastBytes, kMostBytes));
        }
        std::vector<std::vector<Turn>> turns(ways.size());
        for (int round = 0; round < kRounds; ++round)
            for (size_t i = 0; i < ways.size(); ++i)
                turns[i].push_back(turn(ways[i], size, queues, bytes[i]));
        for (size_t i = 0; i < ways.size(); ++i) add_row(ways[i], size, queues, turns[i]);
    }

    Turn turn(Way way, uint32_t size, uint32_t queues, uint64_t bytes) {
        std::latch ready(queues), go(1), done(queues);
        std::vector<double> cpu(queues);
        std::vector<uint64_t> received(queues);
        std::vector<TcpPair> pairs(queues);
        std::vector<std::thread> threads;
        for (uint32_t i = 0; i < queues; ++i) {
            // A ring belongs to its thread, from beginning to end.
            threads.emplace_back([&, i] {
                const auto end = make_end(scene_, way, size, first_ + i);
                ready.count_down();
                go.wait();
                const double before = thread_seconds();
                received[i] = end->receive(pairs[i].receiver.get());
                cpu[i] = thread_seconds() - before;
                done.count_down();
            });
        }
        ready.wait();
        for (uint32_t i = 0; i < queues; ++i)
            pairs[i] = scene_.must(tcp_connect(listeners_[i], tcp_));
        auto traffic = MemoryTraffic::start();
        const double busy = busy_seconds();
        const auto start = Clock::now();
        go.count_down();
        std::vector<std::thread> senders;
        for (uint32_t i = 0; i < queues; ++i)
            senders.emplace_back([&, i] { (void)payload_.send(pairs[i].peer.get(), bytes); });
        done.wait();
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        const double machine = busy_seconds() - busy;
        const uint64_t moved = traffic ? traffic->bytes() : 0;
        for (TcpPair& pair : pairs) pair.receiver.reset();
        for (std::thread& thread : senders) thread.join();
        for (std::thread& thread : threads) thread.join();
        if (way == Way::kZeroCopy)
            for (uint32_t i = 0; i < queues; ++i) scene_.wait_for_release(first_ + i);

        Turn result;
        double receivers = 0;
        for (uint32_t i = 0; i < queues; ++i) {
            receivers += cpu[i];
            if (received[i] != bytes)
                scene_.give_up(std::string(name_of(way)) + " received " +
                               std::to_string(received[i]) + " of " + std::to_string(bytes) +
                               " bytes.");
        }
        const double total = static_cast<double>(bytes) * queues;
        result.mbits = total * 8 / 1e6 / seconds;
        result.receiver_ns = receivers * 1e9 / (total / 1024);
        result.machine_ns = machine * 1e9 / (total / 1024);
        if (traffic) result.bus = static_cast<double>(moved) / total;
        return result;
    }

    void add_row(Way way, uint32_t size, uint32_t queues, const std::vector<Turn>& turns) {
        const auto column = [&](auto value) {
            std::vector<double> values;
            for (const Turn& turn : turns) values.push_back(value(turn));
            return values;
        };
        const std::vector<double> rates = column([](const Turn& t) { return t.mbits; });
        const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
        nlohmann::ordered_json row = {
            {"way", name_of(way)},
            {"KiB", size >> 10},
            {"queues", queues},
            {"Mbit/s", with_digits(median(rates), 2)},
            {"lowest", with_digits(*low, 2)},
            {"highest", with_digits(*high, 2)},
            {"receiver ns/KiB",
             with_digits(median(column([](const Turn& t) { return t.receiver_ns; })), 2)},
            {"machine ns/KiB",
             with_digits(median(column([](const Turn& t) { return t.machine_ns; })), 2)}};
        if (turns.front().bus)
            row["memory bytes/byte"] =
                with_digits(median(column([](const Turn& t) { return t.bus.value_or(0); })), 2);
        rows_.push_back(std::move(row));
    }

    Scene& scene_;
    SentFile payload_;
    TcpOptions tcp_;
    uint32_t first_, most_queues_ = 0;
    std::vector<TcpListener> listeners_;
    nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

SCENARIO(bench, receivers, "a byte costs its receiver less the less it is copied",
         Terms(Needs{.where = Where::kDevice,
                     .flow_rules = true,
                     .queues = 1,
                     .memory = kMostBytes + 4 * kEndBytes})
             .within(1800s)) {
    Bench(scene).run();
}

}  // namespace
}  // namespace zcrxlab::bench_receivers
