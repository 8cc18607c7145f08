// What the driver calls the parameters of a rule, and what it cannot do.
#include "harness/targets/netdevsim_rule.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "harness/faults/fault_rule_json.hpp"

namespace zcrxlab {
namespace {

constexpr double kPartsPerMillion = 1e6;
// Of its header buffer of 128 bytes (NSIM_HEADER_BUFFER_SIZE), behind the shortest headers:
// Ethernet 14, IPv4 20, TCP 20.
constexpr uint32_t kMostTooLate = 128 - 54;

// Numbers of IP (IANA, "Protocol Numbers").
constexpr unsigned kIcmp = 1, kTcp = 6, kUdp = 17, kIcmpv6 = 58;

long parts_per_million(double probability) {
    return std::lround(probability * kPartsPerMillion);
}

bool rounds_to_never_or_always(double probability) {
    const long parts = parts_per_million(probability);
    return (parts == 0 && probability > 0) ||
           (parts == std::lround(kPartsPerMillion) && probability < 1);
}

unsigned number_of(FaultProtocol protocol, std::optional<FaultFamily> family) {
    switch (protocol) {
        case FaultProtocol::kTcp:
            return kTcp;
        case FaultProtocol::kUdp:
            return kUdp;
        case FaultProtocol::kIcmp:
            break;
    }
    return family == FaultFamily::kIpv6 ? kIcmpv6 : kIcmp;
}

// What other devices can and this one cannot.
struct Limit {
    bool (*exceeded)(const FaultRule& rule);  // of a rule with its defaults
    std::string (*asked)(const FaultRule& rule);
    std::string_view possible;
    std::string_view reason;
};
constexpr Limit kLimits[] = {
    {[](const FaultRule& rule) { return rule.what == FaultKind::kReorder && *rule.frames != 1; },
     [](const FaultRule& rule) { return fmt::format("\"frames\" of reorder is {}", *rule.frames); },
     "1", "its driver lets one packet overtake; delay takes \"frames\""},
    {[](const FaultRule& rule) {
         return rule.what == FaultKind::kSplitLate && *rule.bytes > kMostTooLate;
     },
     [](const FaultRule& rule) {
         return fmt::format("\"bytes\" of split_late is {}", *rule.bytes);
     },
     "0 to 74", "its buffer for headers has 128 bytes"},
    {[](const FaultRule& rule) { return rounds_to_never_or_always(rule.match.probability); },
     [](const FaultRule& rule) {
         return fmt::format("\"probability\" is {}", rule.match.probability);
     },
     "0, 1, or 0.000001 to 0.999999", "its driver counts in parts per million"},
    {[](const FaultRule& rule) {
         return rule.match.protocol == FaultProtocol::kIcmp && !rule.match.family;
     },
     [](const FaultRule&) { return std::string("\"protocol\" is \"icmp\" of any family"); },
     "\"icmp\" with \"family\" 4 or 6", "its driver compares the number of the protocol"},
    {[](const FaultRule& rule) {
         using enum FaultKind;
         return rule.what == kHalfPacket || rule.what == kStuckPacket ||
                rule.what == kEmptyBuffer || rule.what == kBufferError || rule.what == kOvertaken ||
                rule.what == kHeaderError;
     },
     [](const FaultRule& rule) { return fmt::format("\"what\" is {}", fault_name(rule.what)); },
     "another kind", "its driver has no completion for each buffer"},
    {[](const FaultRule& rule) { return rule.what == FaultKind::kForeignTag; },
     [](const FaultRule& rule) { return fmt::format("\"what\" is {}", fault_name(rule.what)); },
     "another kind", "it takes no tags off frames"},
};

}  // namespace

Result<NetdevsimRule> netdevsim_rule(const FaultRule& given, uint32_t id, bool standing) {
    if (auto checked = check_fault_rule(given); !checked) return checked.error();
    const FaultRule rule = with_defaults(given);
    for (const Limit& limit : kLimits)
        if (limit.exceeded(rule))
            return Error{ENOTSUP, fmt::format("{}; on netdevsim it must be {}: {}.",
                                              limit.asked(rule), limit.possible, limit.reason)};
    NetdevsimRule translated;
    translated.port = rule.port;
    std::string& line = translated.line;
    line = fmt::format("add id={} what={}", id, fault_name(rule.what));
    const auto add = [&line](std::string_view name, uint64_t value) {
        line += fmt::format(" {}={}", name, value);
    };
    if (standing) add("standing", 1);
    // Its defaults are not those of each kind.
    if (rule.bytes) add("bytes", *rule.bytes);
    if (rule.frames) add("frames", *rule.frames);
    if (rule.milliseconds) add("milliseconds", *rule.milliseconds);
    if (rule.to) add("to", *rule.to);
    const FaultMatch& match = rule.match;
    const FaultMatch any;
    if (match.protocol) add("protocol", number_of(*match.protocol, match.family));
    if (match.payload) add("payload", *match.payload ? 1 : 0);
    if (match.queue) add("queue", *match.queue);
    if (match.family) add("family", static_cast<uint64_t>(*match.family));
    if (match.source_port) add("sport", *match.source_port);
    if (match.destination_port) add("dport", *match.destination_port);
    if (match.skip != any.skip) add("skip", match.skip);
    if (match.every != any.every) add("every", match.every);
    if (match.probability != any.probability)
        add("probability", static_cast<uint64_t>(parts_per_million(match.probability)));
    if (match.seed != any.seed) add("seed", match.seed);
    if (match.count != any.count) add("count", match.count);
    // Only a rule with nearly every parameter and the largest numbers is that long.
    if (line.size() > kMaximumNetdevsimLine)
        return Error{ENOTSUP, fmt::format("the rule is a line of {} bytes; on netdevsim it must "
                                          "be one of at most {}: \"{}\".",
                                          line.size(), kMaximumNetdevsimLine, line)};
    return translated;
}

}  // namespace zcrxlab
