// Steering: which receive queue a packet goes to: the first flow rule that matches, else the RSS
// table, else the hash over all queues.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/wire.hpp"
#include "nic/wire/headers.hpp"
#include "nic/wire/toeplitz.hpp"

namespace zcrxlab::nic {

struct Steered {
    uint16_t queue = 0;
    RssType rss_type = RssType::kNone;
    uint32_t rss_hash = 0;
};

class Steering {
  public:
    // Rules and table entries that name a queue at or beyond settings.queues are passed over. An
    // empty key is the default key; an empty table (or one whose size is no power of two) spreads
    // the hash evenly.
    void set(const ReceiveSettings& settings);

    // `queue` is below the number of queues, or 0 if there are none.
    Steered steer(const ParsedHeaders& headers) const;

  private:
    uint16_t queues_ = 0;
    std::vector<FlowRule> rules_;  // by location
    std::vector<uint16_t> table_;
    std::vector<uint8_t> key_;
    Toeplitz toeplitz_;
};

}  // namespace zcrxlab::nic
