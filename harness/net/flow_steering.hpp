// Flow rules and the RSS table through the ethtool ioctl: netlink has them on new kernels only.
#pragma once

#include <linux/ethtool.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/net/ethtool.hpp"

namespace zcrxlab {

// An n-tuple rule for TCP. Empty members match anything.
struct FlowRule {
    uint8_t family = 4;  // 4 or 6
    std::optional<std::string> source, destination;
    std::optional<uint16_t> source_port, destination_port;
    uint16_t source_port_bits = 0xffff;    // those of source_port that decide
    uint32_t queue = 0;                    // where matching packets go
    std::optional<uint32_t> context = {};  // instead: an RSS context, whose table says where
    uint32_t location = 0;                 // in the rule table; out of add_rule
    bool operator==(const FlowRule&) const = default;
};

// The rule as the ioctl takes it; EINVAL for an address that is not of its family.
Result<ethtool_rx_flow_spec> to_flow_spec(const FlowRule& rule);

// Talks about one interface, in the namespace in which it was opened.
class FlowSteering {
  public:
    static Result<FlowSteering> open(const std::string& interface);

    // Slots of the rule table; EOPNOTSUPP where the driver has no rules.
    Result<uint32_t> capacity();
    // Locations in use, sorted.
    Result<std::vector<uint32_t>> locations();
    // A rule as the driver has it, whatever kind it is, and the same back at its location.
    Result<ethtool_rx_flow_spec> rule(uint32_t location);
    Result<void> put_rule(const ethtool_rx_flow_spec& rule);
    // A rule of this driver as text, for comparing: every byte that decides is in it.
    Result<std::string> describe_rule(uint32_t location);
    // Adds the rule at the first free location, which is returned. ENOSPC when the table is full.
    Result<uint32_t> add_rule(const FlowRule& rule);
    Result<void> remove_rule(uint32_t location);

    Result<Rss> rss();
    // Sets table and key where they are not empty; their sizes must be the driver's.
    Result<void> set_rss(const Rss& rss);
    // Makes an RSS context with this table, of the driver's size; its number. EOPNOTSUPP where the
    // driver has none.
    Result<uint32_t> add_rss_context(const std::vector<uint32_t>& table);
    // EBUSY while a rule names it.
    Result<void> remove_rss_context(uint32_t context);
    // The driver's own table again (a table of size 0 means that).
    Result<void> reset_rss();

  private:
    FlowSteering(Fd socket, std::string interface)
        : socket_(std::move(socket)), interface_(std::move(interface)) {}
    // SIOCETHTOOL with `command`, a structure that begins with an ETHTOOL_* number.
    Result<void> call(void* command, const std::string& doing);
    // Rules that there are, and the locations of `counted` of them, sorted.
    Result<uint32_t> count();
    Result<std::vector<uint32_t>> list(uint32_t counted);

    Fd socket_;
    std::string interface_;
};

}  // namespace zcrxlab
