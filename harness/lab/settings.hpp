// NicSettings: everything of an interface that a lab run may change, as one value that can be kept.
#pragma once

#include <linux/ethtool.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/ethtool.hpp"

namespace zcrxlab {

// A feature that can be switched. The kernel keeps what was requested while another setting forbids
// it, and does it once none does.
struct FeatureState {
    bool on = false;
    bool requested = false;

    FeatureState() = default;
    // As requested.
    FeatureState(bool both) : FeatureState(both, both) {}
    FeatureState(bool is_on, bool is_requested) : on(is_on), requested(is_requested) {}
    bool operator==(const FeatureState&) const = default;
};

// What the driver does not have is empty. Of rings and channels only what can be set is there.
struct NicSettings {
    bool up = false;
    uint32_t mtu = 0;                    // bytes
    std::vector<std::string> addresses;  // "192.0.2.1/24", sorted, without link-local ones
    std::map<std::string, bool> private_flags;
    std::map<std::string, FeatureState> features;
    std::optional<Channels> channels;
    std::optional<RingSizes> rings;
    std::optional<Rss> rss;
    // Location to struct ethtool_rx_flow_spec, as the driver told it.
    std::map<uint32_t, std::vector<std::byte>> rules;
    bool operator==(const NicSettings&) const = default;

    // Receive queue i%N in entry i: what drivers set by themselves, and change with their queues.
    bool rss_is_default() const;
};

// What a driver answered when it was asked; empty where it has no such thing.
struct DriverAnswers {
    std::optional<RingSizes> rings;
    std::optional<Channels> channels;
    std::optional<Features> features;
    std::optional<std::map<std::string, bool>> private_flags;
    std::optional<Rss> rss;
};
// What of it can be set.
void take_settings(DriverAnswers answers, NicSettings& settings);

using FlowRules = std::map<uint32_t, std::vector<std::byte>>;  // as NicSettings has them
// The rules at the locations that `list` has, each by `get`. A rule that another program takes away
// between the two is not there, and a driver without rules (EOPNOTSUPP) has none.
Result<FlowRules> read_rules(const std::function<Result<std::vector<uint32_t>>()>& list,
                             const std::function<Result<ethtool_rx_flow_spec>(uint32_t)>& get);

// Now, of an interface of this namespace.
Result<NicSettings> read_settings(const std::string& interface);

// A line for each setting in which they differ: "tcp-data-split: off, and was on".
std::vector<std::string> differences(const NicSettings& was, const NicSettings& is);

// JSON, and the same back. EINVAL if the text is no such thing.
std::string to_json(const NicSettings& settings);
Result<NicSettings> settings_from_json(std::string_view text);

}  // namespace zcrxlab
