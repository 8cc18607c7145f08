// Fault rules in their JSON form.
#include "vm/nic/control/fault_rule_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace zcrxlab::nic {
namespace {

using nlohmann::json;

constexpr FaultKind kKinds[] = {
    FaultKind::kDrop,       FaultKind::kDuplicate, FaultKind::kDelay,         FaultKind::kReorder,
    FaultKind::kCorrupt,    FaultKind::kNoSplit,   FaultKind::kSplitEarly,    FaultKind::kSplitLate,
    FaultKind::kWrongQueue, FaultKind::kNoBuffer,  FaultKind::kLoseInterrupt, FaultKind::kLinkFlap,
    FaultKind::kReset,
};
constexpr uint64_t kMaximumBytes = kMaximumFrame;
constexpr uint64_t kMaximumFrames = 1000000;
constexpr uint64_t kMaximumMilliseconds = 600000;
constexpr uint64_t kAny64 = std::numeric_limits<uint64_t>::max();

// Takes fields out of one object; the first that is wrong is kept as the error.
class Fields {
  public:
    Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

    const json* find(const char* name) {
        known_.insert(name);
        auto at = object_.find(name);
        return at == object_.end() ? nullptr : &*at;
    }
    // An unsigned number in [low, high]; `otherwise` if it is not there.
    uint64_t number(const char* name, uint64_t low, uint64_t high, uint64_t otherwise) {
        const json* value = find(name);
        if (value == nullptr) return otherwise;
        if (value->is_number_unsigned()) {
            auto got = value->get<uint64_t>();
            if (got >= low && got <= high) return got;
        }
        fail(fmt::format("\"{}\" in {} must be a whole number from {} to {}.", name, where_, low,
                         high));
        return otherwise;
    }
    template <typename T>
    std::optional<T> optional_number(const char* name, uint64_t low, uint64_t high) {
        if (find(name) == nullptr) return std::nullopt;
        return static_cast<T>(number(name, low, high, low));
    }
    std::string text(const char* name) {
        const json* value = find(name);
        if (value == nullptr) return {};
        if (value->is_string()) return value->get<std::string>();
        fail(fmt::format("\"{}\" in {} must be a string.", name, where_));
        return {};
    }
    void fail(std::string sentence) {
        if (error_.empty()) error_ = std::move(sentence);
    }
    // The first thing that was wrong, unknown fields last; empty if all is well.
    std::string error() {
        for (const auto& [name, value] : object_.items()) {
            if (known_.count(name) == 0)
                fail(fmt::format("There is no \"{}\" in {}; see vm/nic/control/README.md.", name,
                                 where_));
        }
        return error_;
    }

  private:
    const json& object_;
    std::string where_;
    std::set<std::string> known_;
    std::string error_;
};

std::string read_match(const json& object, FaultMatch& match) {
    if (!object.is_object()) return "\"match\" must be an object.";
    Fields fields(object, "\"match\"");
    match.queue = fields.optional_number<uint16_t>("queue", 0, 0xffff);
    match.source_port = fields.optional_number<uint16_t>("source_port", 0, 0xffff);
    match.destination_port = fields.optional_number<uint16_t>("destination_port", 0, 0xffff);
    match.family = fields.optional_number<uint8_t>("family", 4, 6);
    if (match.family && *match.family == 5) fields.fail("\"family\" in \"match\" is 4 or 6.");
    if (fields.find("protocol") != nullptr) {
        std::string name = fields.text("protocol");
        if (name == "tcp") match.protocol = L4::kTcp;
        if (name == "udp") match.protocol = L4::kUdp;
        if (name == "icmp") match.protocol = L4::kIcmp;
        if (!match.protocol)
            fields.fail("\"protocol\" in \"match\" is \"tcp\", \"udp\" or \"icmp\".");
    }
    if (const json* payload = fields.find("payload")) {
        if (payload->is_boolean()) {
            match.payload = payload->get<bool>();
        } else {
            fields.fail("\"payload\" in \"match\" must be true or false.");
        }
    }
    match.skip = fields.number("skip", 0, kAny64 / 2, 0);
    match.every = fields.number("every", 1, kAny64 / 2, 1);
    match.seed = fields.number("seed", 0, kAny64, 1);
    match.count = fields.number("count", 0, kAny64, kAny64);
    if (const json* probability = fields.find("probability")) {
        if (probability->is_number()) match.probability = probability->get<double>();
        if (!probability->is_number() || !(match.probability >= 0 && match.probability <= 1))
            fields.fail("\"probability\" in \"match\" must be a number from 0 to 1.");
    }
    return fields.error();
}

// The fields of its own kind, with their defaults.
void read_own_fields(Fields& fields, FaultRule& rule) {
    auto bytes = [&](uint64_t otherwise) {
        rule.bytes = static_cast<uint32_t>(fields.number("bytes", 0, kMaximumBytes, otherwise));
    };
    auto milliseconds = [&](uint64_t otherwise) {
        rule.milliseconds = static_cast<uint32_t>(
            fields.number("milliseconds", 0, kMaximumMilliseconds, otherwise));
    };
    switch (rule.what) {
        case FaultKind::kDelay:
        case FaultKind::kReorder:
            rule.frames = static_cast<uint32_t>(
                fields.number("frames", 1, kMaximumFrames, rule.what == FaultKind::kDelay ? 8 : 1));
            milliseconds(20);
            break;
        case FaultKind::kCorrupt:
            bytes(0);
            break;
        case FaultKind::kSplitEarly:
        case FaultKind::kSplitLate:
            bytes(8);
            break;
        case FaultKind::kWrongQueue:
            rule.to = static_cast<uint16_t>(fields.number("to", 0, 0xffff, 0));
            break;
        case FaultKind::kLinkFlap:
            milliseconds(100);
            break;
        default:
            break;
    }
}

}  // namespace

