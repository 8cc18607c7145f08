// zcrx-setup: makes an interface ready for zero-copy receive, as a scenario does, and leaves it so;
// or as its driver's row of lab mode says, and then becomes another program.
//
// It is for programs of other people in the guest's shell. ethtool can do the same from 6.7 on;
// older ones know no tcp-data-split.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/lab/change.hpp"
#include "harness/lab/settings.hpp"
#include "harness/net/driver.hpp"
#include "harness/net/link.hpp"
#include "harness/net/namespace.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

struct Wanted {
    std::string interface;
    uint32_t queue = 0;   // 0: the last ones, since queue 0 cannot be taken on every driver
    uint32_t queues = 1;  // from `queue` on
    uint32_t ring = 0;    // 0: as it is
    std::vector<uint16_t> ports;
    std::vector<std::string> program;
};

// Scenarios with several lanes take three queues beside the first.
constexpr uint32_t kQueues = 4;
constexpr uint32_t kSelftestsMtu = 1500;
constexpr uint32_t kSelftestsQueues = 4;
const std::string kFlowRules = "rx-ntuple-filter";

// A NIC of which only the driver is known.
Result<void> make_ready(const std::string& interface) {
    const auto driver = driver_information(interface);
    if (!driver) return driver.error();
    const DriverRow& row = driver_row(driver->driver);
    const auto now = read_settings(interface);
    if (!now) return now.error();
    const NicSettings ready = ready_for_scenarios(*now, row, kQueues, 1, {});
    for (const Change& change : changes_to(*now, ready, row)) {
        fmt::print("{}\n", command_of(change, interface));
        if (auto done = apply(change, interface); !done) return done;
    }
    std::fflush(stdout);
    return {};
}

// Sends the connections of a port to the queues. Which of several it is, the client's port decides:
// by its bits above the lowest, for a kernel gives its own connections even ports. It takes the
// next one at random (__inet_hash_connect of net/ipv4/inet_hashtables.c), so that all of a few may
// meet on one queue.
Result<void> steer(Nic& nic, uint16_t port, uint32_t first, uint32_t queues) {
    const uint32_t classes = std::bit_ceil(queues);
    for (const uint8_t family : {uint8_t{4}, uint8_t{6}}) {
        for (uint32_t number = 0; number < classes; ++number) {
            FlowRule rule;
            rule.family = family;
            rule.destination_port = port;
            rule.queue = first + number % queues;
            if (classes > 1) {
                rule.source_port = static_cast<uint16_t>(number << 1);
                rule.source_port_bits = static_cast<uint16_t>((classes - 1) << 1);
            }
            if (auto added = nic.add_rule(rule); !added) return added.error();
        }
    }
    return {};
}

// The first of the queues that are ready now.
Result<uint32_t> set_up(const Wanted& wanted, UndoStack& undo) {
    auto nic = Nic::open(wanted.interface, undo);
    if (!nic) return nic.error();
    const auto before = nic->ethtool().channels();
    if (!before) return before.error();
    const uint32_t needed = std::max(wanted.queue, 1U) + wanted.queues;
    const uint32_t most = before->most_receive();
    if (before->receive() < needed && needed <= most)
        if (auto done = nic->set_queues(needed); !done) return done.error();
    const auto channels = nic->ethtool().channels();
    if (!channels) return channels.error();
    if (channels->receive() < needed)
        return Error{ERANGE,
                     fmt::format("{} has receive queues 0 to {} at most, and the first of "
                                 "them has to be left for everything else.",
                                 wanted.interface, std::max(channels->receive(), most) - 1)};
    const uint32_t queue = wanted.queue != 0 ? wanted.queue : channels->receive() - wanted.queues;
    if (wanted.ring != 0)
        if (auto done = nic->set_ring_sizes(wanted.ring, 0); !done) return done.error();
    if (auto done = nic->enable_header_split(); !done) return done.error();
    if (auto done = nic->spread_over_first(queue); !done) return done.error();
    for (const uint16_t port : wanted.ports)
        if (auto done = steer(*nic, port, queue, wanted.queues); !done) return done.error();
    return queue;
}

Result<void> keep_addresses(const std::string& interface) {
    return write_file("/proc/sys/net/ipv6/conf/" + interface + "/keep_addr_on_down", "1");
}

