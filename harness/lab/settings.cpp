// Reads all settings of an interface, and compares them.
#include "harness/lab/settings.hpp"

#include <linux/ethtool.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "harness/net/driver.hpp"
#include "harness/net/flow_steering.hpp"
#include "harness/net/link.hpp"

namespace zcrxlab {
namespace {

// What can be set, without what is only told.
RingSizes settable(RingSizes rings) {
    rings.rx_max = rings.tx_max = rings.rx_jumbo = rings.hds_thresh_max = std::nullopt;
    return rings;
}

Channels settable(Channels channels) {
    channels.rx_max = channels.tx_max = channels.combined_max = std::nullopt;
    return channels;
}

template <typename T>
std::optional<T> value_of(Result<T> result) {
    return result ? std::optional<T>(std::move(*result)) : std::nullopt;
}

class Lines {
  public:
    void compare(const std::string& what, const std::string& was, const std::string& is) {
        if (was != is) lines_.push_back(what + ": " + is + ", and was " + was);
    }
    void compare(const std::string& what, const std::optional<uint32_t>& was,
                 const std::optional<uint32_t>& is) {
        compare(what, text(was), text(is));
    }
    template <typename State>
    void compare(const std::string& what, const std::map<std::string, State>& was,
                 const std::map<std::string, State>& is) {
        for (const auto& [name, state] : was) {
            const auto now = is.find(name);
            compare(what + name, text(state), now == is.end() ? "gone" : text(now->second));
        }
    }
    std::vector<std::string> take() { return std::move(lines_); }

  private:
    static std::string text(bool on) { return on ? "on" : "off"; }
    // As "ethtool -k" has it.
    static std::string text(const FeatureState& state) {
        if (state.on == state.requested) return text(state.on);
        return text(state.on) + " [requested " + text(state.requested) + "]";
    }
    static std::string text(const std::optional<uint32_t>& value) {
        return value ? std::to_string(*value) : "none";
    }
    std::vector<std::string> lines_;
};

std::string text_of(const std::optional<DataSplit>& split) {
    if (!split) return "none";
    return *split == DataSplit::kEnabled    ? "on"
           : *split == DataSplit::kDisabled ? "off"
                                            : "unknown";
}

std::string in_a_row(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text.empty() ? "none" : text;
}

}  // namespace

Result<FlowRules> read_rules(const std::function<Result<std::vector<uint32_t>>()>& list,
                             const std::function<Result<ethtool_rx_flow_spec>(uint32_t)>& get) {
    FlowRules rules;
    const auto locations = list();
    if (!locations && locations.error().code == EOPNOTSUPP) return rules;
    if (!locations) return locations.error();
    for (const uint32_t location : *locations) {
        const auto rule = get(location);
        if (!rule) {
            const auto now = list();
            if (now && std::ranges::find(*now, location) == now->end()) continue;
            return rule.error();
        }
        const auto bytes = std::as_bytes(std::span(&*rule, 1));
        rules[location].assign(bytes.begin(), bytes.end());
    }
    return rules;
}

bool NicSettings::rss_is_default() const {
    if (!rss || !channels) return false;
    const uint32_t queues = std::max(1U, channels->receive());
    for (size_t i = 0; i < rss->table.size(); ++i)
        if (rss->table[i] != i % queues) return false;
    return true;
}

void take_settings(DriverAnswers answers, NicSettings& settings) {
    if (answers.rings) settings.rings = settable(*answers.rings);
    if (answers.channels) settings.channels = settable(*answers.channels);
    if (answers.features)
        for (const std::string& name : answers.features->changeable)
            settings.features[name] = {answers.features->active[name],
                                       answers.features->requested[name]};
    if (answers.private_flags) settings.private_flags = std::move(*answers.private_flags);
    if (answers.rss) settings.rss = std::move(*answers.rss);
}

Result<NicSettings> read_settings(const std::string& interface) {
    auto links = Links::open();
    if (!links) return links.error();
    const auto link = links->get(interface);
    if (!link) return link.error();
    NicSettings settings;
    settings.up = link->up;
    settings.mtu = link->mtu;
    auto addresses = links->addresses(interface);
    if (!addresses) return addresses.error();
    settings.addresses = std::move(*addresses);
    auto ethtool = Ethtool::open(interface);
    if (!ethtool) return ethtool.error();
    auto steering = FlowSteering::open(interface);
    if (!steering) return steering.error();
    take_settings(
        {value_of(ethtool->rings()), value_of(ethtool->channels()), value_of(ethtool->features()),
         value_of(private_flags(interface)), value_of(steering->rss())},
        settings);
    auto rules = read_rules([&] { return steering->locations(); },
                            [&](uint32_t location) { return steering->rule(location); });
    if (!rules) return rules.error();
    settings.rules = std::move(*rules);
    return settings;
}

std::vector<std::string> differences(const NicSettings& was, const NicSettings& is) {
    Lines lines;
    lines.compare("link", was.up ? "up" : "down", is.up ? "up" : "down");
    lines.compare("mtu", std::to_string(was.mtu), std::to_string(is.mtu));
    lines.compare("addresses", in_a_row(was.addresses), in_a_row(is.addresses));
    lines.compare("private flag ", was.private_flags, is.private_flags);
    lines.compare("feature ", was.features, is.features);
    const Channels channels = was.channels.value_or(Channels{});
    const Channels channels_now = is.channels.value_or(Channels{});
    lines.compare("receive channels", channels.rx, channels_now.rx);
    lines.compare("transmit channels", channels.tx, channels_now.tx);
    lines.compare("combined channels", channels.combined, channels_now.combined);
    const RingSizes rings = was.rings.value_or(RingSizes{});
    const RingSizes rings_now = is.rings.value_or(RingSizes{});
    lines.compare("receive ring", rings.rx, rings_now.rx);
    lines.compare("transmit ring", rings.tx, rings_now.tx);
    lines.compare("rx-buf-len", rings.rx_buf_len, rings_now.rx_buf_len);
    lines.compare("tcp-data-split", text_of(rings.data_split), text_of(rings_now.data_split));
    lines.compare("hds-thresh", rings.hds_thresh, rings_now.hds_thresh);
    const Rss rss = was.rss.value_or(Rss{});
    const Rss rss_now = is.rss.value_or(Rss{});
    if (rss.table != rss_now.table) lines.compare("RSS table", "another", "changed");
    if (rss.key != rss_now.key) lines.compare("RSS key", "another", "changed");
    std::set<uint32_t> locations;
    for (const auto* rules : {&was.rules, &is.rules})
        for (const auto& [location, rule] : *rules) locations.insert(location);
    for (const uint32_t location : locations) {
        const auto old = was.rules.find(location);
        const auto now = is.rules.find(location);
        const std::string what = "flow rule " + std::to_string(location);
        if (old == was.rules.end()) {
            lines.compare(what, "not there", "there");
        } else if (now == is.rules.end()) {
            lines.compare(what, "there", "gone");
        } else if (old->second != now->second) {
            lines.compare(what, "another", "changed");
        }
    }
    return lines.take();
}

}  // namespace zcrxlab