Result<FaultRule> fault_rule_from_json(const json& object) {
    if (!object.is_object()) return Error{EINVAL, "A fault rule must be a JSON object."};
    Fields fields(object, "the rule");
    std::string what = fields.text("what");
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](FaultKind one) { return what == fault_name(one); });
    if (kind == std::end(kKinds)) {
        std::string names;
        for (FaultKind one : kKinds)
            names += (names.empty() ? "" : ", ") + std::string(fault_name(one));
        return Error{EINVAL, fmt::format("\"what\" in the rule must be one of {}.", names)};
    }
    FaultRule rule;
    rule.what = *kind;
    rule.port = static_cast<uint8_t>(fields.number("port", 0, 1, 0));
    if (const json* match = fields.find("match")) {
        if (std::string error = read_match(*match, rule.match); !error.empty())
            return Error{EINVAL, error};
    }
    read_own_fields(fields, rule);
    if (std::string error = fields.error(); !error.empty()) return Error{EINVAL, error};
    return rule;
}

json fault_rule_to_json(const FaultRule& rule) {
    json object{{"what", fault_name(rule.what)}, {"port", rule.port}};
    const FaultMatch& match = rule.match;
    const FaultMatch any;
    json out = json::object();
    if (match.queue) out["queue"] = *match.queue;
    if (match.family) out["family"] = *match.family;
    if (match.protocol) {
        out["protocol"] = *match.protocol == L4::kTcp   ? "tcp"
                          : *match.protocol == L4::kUdp ? "udp"
                                                        : "icmp";
    }
    if (match.source_port) out["source_port"] = *match.source_port;
    if (match.destination_port) out["destination_port"] = *match.destination_port;
    if (match.payload) out["payload"] = *match.payload;
    if (match.skip != any.skip) out["skip"] = match.skip;
    if (match.every != any.every) out["every"] = match.every;
    if (match.probability != any.probability) out["probability"] = match.probability;
    if (match.seed != any.seed) out["seed"] = match.seed;
    if (match.count != any.count) out["count"] = match.count;
    if (!out.empty()) object["match"] = out;
    switch (rule.what) {
        case FaultKind::kDelay:
        case FaultKind::kReorder:
            object["frames"] = rule.frames;
            object["milliseconds"] = rule.milliseconds;
            break;
        case FaultKind::kCorrupt:
        case FaultKind::kSplitEarly:
        case FaultKind::kSplitLate:
            object["bytes"] = rule.bytes;
            break;
        case FaultKind::kWrongQueue:
            object["to"] = rule.to;
            break;
        case FaultKind::kLinkFlap:
            object["milliseconds"] = rule.milliseconds;
            break;
        default:
            break;
    }
    return object;
}

}  // namespace zcrxlab::nic
