// One session of dpdk-testpmd. Its ports are the two ends of one cable, so that what is sent once
// goes round for ever, and is counted by both.
#include "tests/acceptance/dpdk/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/slowness.hpp"
#include "tests/acceptance/dpdk/testpmd_output.hpp"

namespace zcrxlab::dpdk {
namespace {

// Packets that "start tx_first 1" sends: a burst for each queue of each port.
constexpr uint64_t kBurst = uint64_t{32} * kQueues * 2;
constexpr uint64_t kForwarded = 1'000'000;
constexpr uint64_t kChecksums = 200'000;
constexpr uint64_t kAfterRestart = 20'000;
// So long enough packets may take to pass, and so often their number is looked at: testpmd's own
// thread takes its time from those that forward.
constexpr std::chrono::milliseconds kPatience{200'000}, kBetweenLooks{200};

// Any key will do; this one is of Microsoft's "Verifying the RSS hash calculation".
constexpr const char* kKey =
    "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa";
constexpr unsigned kTableEntries = 128;
// Queues that the table of the RSS test names.
constexpr unsigned kOddQueues[] = {1, 3};
constexpr unsigned kRuleQueue = 2;

void tell(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

// "yes", or what is instead.
std::string yes_or(bool yes, const std::string& otherwise) {
    return yes ? "yes" : "NO: " + otherwise;
}

class Session {
  public:
    explicit Session(Testpmd& testpmd) : testpmd_(testpmd) {}

    Result<void> run() {
        for (const auto step :
             {&Session::ports, &Session::keys, &Session::forward_many, &Session::checksums,
              &Session::segments, &Session::rss, &Session::flow_rule, &Session::restart})
            if (auto done = (this->*step)(); !done) return done;
        return {};
    }

  private:
    Result<void> ask_all(std::initializer_list<std::string> commands) {
        for (const std::string& command : commands) {
            const auto said = testpmd_.ask(command);
            if (!said) return said.error();
            for (const char* complaint : {"Bad ", "not found", "Ambiguous", "rror", "Invalid"})
                if (said->find(complaint) != std::string::npos)
                    return Error{EINVAL, fmt::format("testpmd refuses \"{}\".", *said)};
        }
        return {};
    }

    // Queues are destroyed and created, and what was in them is gone.
    Result<void> restart_ports() { return ask_all({"port stop all", "port start all"}); }

    Result<void> ports() {
        const auto said = testpmd_.ask("show port info all");
        if (!said) return said.error();
        const auto found =
            sums(*said, {"Current number of RX queues", "Current number of TX queues"});
        unsigned up = 0;
        for (size_t at = said->find("Link status: up"); at != std::string::npos;
             at = said->find("Link status: up", at + 1))
            ++up;
        uint64_t queues = 0;
        for (const auto& [name, count] : found) queues += count;
        tell(fmt::format("ports: {} up, {} queues", up, queues));
        return {};
    }

    Result<void> keys() {
        for (const char* port : {"0", "1"})
            if (auto set =
                    ask_all({fmt::format("port config {} rss-hash-key ipv4-udp {}", port, kKey)});
                !set)
                return set;
        return {};
    }

    // Lets `bursts` of them go round until `least` were received. What testpmd says at the end.
    Result<std::string> go_round(uint64_t bursts, uint64_t least) {
        if (auto done = restart_ports(); !done) return done.error();
        if (auto done = ask_all({"clear port stats all", fmt::format("start tx_first {}", bursts)});
            !done)
            return done.error();
        const auto until = std::chrono::steady_clock::now() + scaled(kPatience);
        while (std::chrono::steady_clock::now() < until) {
            const auto said = testpmd_.ask("show port stats all");
            if (!said) return said.error();
            const auto count = sums(*said, {"RX-packets"});
            if (!count.empty() && count.begin()->second >= least) break;
            std::this_thread::sleep_for(kBetweenLooks);
        }
        return testpmd_.ask("stop");
    }

    // What is true of any session in which nothing may be lost.
    static void tell_forwarded(const std::string& what, std::string_view said, uint64_t bursts,
                               uint64_t least) {
        const Forwarded all = forwarded(said);
        tell(fmt::format("{}: {} packets or more: {}", what, least,
                         yes_or(all.found && all.received >= least, std::to_string(all.received))));
        // What was sent and not received is on its way.
        const uint64_t on_the_way = all.sent - all.received;
        tell(
            fmt::format("{}: on its way at the end is what was sent at first: {}", what,
                        yes_or(all.found && all.dropped == 0 && on_the_way == bursts * kBurst,
                               fmt::format("{} sent, {} received, {} of them at first, {} dropped",
                                           all.sent, all.received, bursts * kBurst, all.dropped))));
        const auto streams = received_by_streams(said);
        const auto used =
            std::count_if(streams.begin(), streams.end(), [](uint64_t count) { return count > 0; });
        tell(fmt::format("{}: receive queues used: {}", what, used));
    }

    Result<void> forward_many() {
        constexpr uint64_t kBursts = 4;
        if (auto set = ask_all({"set fwd io"}); !set) return set;
        const auto said = go_round(kBursts, kForwarded);
        if (!said) return said.error();
        tell_forwarded("forwarding", *said, kBursts, kForwarded);
        return {};
    }

    // The driver has the NIC fill in the UDP checksum of each packet, and the NIC at the other end
    // says whether it is right.
    Result<void> checksums() {
        constexpr uint64_t kBursts = 2;
        if (auto set = ask_all({"port stop all", "csum set udp hw 0", "csum set udp hw 1",
                                "csum set ip sw 0", "csum set ip sw 1", "set fwd csum"});
            !set)
            return set;
        const auto said = go_round(kBursts, kChecksums);
        if (!said) return said.error();
        tell_forwarded("checksums", *said, kBursts, kChecksums);
        auto bad = sums(*said, {"Bad-ipcsum", "Bad-l4csum"});
        tell(fmt::format("checksums: wrong for IP: {}, for UDP: {}", bad["Bad-ipcsum"],
                         bad["Bad-l4csum"]));
        return {};
    }

    Result<void> segments() {
        constexpr uint64_t kBursts = 4, kBytes = 64 + 128 + 256;
        if (auto set = ask_all({"set txpkts 64,128,256", "set fwd rxonly"}); !set) return set;
        const auto said = go_round(kBursts, kBursts * kBurst);
        if (!said) return said.error();
        const auto stats = testpmd_.ask("show port stats all");
        if (!stats) return stats.error();
        auto count = sums(*stats, {"RX-packets", "RX-bytes", "RX-errors"});
        tell(fmt::format(
            "packets of three buffers: sent {}, received {}, of {} bytes each, {} errors",
            kBursts * kBurst, count["RX-packets"],
            count["RX-packets"] == 0 ? 0 : count["RX-bytes"] / count["RX-packets"],
            count["RX-errors"]));
        if (count["RX-bytes"] != kBursts * kBurst * kBytes)
            tell("packets of three buffers: bytes are missing");
        return ask_all({"set txpkts 64"});
    }

    // Packets that both ends receive, each with what the driver says of it.
    Result<std::vector<SeenPacket>> look_at_packets() {
        if (auto done = restart_ports(); !done) return done.error();
        if (auto set = ask_all({"set verbose 1", "set fwd rxonly"}); !set) return set.error();
        const auto enough = [](std::string_view said) { return packets(said).size() >= kBurst; };
        auto said = testpmd_.ask_until("start tx_first 1", enough);
        if (!said) return said.error();
        const auto rest = testpmd_.ask("stop");
        if (!rest) return rest.error();
        if (auto set = ask_all({"set verbose 0"}); !set) return set.error();
        return packets(*said + *rest);
    }

    Result<void> set_table(const char* port) {
        // A word of testpmd has 127 letters at most.
        constexpr unsigned kEntriesOfALine = 8;
        for (unsigned first = 0; first < kTableEntries; first += kEntriesOfALine) {
            std::string entries;
            for (unsigned entry = first; entry < first + kEntriesOfALine; ++entry)
                entries += fmt::format("{}({},{})", entry == first ? "" : ",", entry,
                                       kOddQueues[entry % std::size(kOddQueues)]);
            if (auto set = ask_all({fmt::format("port config {} rss reta {}", port, entries)});
                !set)
                return set;
        }
        return {};
    }

    Result<void> rss() {
        for (const char* port : {"0", "1"})
            if (auto set = set_table(port); !set) return set;
        const auto said =
            testpmd_.ask("show port 0 rss reta 128 (0xffffffffffffffff,0xffffffffffffffff)");
        if (!said) return said.error();
        const auto table = redirection_table(*said);
        const auto seen = look_at_packets();
        if (!seen) return seen.error();
        std::set<unsigned> queues;
        uint64_t elsewhere = 0, hashes = 0, typed = 0;
        for (const SeenPacket& packet : *seen) {
            queues.insert(packet.queue);
            const auto entry = table.find(packet.hash % kTableEntries);
            if (entry == table.end() || entry->second != packet.queue) ++elsewhere;
            if (packet.hash != 0) ++hashes;
            if (packet.is_udp4 && packet.l3_right && packet.l4_right) ++typed;
        }
        tell(fmt::format("RSS: {} packets, {} with a hash, {} known as right UDP over IPv4",
                         seen->size(), hashes, typed));
        tell(fmt::format("RSS: not in the queue that the table has for the hash: {}", elsewhere));
        tell(fmt::format("RSS: queues: {}", fmt::join(queues, " ")));
        return {};
    }

    Result<void> flow_rule() {
        const auto said = testpmd_.ask(fmt::format(
            "flow create 0 ingress pattern eth / ipv4 / udp dst is 9 / end actions queue "
            "index {} / end",
            kRuleQueue));
        if (!said) return said.error();
        if (said->find("created") == std::string::npos) {
            const bool none = said->find("Function not implemented") != std::string::npos;
            tell(none ? "flow rule: this driver has none" : "flow rule: refused: " + *said);
            return {};
        }
        const auto seen = look_at_packets();
        if (!seen) return seen.error();
        uint64_t there = 0;
        for (const SeenPacket& packet : *seen) there += packet.queue == kRuleQueue ? 1 : 0;
        // Port 1, which gets the other half, has no rule.
        tell(fmt::format("flow rule: {} of {} packets are in its queue", there, seen->size()));
        return ask_all({"flow flush 0"});
    }

    Result<void> restart() {
        constexpr uint64_t kBursts = 1;
        if (auto set = ask_all({"set fwd io"}); !set) return set;
        for (int i = 0; i < 3; ++i)
            if (auto done = restart_ports(); !done) return done;
        const auto said = go_round(kBursts, kAfterRestart);
        if (!said) return said.error();
        tell_forwarded("after restarts", *said, kBursts, kAfterRestart);
        return {};
    }

    Testpmd& testpmd_;
};

}  // namespace

Result<void> run_session(Testpmd& testpmd) {
    if (auto done = Session(testpmd).run(); !done) return done;
    const auto ended = testpmd.quit();
    tell("the end: " + yes_or(ended.ok(), ended ? "" : ended.error().sentence));
    return {};
}

}  // namespace zcrxlab::dpdk