// What tools/testing/selftests/drivers/net of the kernel take for granted of a NIC and its peer
// (README.rst there): tests of header split and flow rules put back what they found, and wait for
// addresses that they have not set.
Result<void> make_ready_for_selftests(const std::string& interface, UndoStack& undo) {
    auto nic = Nic::open(interface, undo);
    if (!nic) return nic.error();
    if (auto done = nic->disable_header_split(); !done && done.error().code != EOPNOTSUPP)
        return done.error();
    // Some drivers make a queue for each CPU, and a guest may have one only.
    const auto channels = nic->ethtool().channels();
    if (!channels) return channels.error();
    const uint32_t queues = std::min(kSelftestsQueues, channels->most_receive());
    if (channels->receive() < queues)
        if (auto done = nic->set_queues(queues); !done) return done.error();
    const auto features = nic->ethtool().features();
    if (!features) return features.error();
    if (std::ranges::count(features->changeable, kFlowRules) != 0)
        if (auto done = nic->set_feature(kFlowRules, true); !done) return done.error();
    if (auto done = nic->set_mtu(kSelftestsMtu); !done) return done.error();
    if (auto kept = keep_addresses(interface); !kept) return kept.error();
    const char* peer = std::getenv(environment::kPeerInterface);
    const char* netns = std::getenv(environment::kPeerNamespace);
    if (peer == nullptr || netns == nullptr) return {};
    return in_namespace(netns, [peer]() -> Result<void> {
        auto links = Links::open();
        if (!links) return links.error();
        if (auto done = links->set_mtu(peer, kSelftestsMtu); !done) return done;
        return keep_addresses(peer);
    });
}

// As variables of a shell, and of a program's environment.
void print_environment(const Wanted& wanted, uint32_t first) {
    std::vector<uint32_t> queues;
    for (uint32_t i = 0; i < wanted.queues; ++i) queues.push_back(first + i);
    fmt::print("{}={}\n{}={}\n", environment::kQueueForProgram, first,
               environment::kQueuesForProgram, fmt::join(queues, " "));
    if (wanted.ports.empty()) return;
    fmt::print("{}={}\n{}={}\n", environment::kPortForProgram, wanted.ports.front(),
               environment::kPortsForProgram, fmt::join(wanted.ports, " "));
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    CLI::App app(
        "makes an interface ready for zero-copy receive: header split on, RSS off the "
        "queues, flow rules for each port; prints the first queue",
        "zcrx-setup");
    zcrxlab::Wanted wanted;
    if (const char* interface = std::getenv(zcrxlab::environment::kInterface); interface != nullptr)
        wanted.interface = interface;
    app.add_option("--interface", wanted.interface, "Interface (default: $NETIF)");
    app.add_option("--queue", wanted.queue,
                   "First receive queue, 1 and up (default: the last ones)");
    app.add_option("--queues", wanted.queues, "How many (default: 1); more are made if need be")
        ->check(CLI::Range(1U, 64U));
    app.add_option("--rx", wanted.ring, "Size of the receive rings (default: as it is)");
    app.add_option("--port", wanted.ports, "TCP port whose connections go to the queue");
    bool environment = false;
    app.add_flag("--environment", environment,
                 "Print ZCRX_QUEUE, ZCRX_QUEUES, ZCRX_PORT and ZCRX_PORTS instead of the queue");
    bool selftests = false;
    app.add_flag("--selftests", selftests,
                 "Make it and its peer as the kernel's driver selftests expect them, and nothing "
                 "else");
    bool ready = false;
    app.add_flag("--ready", ready,
                 "Do all that the interface's driver wants, and start PROGRAM; no queue, ring or "
                 "port is looked at");
    app.add_option("program", wanted.program, "Program and its arguments, behind --");
    CLI11_PARSE(app, argc, argv);
    if (wanted.interface.empty()) {
        fmt::print(stderr, "zcrx-setup: name an interface: --interface eth0\n");
        return zcrxlab::kExitUsage;
    }
    if (ready) {
        if (auto made = zcrxlab::make_ready(wanted.interface); !made) {
            fmt::print(stderr, "zcrx-setup: {}\n", made.error().sentence);
            return zcrxlab::kExitFailed;
        }
        std::vector<char*> arguments;
        for (std::string& word : wanted.program) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        if (wanted.program.empty()) return 0;
        ::execvp(arguments.front(), arguments.data());
        fmt::print(stderr, "zcrx-setup: cannot start {}: {}\n", wanted.program.front(),
                   std::strerror(errno));
        return zcrxlab::kExitNotFound;
    }
    zcrxlab::UndoStack undo;
    if (selftests) {
        const auto made = zcrxlab::make_ready_for_selftests(wanted.interface, undo);
        if (!made) fmt::print(stderr, "zcrx-setup: {}\n", made.error().sentence);
        while (made && undo.size() > 0) undo.dismiss_newest();
        return made ? 0 : zcrxlab::kExitFailed;
    }
    const auto queue = zcrxlab::set_up(wanted, undo);
    if (!queue) {
        fmt::print(stderr, "zcrx-setup: {}\n", queue.error().sentence);
        return zcrxlab::kExitFailed;
    }
    // It worked, and is to stay.
    while (undo.size() > 0) undo.dismiss_newest();
    if (environment) {
        zcrxlab::print_environment(wanted, *queue);
    } else {
        fmt::print("{}\n", *queue);
    }
    return 0;
}
