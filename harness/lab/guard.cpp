// Checks each reason against taking a port in a function of its own, and reports all of them.
#include "harness/lab/guard.hpp"

#include <algorithm>

namespace zcrxlab {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

class Guard {
  public:
    Guard(const PortFacts& port, const MachineFacts& machine, const std::vector<std::string>& ours)
        : port_(port), machine_(machine), ours_(ours) {}

    std::vector<std::string> reasons() {
        look_at_routes();
        look_at_connections();
        look_at_storage();
        look_at_addresses();
        look_at_stack();
        look_at_functions();
        look_at_queues();
        look_at_rdma();
        look_whether_last();
        return std::move(reasons_);
    }

  private:
    void refuse(const std::string& why) { reasons_.push_back(port_.interface + " " + why); }

    bool leads_here(const Route& route) const {
        return std::find(route.interfaces.begin(), route.interfaces.end(), port_.ifindex) !=
               route.interfaces.end();
    }

    void look_at_routes() {
        for (const Route& route : machine_.routes) {
            if (!leads_here(route) || (route.prefix != 0 && !route.gateway)) continue;
            const std::string text = to_text(route);
            if (route.prefix == 0)
                refuse("carries the " + text +
                       " route: the machine would be cut off; to see it, type: ip route");
            else
                refuse("carries a route to " + text +
                       " through a gateway; to see it, type: ip route");
        }
    }

    bool has_address(const std::string& address) const {
        return std::any_of(
            port_.addresses.begin(), port_.addresses.end(),
            [&](const std::string& own) { return own.substr(0, own.find('/')) == address; });
    }

    void look_at_connections() {
        for (const auto& [address, what] : machine_.connections)
            if (has_address(address))
                refuse("has the address " + address + ", over which " + what +
                       " runs; to see it, type: ss -tnp src " + address);
    }

    void look_at_storage() {
        for (const NetworkStorage& storage : machine_.storage) {
            const Route* route = route_to(machine_.routes, storage.server);
            if (route != nullptr && leads_here(*route))
                refuse("leads to " + storage.server + ", from where " + storage.what +
                       " comes; unmount it first");
        }
    }

    void look_at_addresses() {
        if (port_.addresses.empty()) return;
        refuse("has the address " + joined(port_.addresses) +
               ", so somebody uses it; if nobody does, type: ip address flush dev " +
               port_.interface + " scope global");
    }

    void look_at_stack() {
        if (!port_.master.empty())
            refuse("belongs to " + port_.master +
                   " (a bond, bridge or the like); if nobody needs "
                   "it there, type: ip link set " +
                   port_.interface + " nomaster");
        if (!port_.uppers.empty())
            refuse("carries " + joined(port_.uppers) + "; if nobody needs it, type: ip link del " +
                   port_.uppers.front());
        if (!port_.lowers.empty())
            refuse("is no NIC but lies on " + joined(port_.lowers) + "; take that");
    }

    void look_at_functions() {
        if (port_.virtual_functions > 0)
            refuse("has " + std::to_string(port_.virtual_functions) +
                   " virtual functions, which somebody may use; if nobody does, type: echo 0 > "
                   "/sys/class/net/" +
                   port_.interface + "/device/sriov_numvfs");
        if (port_.switches)
            refuse(
                "is a port of an embedded switch; if nobody needs that, type: devlink dev "
                "eswitch set pci/" +
                port_.pci + " mode legacy");
    }

    void look_at_queues() {
        if (port_.xdp)
            refuse("has an XDP program; if nobody needs it, type: ip link set " + port_.interface +
                   " xdp off");
        if (!port_.providers.empty())
            refuse("has queues that somebody else holds: " + joined(port_.providers) +
                   "; end that program first");
        if (!port_.rss_contexts.empty())
            refuse("has " + std::to_string(port_.rss_contexts.size()) +
                   " RSS contexts of somebody else, which could not be restored; to see them, "
                   "type: ethtool -x " +
                   port_.interface + " context " + std::to_string(port_.rss_contexts.front()));
    }

    void look_at_rdma() {
        if (!port_.rdma.empty() && !machine_.rdma_users.empty())
            refuse("shares its card with " + joined(port_.rdma) +
                   ", and a program has an RDMA device open: " + joined(machine_.rdma_users) +
                   "; end it first");
    }

    void look_whether_last() {
        if (!contains(machine_.links_up, port_.interface)) return;
        for (const std::string& link : machine_.links_up)
            if (!contains(ours_, link)) return;
        refuse(
            "is the last interface of this machine that is up; if you sit at its console, type: "
            "ip link set " +
            port_.interface + " down");
    }

    const PortFacts& port_;
    const MachineFacts& machine_;
    const std::vector<std::string>& ours_;
    std::vector<std::string> reasons_;
};

}  // namespace

std::vector<std::string> why_not_to_take(const PortFacts& port, const MachineFacts& machine,
                                         const std::vector<std::string>& ours) {
    return Guard(port, machine, ours).reasons();
}

std::vector<std::string> why_not_testable(const PortFacts& port, const DriverRow& driver) {
    std::vector<std::string> reasons;
    if (driver.physical_only && port.virtual_function)
        reasons.push_back(port.interface + " is a virtual function, and the driver " + port.driver +
                          " does zero-copy receive on physical ones only; take the port that it "
                          "belongs to: ls /sys/class/net/" +
                          port.interface + "/device/physfn/net");
    return reasons;
}

std::string why_no_zero_copy(const PortFacts& port, const NicSettings& settings,
                             const DriverRow& driver) {
    const bool known = !driver.driver.empty();
    if (known || (settings.rings && settings.rings->data_split)) return {};
    return (port.driver.empty() ? "the driver of " + port.interface : port.driver) +
           " cannot do zero-copy receive: it has no header split (\"TCP data split\" of ethtool "
           "-g " +
           port.interface +
           "), so that every registration of a queue will fail with EINVAL or EOPNOTSUPP";
}

}  // namespace zcrxlab
