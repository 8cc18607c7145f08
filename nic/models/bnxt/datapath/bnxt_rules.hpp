// Rules: n-tuple filters, each of which takes the frames of a flow out of the hash's hands.
//
// Assumed, as no driver says it: of two rules that match, the one with the lower number wins, and
// numbers are given out from the lowest free one on. A rule goes with the filter of addresses that
// it hangs on: Linux frees no rule when an interface goes down, and makes all of them again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "nic/models/bnxt/layout/bnxt_registers.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::bnxt {

struct BnxtRule {
    FlowRule match;
    uint64_t l2_filter = 0;
    bool drops = false;
    std::optional<uint32_t> vnic = {};   // none: that VNIC is gone, and frames are lost
    std::optional<uint16_t> place = {};  // in the VNIC's table; none: the hash chooses
};

class Rules {
  public:
    // The number of the rule; nothing if all are taken.
    std::optional<uint32_t> add(const BnxtRule& rule);
    // False if there is none.
    bool free(uint64_t number);
    // Frees all that hang on a filter of addresses.
    void free_of(uint64_t l2_filter);
    // The VNIC is gone: no other one that gets its number gets the frames.
    void forget(uint32_t vnic);
    void clear() { rules_.fill({}); }
    // Null if there is none.
    const BnxtRule* find(uint64_t number) const;

    // By number.
    const auto& all() const { return rules_; }

  private:
    std::array<std::optional<BnxtRule>, kRuleLimit> rules_;
};

}  // namespace zcrxlab::nic::bnxt
