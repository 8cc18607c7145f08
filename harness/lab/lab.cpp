// Looks at the ports, computes the changes, and applies them.
#include "harness/lab/lab.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/lab/change.hpp"
#include "harness/lab/guard.hpp"
#include "harness/net/link.hpp"
#include "harness/net/namespace.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

// Beside the first one: scenarios with several lanes take three.
constexpr uint32_t kQueuesTaken = 3;
// In the namespace, where the peer is on another machine.
constexpr const char* kTap = "zcrxpeer";

std::string first_line(const char* file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::string time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text;
}

std::string number(const std::optional<uint32_t>& value) {
    return value ? std::to_string(*value) : "-";
}

std::string room_of(const std::string& interface) {
    auto ethtool = Ethtool::open(interface);
    if (!ethtool) return ethtool.error().sentence;
    std::string text;
    if (auto channels = ethtool->channels()) {
        text = fmt::format("{} of at most {} receive queues", channels->receive(),
                           channels->most_receive());
    }
    if (auto rings = ethtool->rings()) {
        const char* split = !rings->data_split                           ? "not known"
                            : *rings->data_split == DataSplit::kEnabled  ? "on"
                            : *rings->data_split == DataSplit::kDisabled ? "off"
                                                                         : "left to the driver";
        text += fmt::format(
            "; rings rx {} of {}, tx {} of {}, buffers {} bytes; header split {}, hds-thresh {}",
            number(rings->rx), number(rings->rx_max), number(rings->tx), number(rings->tx_max),
            number(rings->rx_buf_len), split, number(rings->hds_thresh));
    }
    return text;
}

void describe(std::vector<std::string>& lines, const PortFacts& facts, const NicSettings& settings,
              const DriverRow& driver, const std::string& room) {
    lines.push_back(fmt::format(
        "{}: {} {}{}{}, {}, {}{}", facts.interface, facts.driver.empty() ? "?" : facts.driver,
        facts.pci.empty() ? "on no PCI bus" : "at " + facts.pci,
        facts.vendor.empty() ? "" : " (" + facts.vendor + ":" + facts.device + ")",
        facts.firmware.empty() ? "" : ", firmware " + facts.firmware, facts.address,
        facts.up ? facts.carrier ? "up" : "up without a link" : "down",
        facts.speed > 0 ? fmt::format(", {} Mbit/s", facts.speed) : ""));
    if (!room.empty()) lines.push_back("  " + room);
    lines.push_back(fmt::format("  RSS table of {} entries, {} flow rules, MTU {}",
                                settings.rss ? settings.rss->table.size() : 0,
                                settings.rules.size(), settings.mtu));
    if (!driver.note.empty())
        lines.push_back(fmt::format("  {} {}", driver.driver.empty() ? facts.driver : driver.driver,
                                    driver.note));
}

}  // namespace

Result<Lab::Port> Lab::look_at(const std::string& interface) {
    Port port;
    auto facts = look_at_port(interface);
    if (!facts) return facts.error();
    port.facts = std::move(*facts);
    auto settings = read_settings(interface);
    if (!settings) return settings.error();
    port.settings = std::move(*settings);
    UndoStack undo;
    auto nic = Nic::open(interface, undo);
    if (!nic) return nic.error();
    port.snapshot = nic->snapshot();
    port.driver = &driver_row(port.facts.driver);
    port.room = room_of(interface);
    return port;
}

Result<Lab> Lab::look(const LabOrder& order) {
    Lab lab;
    lab.order_ = order;
    if (order.peer.host.empty() && order.peer.interface == order.nic)
        return Error{EINVAL, order.nic +
                                 " cannot be its own peer; --peer is the other end of the "
                                 "cable."};
    auto nic = look_at(order.nic);
    if (!nic) return nic.error();
    lab.nic_ = std::move(*nic);
    if (order.peer.host.empty()) {
        auto other = look_at(order.peer.interface);
        if (!other) return other.error();
        lab.peer_ = std::move(*other);
        lab.peer_name_ = lab.peer_->facts.interface;
    } else {
        auto far = SshPeer::connect(order.peer, order.peer_program);
        if (!far) return far.error();
        lab.far_ = std::move(*far);
        lab.peer_name_ = kTap;
    }
    auto machine = look_at_machine();
    if (!machine) return machine.error();
    lab.machine_ = std::move(*machine);
    lab.network_ = free_network(lab.machine_.routes);
    lab.namespace_ = peer_namespace_of(order.nic);
    if (lab.network_) lab.plan();
    return lab;
}

