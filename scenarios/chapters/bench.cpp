// bench: how fast the zero-copy path is beside plain recv(), and how fast a payload is checked.
//
// Numbers of an emulated machine mean something only beside each other: all ways take turns in each
// round, with the same sender, the same sockets and every driver's own defaults.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "harness/base/environment.hpp"
#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/pattern.hpp"
#include "harness/ring/receiver.hpp"
#include "harness/ring/ring.hpp"
#include "scenarios/framework/median.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/sent_file.hpp"

namespace zcrxlab::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;
constexpr uint64_t kStreamBytes = uint64_t{64} << 20;  // at most
constexpr uint64_t kShortStream = uint64_t{4} << 20;   // at least, and to warm up
constexpr double kTurnSeconds = 1;                     // a way sends what takes about so long
constexpr size_t kAreaBytes = size_t{16} << 20;
constexpr size_t kReceiveBytes = size_t{256} << 10;  // of one recv()
constexpr uint32_t kZeroCopyQueue = 1;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The two ends of a pair of NICs, as guest init names them.
struct Link {
    std::string name, interface, peer_namespace, local, peer;

    TcpOptions tcp() const {
        TcpOptions options;
        options.local = local;
        options.peer = peer;
        options.peer_namespace = peer_namespace;
        return options;
    }
};

std::vector<Link> links() {
    const char* text = std::getenv(environment::kPairs);
    std::istringstream lines(text != nullptr ? text : "");
    std::vector<Link> links;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Link link;
        std::string peer_interface;
        if (words >> link.name >> link.interface >> peer_interface >> link.peer_namespace >>
            link.local >> link.peer)
            links.push_back(std::move(link));
    }
    return links;
}

// One way for a stream to reach the user, measured again and again.
class Way {
  public:
    Way(Scene& scene, std::string name, const Link& link)
        : scene_(scene), name_(std::move(name)), tcp_(link.tcp()) {
        listener_ = scene.must(tcp_listen(tcp_));
    }
    virtual ~Way() = default;

    const std::string& name() const { return name_; }
    const std::vector<double>& rates() const { return rates_; }

    // The first turn warms caches, and translations where the processor is emulated; it says how
    // much a turn can take.
    void warm_up(const SentFile& payload) {
        const double rate = transfer(payload, kShortStream);
        const double wanted = transfer(payload, kShortStream) + rate;
        bytes_ = std::clamp(static_cast<uint64_t>(wanted / 2 * 1e6 / 8 * kTurnSeconds),
                            kShortStream, kStreamBytes);
    }
    void measure(const SentFile& payload) { rates_.push_back(transfer(payload, bytes_)); }

  protected:
    virtual uint64_t receive(int socket, const SentFile& payload) = 0;
    uint16_t port() const { return listener_.port; }
    Scene& scene_;

  private:
    // Mbit/s of one stream, from the first byte handed to the sender's socket to the end at the
    // receiver.
    double transfer(const SentFile& payload, uint64_t bytes) {
        TcpPair pair = scene_.must(tcp_connect(listener_, tcp_));
        const auto start = Clock::now();
        std::thread sender([&] { (void)payload.send(pair.peer.get(), bytes); });
        const uint64_t received = receive(pair.receiver.get(), payload);
        const double seconds = seconds_since(start);
        pair.receiver.reset();
        sender.join();
        if (received != bytes)
            scene_.give_up(name_ + " received " + std::to_string(received) + " of " +
                           std::to_string(bytes) + " bytes.");
        return static_cast<double>(received) * 8 / 1e6 / seconds;
    }

    std::string name_;
    TcpOptions tcp_;
    TcpListener listener_;
    uint64_t bytes_ = kShortStream;
    std::vector<double> rates_;
};

class PlainWay : public Way {
  public:
    PlainWay(Scene& scene, const Link& link, bool check)
        : Way(scene, link.name + ", recv()" + (check ? ", checked" : ""), link),
          check_(check),
          buffer_(kReceiveBytes) {}

  private:
    uint64_t receive(int socket, const SentFile& payload) override {
        uint64_t position = 0;
        for (;;) {
            const ssize_t got = ::recv(socket, buffer_.data(), buffer_.size(), 0);
            if (got <= 0) return position;
            const std::span bytes(buffer_.data(), static_cast<size_t>(got));
            if (check_ && payload.pattern().compare(bytes, position)) return position;
            position += bytes.size();
        }
    }

    bool check_;
    std::vector<std::byte> buffer_;
};

// The ring and the registration that ways of zero-copy receive share.
struct ZeroCopyQueue {
    ZeroCopyQueue(Scene& scene, const Link& link) : ring(scene.must(Ring::create())) {
        scene.prepare_nic();
        IfqOptions options;
        options.number = scene.next_ifq();
        options.interface = link.interface;
        options.queue = kZeroCopyQueue;
        options.area_size = kAreaBytes;
        ifq = scene.must(Ifq::open(ring, options));
    }
    Ring ring;
    std::unique_ptr<Ifq> ifq;
};

class ZeroCopyWay : public Way {
  public:
    ZeroCopyWay(Scene& scene, const Link& link, ZeroCopyQueue& queue, bool check)
        : Way(scene, link.name + ", RECV_ZC" + (check ? ", checked" : ""), link),
          queue_(queue),
          check_(check) {
        FlowRule rule;
        rule.destination_port = port();
        rule.queue = kZeroCopyQueue;
        scene.steer(rule);
    }

