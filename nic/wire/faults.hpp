// Faults: the fault rules that a wire has, and the one place where they are evaluated.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"
#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

// What a rule does to one packet.
struct FaultHit {
    uint32_t rule = 0;  // id; 0 = nothing
    FaultKind what = FaultKind::kDrop;
    uint32_t bytes = 0;
    uint32_t frames = 0;
    uint32_t milliseconds = 0;
    uint16_t to = 0;
    uint16_t buffer = 0;

    explicit operator bool() const { return rule != 0; }
};

class Faults {
  public:
    static constexpr size_t kMaximumRules = 1024;

    struct Entry {
        uint32_t id = 0;
        FaultRule rule;     // with its defaults
        uint64_t seen = 0;  // packets that matched
        uint64_t hits = 0;  // of those, packets that it acted on
        uint64_t random = 0;
        bool standing = false;
    };

    // The id of the new rule, 1 and up, never used twice; it gets the defaults of its kind. A
    // `standing` one outlives clear(). ENOSPC if there are too many.
    Result<uint32_t> add(const FaultRule& rule, bool standing = false);
    // Removes all rules but the standing ones, which begin anew: with the same packets they do the
    // same again.
    void clear();
    // ENOENT if there is no such rule.
    Result<void> remove(uint32_t id);
    const std::vector<Entry>& entries() const { return entries_; }
    bool empty() const { return entries_.empty(); }

    // Counts a packet that `port` receives in every rule that matches; the first that hits acts.
    FaultHit evaluate(unsigned port, const ParsedHeaders& headers, uint16_t queue);
    // The same for `count` packets alike, if none of them is hit: counts them and says true. Counts
    // nothing and says false otherwise.
    bool pass_over(unsigned port, const ParsedHeaders& headers, uint16_t queue, uint64_t count);

  private:
    std::vector<Entry> entries_;  // by id
    uint32_t last_id_ = 0;
};

}  // namespace zcrxlab::nic
