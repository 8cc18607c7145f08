// NicRules: the mistakes that the NIC makes on purpose in a situation, while this lives.
#pragma once

#include <cstdint>
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
    NicRules() = default;
    NicRules(const NicRules&) = delete;
    NicRules& operator=(const NicRules&) = delete;
    // Takes them out of the NIC.
    ~NicRules();

  private:
    std::optional<ControlChannel> channel_;
};

}  // namespace zcrxlab
