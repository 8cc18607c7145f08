// Steering: which receive queue a packet goes to, as the driver set it up: RSS and flow rules.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "nic/models/gve/gve_adminq_layout.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::gve {

class Steering {
  public:
    Steering() { reset(); }

    // No rules, the default key, and a table that spreads over all queues there are.
    void reset();

    void set_key(std::span<const uint8_t, kRssKeySize> key);
    // A table that is the plain spread over `queues` follows the number of queues from now on; any
    // other stays as it is.
    void set_table(std::span<const uint16_t, kRssTableSize> table, uint16_t queues);
    void set_hash_types(uint16_t types) { hash_types_ = types; }
    const std::array<uint8_t, kRssKeySize>& key() const { return key_; }
    std::array<uint16_t, kRssTableSize> table(uint16_t queues) const;
    uint16_t hash_types() const { return hash_types_; }

    // Adds a rule, or replaces the one at that location.
    void add_rule(uint32_t location, const FlowRuleLayout& rule) { rules_[location] = rule; }
    bool remove_rule(uint32_t location) { return rules_.erase(location) != 0; }
    void remove_rules() { rules_.clear(); }
    const std::map<uint32_t, FlowRuleLayout>& rules() const { return rules_; }

    // Key, table and rules in the wire's terms; `queues` is what the default table spreads over.
    void apply(uint16_t queues, ReceiveSettings& settings) const;

  private:
    std::array<uint8_t, kRssKeySize> key_;
    std::array<uint16_t, kRssTableSize> table_;
    bool default_table_ = true;
    uint16_t hash_types_ = kHashTypesDefault;
    std::map<uint32_t, FlowRuleLayout> rules_;
};

}  // namespace zcrxlab::nic::gve
