// zcrx-setup: makes an interface ready for zero-copy receive, as a scenario does, and leaves it so.
//
// It is for programs of other people in the guest's shell. ethtool can do the same from 6.14 on;
// older ones know no tcp-data-split.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

struct Wanted {
    std::string interface;
    uint32_t queue = 0;  // 0: the last one, since queue 0 cannot be taken on every driver
    uint32_t ring = 0;   // 0: as it is
    std::vector<uint16_t> ports;
};

// The queue that is ready now.
Result<uint32_t> set_up(const Wanted& wanted, UndoStack& undo) {
    auto nic = Nic::open(wanted.interface, undo);
    if (!nic) return nic.error();
    const auto channels = nic->ethtool().channels();
    if (!channels) return channels.error();
    if (channels->receive() < 2)
        return Error{EINVAL, wanted.interface +
                                 " needs two receive queues, one of them for "
                                 "everything else: ethtool -L " +
                                 wanted.interface + " combined 2"};
    const uint32_t queue = wanted.queue != 0 ? wanted.queue : channels->receive() - 1;
    if (queue >= channels->receive())
        return Error{ERANGE, fmt::format("{} has receive queues 0 to {}.", wanted.interface,
                                         channels->receive() - 1)};
    if (wanted.ring != 0)
        if (auto done = nic->set_ring_sizes(wanted.ring, 0); !done) return done.error();
    if (auto done = nic->enable_header_split(); !done) return done.error();
    if (auto done = nic->spread_over_first(queue); !done) return done.error();
    for (const uint16_t port : wanted.ports) {
        for (const uint8_t family : {uint8_t{4}, uint8_t{6}}) {
            FlowRule rule;
            rule.family = family;
            rule.destination_port = port;
            rule.queue = queue;
            if (auto added = nic->add_rule(rule); !added) return added.error();
        }
    }
    return queue;
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    CLI::App app(
        "makes an interface ready for zero-copy receive: header split on, RSS off the "
        "queue, a flow rule for each port; prints the queue",
        "zcrx-setup");
    zcrxlab::Wanted wanted;
    if (const char* interface = std::getenv("NETIF"); interface != nullptr)
        wanted.interface = interface;
    app.add_option("--interface", wanted.interface, "Interface (default: $NETIF)");
    app.add_option("--queue", wanted.queue, "Receive queue, 1 and up (default: the last one)");
    app.add_option("--rx", wanted.ring, "Size of the receive rings (default: as it is)");
    app.add_option("--port", wanted.ports, "TCP port whose connections go to the queue");
    CLI11_PARSE(app, argc, argv);
    if (wanted.interface.empty()) {
        fmt::print(stderr, "zcrx-setup: name an interface: --interface eth0\n");
        return 64;
    }
    zcrxlab::UndoStack undo;
    const auto queue = zcrxlab::set_up(wanted, undo);
    if (!queue) {
        fmt::print(stderr, "zcrx-setup: {}\n", queue.error().sentence);
        return 1;
    }
    // It worked, and is to stay.
    while (undo.size() > 0) undo.dismiss_newest();
    fmt::print("{}\n", *queue);
    return 0;
}
