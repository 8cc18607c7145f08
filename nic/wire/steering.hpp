// Steering: which receive queue a packet goes to: that of the first flow rule that matches, or one
// of the rule's own RSS table; else the RSS table, else the hash over all queues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nic/wire.hpp"
#include "nic/wire/headers.hpp"
#include "nic/wire/toeplitz.hpp"

namespace zcrxlab::nic {

struct Steered {
    uint16_t queue = 0;
    RssType rss_type = RssType::kNone;
    uint32_t rss_hash = 0;
    std::optional<uint32_t> rule = {};  // location of the one that chose the queue
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
    // A key, and the queues that the hash by it chooses of.
    struct Spread {
        std::vector<uint8_t> key;
        std::vector<uint16_t> table;
        uint8_t types = kAllRssTypes;
        uint16_t queue_without_hash = 0;
        Toeplitz toeplitz;

        // `from` is ReceiveSettings or FlowRule.
        template <typename Settings>
        void set(const Settings& from);
        uint16_t queue_of(const Steered& steered, uint16_t queues) const;
    };
    struct Rule {
        FlowRule flow;
        std::optional<Spread> spread;  // none: flow.queue
    };

    uint16_t queues_ = 0;
    std::vector<Rule> rules_;  // by location
    Spread spread_;
};

}  // namespace zcrxlab::nic