  private:
    uint64_t receive(int socket, const SentFile& payload) override {
        Trace unused;
        ReceiverOptions options;
        options.compare = check_;
        options.record = false;
        Receiver receiver(queue_.ring, unused, options);
        scene_.must(receiver.add(1, socket, *queue_.ifq, payload.pattern().seed()));
        scene_.must(receiver.run(scene_.time_left()));
        return receiver.state(1).mismatches != 0 ? 0 : receiver.total_bytes();
    }

    ZeroCopyQueue& queue_;
    bool check_;
};

using Ways = std::vector<std::unique_ptr<Way>>;

// The fastest plain recv() over a NIC of QEMU's own, if there is any.
const Way* best_of(const std::vector<const Way*>& ways) {
    const auto slower = [](const Way* a, const Way* b) {
        return median(a->rates()) < median(b->rates());
    };
    const auto best = std::max_element(ways.begin(), ways.end(), slower);
    return best == ways.end() ? nullptr : *best;
}

void report(Scene& scene, const Ways& ways, const Way* best) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& way : ways) {
        const std::vector<double>& rates = way->rates();
        const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
        nlohmann::ordered_json row = {{"way", way->name()},
                                      {"median", with_digits(median(rates), 0)},
                                      {"lowest", with_digits(*low, 0)},
                                      {"highest", with_digits(*high, 0)}};
        if (best != nullptr) {
            // Of each round on its own, because the load of the machine changes between them.
            std::vector<double> ratios;
            for (size_t i = 0; i < rates.size(); ++i) ratios.push_back(rates[i] / best->rates()[i]);
            row["times " + best->name()] = with_digits(median(ratios), 2);
        }
        rows.push_back(std::move(row));
    }
    const nlohmann::ordered_json table = {{"table", "Goodput of one TCP stream, Mbit/s"},
                                          {"rows", rows}};
    scene.measured(table.dump());
}

SCENARIO(bench, goodput, "a stream is received without copies, and with them by plain recv()",
         Terms(Needs{.where = Where::kDevice,
                     .flow_rules = true,
                     .queues = 1,
                     .memory = kStreamBytes + kAreaBytes})
             .within(600s)) {
    const SentFile payload(scene, kStreamBytes);
    const std::vector<Link> pairs = links();
    if (pairs.empty()) scene.give_up("ZCRXLAB_PAIRS names no pair of NICs.");
    ZeroCopyQueue queue(scene, pairs.front());

    Ways ways;
    for (const bool check : {false, true})
        ways.push_back(std::make_unique<ZeroCopyWay>(scene, pairs.front(), queue, check));
    std::vector<const Way*> others;
    for (const Link& link : pairs) {
        ways.push_back(std::make_unique<PlainWay>(scene, link, false));
        if (&link != &pairs.front()) others.push_back(ways.back().get());
    }
    for (const auto& way : ways) way->warm_up(payload);
    for (int round = 0; round < kRounds; ++round)
        for (const auto& way : ways) way->measure(payload);
    report(scene, ways, best_of(others));
}

struct CheckForm {
    size_t buffers;  // bytes of all buffers together
    size_t piece;    // bytes of one look
};
// What a CQE names, in a set that stays in the cache and in an area; and large pieces of memory.
constexpr CheckForm kCheckForms[] = {{size_t{64} << 10, size_t{4} << 10},
                                     {kAreaBytes, size_t{4} << 10},
                                     {kAreaBytes, size_t{64} << 10}};
constexpr int kLooks = 300;
constexpr size_t kLookBytes = size_t{1} << 20;
constexpr int kApart = kAreaBytes / kLookBytes / 2;

SCENARIO(bench, payload_check, "a payload is compared nearly as fast as by memcmp()",
         Terms(Needs{.memory = 2 * kAreaBytes, .root = false}).within(120s)) {
    const Pattern pattern(scene.seed());
    std::vector<std::byte> received(kAreaBytes), expected(kAreaBytes);
    pattern.fill(received, 0);
    pattern.fill(expected, 0);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    size_t wrong = 0;
    for (const CheckForm& form : kCheckForms) {
        const auto time_of = [&](int turn, auto&& look) {
            const size_t first = static_cast<size_t>(turn) * kLookBytes;
            const auto start = Clock::now();
            for (size_t at = first; at < first + kLookBytes; at += form.piece)
                if (!look(at % form.buffers)) ++wrong;
            return seconds_since(start);
        };
        // The best of many short turns, because whatever disturbs only adds.
        double ours = 1e9, theirs = 1e9;
        for (int turn = 0; turn < kLooks; ++turn) {
            ours = std::min(ours, time_of(turn, [&](size_t at) {
                                const std::span bytes(received.data() + at, form.piece);
                                return !pattern.compare(bytes, at);
                            }));
            // Half the area away: what one has just brought into the cache must not serve the
            // other.
            theirs = std::min(theirs, time_of(turn + kApart, [&](size_t at) {
                                  return std::memcmp(received.data() + at, expected.data() + at,
                                                     form.piece) == 0;
                              }));
        }
        rows.push_back({{"KiB in all", form.buffers >> 10},
                        {"KiB at a time", form.piece >> 10},
                        {"pattern, GB/s", with_digits(kLookBytes / 1e9 / ours, 2)},
                        {"memcmp, GB/s", with_digits(kLookBytes / 1e9 / theirs, 2)},
                        {"ratio", with_digits(theirs / ours, 2)}});
    }
    EXPECT_EQ(wrong, 0U);
    const nlohmann::ordered_json table = {{"table", "Checking a payload in the guest"},
                                          {"rows", rows}};
    scene.measured(table.dump());
}

}  // namespace
}  // namespace zcrxlab::bench