void Lab::plan() {
    plan_peer();
    const std::string name = nic_.facts.interface;
    const uint32_t queues = order_.first_queue + kQueuesTaken;
    // All that zcrx does not take goes to queue 0.
    const NicSettings ready =
        ready_for_scenarios(nic_.settings, *nic_.driver, queues, 1, network_->local());
    for (const Change& change : changes_to(nic_.settings, ready, *nic_.driver))
        steps_.push_back(
            {command_of(change, name), [change, name] { return apply(change, name); }});
}

std::vector<const Lab::Port*> Lab::local_ports() const {
    std::vector<const Port*> ports{&nic_};
    if (peer_) ports.push_back(&*peer_);
    return ports;
}

std::vector<std::string> Lab::description() const {
    utsname system{};
    ::uname(&system);
    std::vector<std::string> lines{std::string("kernel ") + system.release};
    describe(lines, nic_.facts, nic_.settings, *nic_.driver, nic_.room);
    if (std::string why = why_no_zero_copy(nic_.facts, nic_.settings, *nic_.driver); !why.empty())
        lines.push_back("  " + why);
    if (peer_) describe(lines, peer_->facts, peer_->settings, *peer_->driver, peer_->room);
    if (far_)
        lines.push_back(fmt::format("{} of {}, through ssh: {}, {}, MTU {}", far_->port().interface,
                                    far_->host(), far_->port().driver, far_->port().address,
                                    far_->port().mtu));
    return lines;
}

std::vector<std::string> Lab::refusals() const {
    std::vector<std::string> ours{nic_.facts.interface};
    if (peer_) ours.push_back(peer_->facts.interface);
    std::vector<std::string> reasons = why_not_testable(nic_.facts, *nic_.driver);
    for (const Port* port : local_ports())
        for (std::string& reason : why_not_to_take(port->facts, machine_, ours))
            reasons.push_back(std::move(reason));
    if (far_)
        for (const std::string& reason : far_->port().refusals)
            reasons.push_back(far_->host() + ": " + reason);
    if (order_.first_queue < nic_.driver->queues_kept)
        reasons.push_back(fmt::format("{} needs queue {} for itself; type: --queue {}",
                                      nic_.facts.driver, order_.first_queue,
                                      nic_.driver->queues_kept));
    std::error_code error;
    if (std::filesystem::exists(namespace_, error))
        reasons.push_back(namespace_ +
                          " is there already; if nobody needs it, type: ip netns del " +
                          std::filesystem::path(namespace_).filename().string());
    if (!network_)
        reasons.push_back(
            "every network of 198.18.0.0/15 is routed somewhere, so that there are "
            "no addresses for the test; type: ip route");
    return reasons;
}

Journal Lab::journal() const {
    Journal journal;
    journal.boot = first_line("/proc/sys/kernel/random/boot_id");
    journal.started = time_now();
    journal.peer_namespace = namespace_;
    for (const Port* port : local_ports())
        journal.ports.push_back({port->facts.interface, port->facts.address, port->facts.pci,
                                 port->facts.driver, port->settings, port->snapshot});
    return journal;
}

Endpoints Lab::endpoints() const {
    Endpoints ends;
    ends.interface = nic_.facts.interface;
    ends.peer_interface = peer_name_;
    ends.peer_namespace = namespace_;
    if (!network_) return ends;
    ends.local_v4 = network_->local_v4;
    ends.local_v6 = network_->local_v6;
    ends.peer_v4 = network_->peer_v4;
    ends.peer_v6 = network_->peer_v6;
    return ends;
}

}  // namespace zcrxlab
