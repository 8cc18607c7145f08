// Rules: n-tuple filters, each of which takes the frames of a flow out of the hash's hands.
#include "nic/models/bnxt/datapath/bnxt_rules.hpp"

#include <algorithm>

namespace zcrxlab::nic::bnxt {

std::optional<uint32_t> Rules::add(const BnxtRule& rule) {
    auto* const place =
        std::ranges::find_if(rules_, [](const auto& one) { return !one.has_value(); });
    if (place == rules_.end()) return {};
    *place = rule;
    return static_cast<uint32_t>(place - rules_.begin());
}

bool Rules::free(uint64_t number) {
    if (find(number) == nullptr) return false;
    rules_[number].reset();
    return true;
}

void Rules::free_of(uint64_t l2_filter) {
    for (auto& rule : rules_)
        if (rule && rule->l2_filter == l2_filter) rule.reset();
}

void Rules::forget(uint32_t vnic) {
    for (auto& rule : rules_)
        if (rule && rule->vnic == vnic) rule->vnic.reset();
}

const BnxtRule* Rules::find(uint64_t number) const {
    return number < rules_.size() && rules_[number] ? &*rules_[number] : nullptr;
}

}  // namespace zcrxlab::nic::bnxt
