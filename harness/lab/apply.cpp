// Applies a change, and names the command that a person would type for it.
#include <linux/ethtool.h>

#include <cstring>

#include "harness/lab/change.hpp"
#include "harness/net/driver.hpp"
#include "harness/net/flow_steering.hpp"
#include "harness/net/link.hpp"

namespace zcrxlab {
namespace {

std::string on_off(bool on) {
    return on ? "on" : "off";
}

void append(std::string& command, const char* name, const std::optional<uint32_t>& value) {
    if (value) command += std::string(" ") + name + " " + std::to_string(*value);
}

// "equal N" where the table goes round the first N queues, which is all that we set.
std::string table_words(const std::vector<uint32_t>& table) {
    uint32_t queues = 0;
    for (const uint32_t queue : table) queues = std::max(queues, queue + 1);
    bool equal = queues > 0;
    for (size_t i = 0; i < table.size(); ++i) equal = equal && table[i] == i % queues;
    if (equal) return " equal " + std::to_string(queues);
    // ethtool takes weights only; a table by hand needs the kernel's interface.
    std::string text = " (entry by entry:";
    for (const uint32_t queue : table) text += " " + std::to_string(queue);
    return text + ")";
}

struct InWords {
    const std::string& interface;

    std::string operator()(const SetPrivateFlag& c) const {
        return "ethtool --set-priv-flags " + interface + " " + c.name + " " + on_off(c.on);
    }
    std::string operator()(const SetFeature& c) const {
        return "ethtool -K " + interface + " " + c.name + " " + on_off(c.on);
    }
    std::string operator()(const RequestFeature& c) const {
        return (*this)(SetFeature{c.name, c.on});
    }
    std::string operator()(const SetChannels& c) const {
        std::string command = "ethtool -L " + interface;
        append(command, "rx", c.channels.rx);
        append(command, "tx", c.channels.tx);
        append(command, "combined", c.channels.combined);
        return command;
    }
    std::string operator()(const SetRings& c) const {
        std::string command = "ethtool -G " + interface;
        append(command, "rx", c.rings.rx);
        append(command, "tx", c.rings.tx);
        append(command, "rx-buf-len", c.rings.rx_buf_len);
        if (c.rings.data_split) {
            command += " tcp-data-split ";
            command += *c.rings.data_split == DataSplit::kEnabled    ? "on"
                       : *c.rings.data_split == DataSplit::kDisabled ? "off"
                                                                     : "auto";
        }
        append(command, "hds-thresh", c.rings.hds_thresh);
        return command;
    }
    std::string operator()(const SetRss& c) const {
        std::string command = "ethtool -X " + interface;
        if (c.defaults) command += " default";
        if (!c.rss.table.empty()) command += table_words(c.rss.table);
        if (c.rss.key.empty()) return command;
        command += " hkey ";
        for (size_t i = 0; i < c.rss.key.size(); ++i) {
            char text[4];
            std::snprintf(text, sizeof text, "%s%02x", i == 0 ? "" : ":",
                          static_cast<unsigned>(c.rss.key[i]));
            command += text;
        }
        return command;
    }
    std::string operator()(const AddRule& c) const {
        return "ethtool -N " + interface + " flow-type ... loc " + std::to_string(c.location) +
               " (the rule that was there)";
    }
    std::string operator()(const RemoveRule& c) const {
        return "ethtool -N " + interface + " delete " + std::to_string(c.location);
    }
    std::string operator()(const SetMtu& c) const {
        return "ip link set " + interface + " mtu " + std::to_string(c.mtu);
    }
    std::string operator()(const SetLink& c) const {
        return "ip link set " + interface + (c.up ? " up" : " down");
    }
    std::string operator()(const AddAddress& c) const {
        return "ip address add " + c.address + " dev " + interface +
               (c.address.find(':') == std::string::npos ? "" : " nodad");
    }
    std::string operator()(const RemoveAddress& c) const {
        return "ip address del " + c.address + " dev " + interface;
    }
};

Result<void> change_address(const std::string& interface, const std::string& text, bool add) {
    const size_t slash = text.find('/');
    const int prefix = slash == std::string::npos ? 0 : std::atoi(text.substr(slash + 1).c_str());
    if (prefix < 1 || prefix > 128)
        return Error{EINVAL, "\"" + text + "\" is no address with a prefix length"};
    auto links = Links::open();
    if (!links) return links.error();
    const std::string address = text.substr(0, slash);
    const auto length = static_cast<uint8_t>(prefix);
    return add ? links->add_address(interface, address, length)
               : links->remove_address(interface, address, length);
}

struct Doing {
    const std::string& interface;

    Result<void> operator()(const SetPrivateFlag& c) const {
        return set_private_flag(interface, c.name, c.on);
    }
    Result<void> operator()(const SetFeature& c) const {
        return with_ethtool([&](Ethtool& ethtool) { return ethtool.set_feature(c.name, c.on); });
    }
    Result<void> operator()(const RequestFeature& c) const {
        return with_ethtool(
            [&](Ethtool& ethtool) { return ethtool.request_feature(c.name, c.on); });
    }
    Result<void> operator()(const SetChannels& c) const {
        return with_ethtool([&](Ethtool& ethtool) { return ethtool.set_channels(c.channels); });
    }
    Result<void> operator()(const SetRings& c) const {
        return with_ethtool([&](Ethtool& ethtool) { return ethtool.set_rings(c.rings); });
    }
    Result<void> operator()(const SetRss& c) const {
        return with_steering([&](FlowSteering& steering) -> Result<void> {
            if (!c.rss.table.empty() || !c.rss.key.empty())
                if (auto done = steering.set_rss(c.rss); !done) return done;
            return c.defaults ? steering.reset_rss() : Result<void>();
        });
    }
    Result<void> operator()(const AddRule& c) const {
        ethtool_rx_flow_spec rule{};
        if (c.rule.size() != sizeof rule)
            return Error{EINVAL, "flow rule " + std::to_string(c.location) + " has " +
                                     std::to_string(c.rule.size()) + " bytes"};
        std::memcpy(&rule, c.rule.data(), sizeof rule);
        rule.location = c.location;
        return with_steering([&](FlowSteering& steering) { return steering.put_rule(rule); });
    }
    Result<void> operator()(const RemoveRule& c) const {
        return with_steering(
            [&](FlowSteering& steering) { return steering.remove_rule(c.location); });
    }
    Result<void> operator()(const SetMtu& c) const {
        auto links = Links::open();
        return links ? links->set_mtu(interface, c.mtu) : Result<void>(links.error());
    }
    Result<void> operator()(const SetLink& c) const {
        auto links = Links::open();
        return links ? links->set_up(interface, c.up) : Result<void>(links.error());
    }
    Result<void> operator()(const AddAddress& c) const {
        return change_address(interface, c.address, true);
    }
    Result<void> operator()(const RemoveAddress& c) const {
        return change_address(interface, c.address, false);
    }

    template <typename Work>
    Result<void> with_ethtool(Work work) const {
        auto ethtool = Ethtool::open(interface);
        return ethtool ? work(*ethtool) : Result<void>(ethtool.error());
    }
    template <typename Work>
    Result<void> with_steering(Work work) const {
        auto steering = FlowSteering::open(interface);
        return steering ? work(*steering) : Result<void>(steering.error());
    }
};

}  // namespace

std::string command_of(const Change& change, const std::string& interface) {
    return std::visit(InWords{interface}, change);
}

Result<void> apply(const Change& change, const std::string& interface) {
    return std::visit(Doing{interface}, change);
}

}  // namespace zcrxlab
