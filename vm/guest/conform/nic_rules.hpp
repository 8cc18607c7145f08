// NicRules: the mistakes that the NIC makes on purpose in a situation, while this lives, and what
// it counts for us.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/targets/control_channel.hpp"

namespace zcrxlab {

class NicRules {
  public:
    // JSON (nic/control/README.md), one a line. ENOENT: this NIC takes none.
    Result<void> add(std::string_view rules);
    // From now on the packets with payload that the program's side receives are counted.
    Result<void> count_packets();
    // So many came since then.
    Result<uint64_t> packets();
    // Of the rules that were added, those for which no packet came.
    Result<uint64_t> idle();
    NicRules() = default;
    NicRules(const NicRules&) = delete;
    NicRules& operator=(const NicRules&) = delete;
    // Takes them out of the NIC.
    ~NicRules();

  private:
    struct Count {
        uint64_t seen = 0;  // packets that the rule was for
        uint64_t hits = 0;  // those of them that it acted on
    };
    Result<void> open();
    Result<uint64_t> add_one(std::string_view rule);
    Result<std::map<uint64_t, Count>> counts();

    std::optional<ControlChannel> channel_;
    std::vector<uint64_t> added_;  // by their ids
    uint64_t counting_ = 0;        // id of the rule that counts
};

}  // namespace zcrxlab
