// Faults: rules that say which packets are harmed and how, and the one place where they are
// evaluated. What the fields mean is in vm/nic/control/README.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/nic/wire/headers.hpp"

namespace zcrxlab::nic {

enum class FaultKind : uint8_t {
    kDrop,
    kDuplicate,
    kDelay,
    kReorder,
    kCorrupt,
    kNoSplit,
    kSplitEarly,
    kSplitLate,
    kWrongQueue,
    kNoBuffer,
    kLoseInterrupt,
    kLinkFlap,
    kReset,
};

// As rules spell it: "drop", "no_split" ...
const char* fault_name(FaultKind kind);

struct FaultMatch {
    std::optional<uint16_t> queue;
    std::optional<uint8_t> family;  // 4 or 6
    std::optional<L4> protocol;     // kTcp, kUdp or kIcmp
    std::optional<uint16_t> source_port;
    std::optional<uint16_t> destination_port;
    std::optional<bool> payload;
    uint64_t skip = 0;
    uint64_t every = 1;  // not 0
    double probability = 1;
    uint64_t seed = 1;
    uint64_t count = std::numeric_limits<uint64_t>::max();
};

struct FaultRule {
    FaultKind what = FaultKind::kDrop;
    uint8_t port = 0;
    FaultMatch match;
    uint32_t bytes = 0;   // kCorrupt: offset in the payload; kSplitEarly, kSplitLate: distance
    uint32_t frames = 0;  // kDelay, kReorder
    uint32_t milliseconds = 0;  // kDelay, kReorder, kLinkFlap
    uint16_t to = 0;            // kWrongQueue
};

// What a rule does to one packet.
struct FaultHit {
    uint32_t rule = 0;  // id; 0 = nothing
    FaultKind what = FaultKind::kDrop;
    uint32_t bytes = 0;
    uint32_t frames = 0;
    uint32_t milliseconds = 0;
    uint16_t to = 0;

    explicit operator bool() const { return rule != 0; }
};

class Faults {
  public:
    static constexpr size_t kMaximumRules = 1024;

    struct Entry {
        uint32_t id = 0;
        FaultRule rule;
        uint64_t seen = 0;  // packets that matched
        uint64_t hits = 0;  // of those, packets that it acted on
        uint64_t random = 0;
        bool standing = false;
    };

    // The id of the new rule, 1 and up, never used twice. A `standing` one outlives clear(). ENOSPC
    // if there are too many.
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
