// Facts of the running machine: the tree, and what only netlink and ethtool know.
#include <cstdlib>

#include "harness/lab/facts.hpp"
#include "harness/net/driver.hpp"
#include "harness/net/eswitch.hpp"
#include "harness/net/ethtool.hpp"
#include "harness/net/link.hpp"
#include "harness/net/netdev.hpp"

namespace zcrxlab {
namespace {

std::vector<std::string> providers_on(const std::string& interface) {
    std::vector<std::string> providers;
    auto netdev = Netdev::open(interface);
    if (!netdev) return providers;
    auto queues = netdev->receive_queues();
    if (!queues) return providers;
    for (const QueueState& queue : *queues) {
        const char* who = queue.io_uring ? "io_uring"
                          : queue.dmabuf ? "a dmabuf"
                          : queue.xsk    ? "AF_XDP"
                          : queue.lease  ? "a container"
                                         : nullptr;
        if (who != nullptr)
            providers.push_back("queue " + std::to_string(queue.id) + " (" + who + ")");
    }
    return providers;
}

// Whoever does not say that the switch is off is taken at the word of its id.
bool is_off(const Result<EswitchMode>& mode) {
    return mode && *mode == EswitchMode::kLegacy;
}

}  // namespace

Result<PortFacts> look_at_port(const std::string& interface) {
    auto port = port_in_tree("/", interface);
    if (!port) return port;
    auto links = Links::open();
    if (!links) return links.error();
    const auto link = links->get(interface);
    if (!link) return link.error();
    port->xdp = link->xdp;
    auto addresses = links->addresses(interface);
    if (!addresses) return addresses.error();
    port->addresses = std::move(*addresses);
    if (const auto driver = driver_information(interface)) {
        // A device without a driver's folder in /sys still has a name for it.
        if (port->driver.empty()) port->driver = driver->driver;
        port->firmware = driver->firmware;
    }
    if (port->switches && is_off(eswitch_mode(port->pci))) port->switches = false;
    port->providers = providers_on(interface);
    if (auto ethtool = Ethtool::open(interface))
        if (auto contexts = ethtool->rss_contexts()) port->rss_contexts = std::move(*contexts);
    return port;
}

Result<MachineFacts> look_at_machine() {
    MachineFacts machine = machine_in_tree("/");
    auto routes = read_routes();
    if (!routes) return routes.error();
    machine.routes = std::move(*routes);
    auto links = Links::open();
    if (!links) return links.error();
    auto all = links->all();
    if (!all) return all.error();
    for (const LinkState& link : *all)
        if (link.up && link.carrier && link.name != "lo") machine.links_up.push_back(link.name);
    if (const char* session = std::getenv("SSH_CONNECTION")) add_ssh_session(machine, session);
    return machine;
}

}  // namespace zcrxlab
