// Reader and writer go through the same list of keys.
#include "harness/faults/fault_rule_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/faults/json_text.hpp"

namespace zcrxlab {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The keys of a rule besides "what" and "match", and those of "match". `field` is called for each
// with its name, its place, what it can be, and what it is where it is not given; of the parameters
// for those that `having` has.
template <typename Rule, typename Field>
void each_parameter(Rule& rule, const FaultRule& having, Field&& field) {
    field("port", rule.port, fault_range::kPort, FaultRule{}.port);
    if (having.bytes) field("bytes", rule.bytes, fault_range::kBytes);
    if (having.frames) field("frames", rule.frames, fault_range::kFrames);
    if (having.milliseconds) field("milliseconds", rule.milliseconds, fault_range::kMilliseconds);
    if (having.to) field("to", rule.to, fault_range::kQueue);
    if (having.buffer) field("buffer", rule.buffer, fault_range::kBuffer);
}

template <typename Match, typename Field>
void each_condition(Match& match, Field&& field) {
    const FaultMatch any;
    field("protocol", match.protocol);
    field("payload", match.payload);
    field("queue", match.queue, fault_range::kQueue);
    field("family", match.family);
    field("source_port", match.source_port, fault_range::kTcpPort);
    field("destination_port", match.destination_port, fault_range::kTcpPort);
    field("skip", match.skip, fault_range::kAny, any.skip);
    field("every", match.every, fault_range::kEvery, any.every);
    field("probability", match.probability, any.probability);
    field("seed", match.seed, fault_range::kAny, any.seed);
    field("count", match.count, fault_range::kAny, any.count);
}

bool is_text(const json& value, std::string_view text) {
    return value.is_string() && value.get_ref<const std::string&>() == text;
}

// Takes what it is called for out of one object; keeps the first thing that is wrong.
class Fields {
  public:
    Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

    template <std::unsigned_integral T>
    void operator()(std::string_view name, std::optional<T>& to, FaultRange range) {
        const json* value = find(name);
        if (value == nullptr) return;
        if (!value->is_number_unsigned() || !range.contains(value->get<uint64_t>()))
            return wrong(name, *value,
                         fmt::format("a whole number from {} to {}", range.low, range.high));
        to = static_cast<T>(value->get<uint64_t>());
    }
    template <std::unsigned_integral T>
    void operator()(std::string_view name, T& to, FaultRange range, T) {
        std::optional<T> given;
        (*this)(name, given, range);
        if (given) to = *given;
    }
    void operator()(std::string_view name, double& to, double) {
        const json* value = find(name);
        if (value == nullptr) return;
        if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() <= 1))
            return wrong(name, *value, "a number from 0 to 1");
        to = value->get<double>();
    }
    void operator()(std::string_view name, std::optional<bool>& to) {
        const json* value = find(name);
        if (value == nullptr) return;
        if (!value->is_boolean()) return wrong(name, *value, "true or false");
        to = value->get<bool>();
    }
    void operator()(std::string_view name, std::optional<FaultFamily>& to) {
        const json* value = find(name);
        if (value == nullptr) return;
        const uint64_t number = value->is_number_unsigned() ? value->get<uint64_t>() : 0;
        if (number != 4 && number != 6) return wrong(name, *value, "4 or 6");
        to = static_cast<FaultFamily>(number);
    }
    void operator()(std::string_view name, std::optional<FaultProtocol>& to) {
        const json* value = find(name);
        if (value == nullptr) return;
        for (const auto one : {FaultProtocol::kTcp, FaultProtocol::kUdp, FaultProtocol::kIcmp})
            if (is_text(*value, fault_protocol_name(one))) to = one;
        if (!to) wrong(name, *value, R"("tcp", "udp" or "icmp")");
    }

    const json* find(std::string_view name) {
        known_.push_back(name);
        const auto at = object_.find(name);
        return at == object_.end() ? nullptr : &*at;
    }
    void wrong(std::string_view name, const json& value, std::string_view possible) {
        if (error_.empty())
            error_ = fmt::format("\"{}\" in {} is {}; it must be {}.", name, where_,
                                 short_text(value), possible);
    }
    // Empty if all is well. A key that nobody asked for is wrong.
    std::string error() const {
        if (!error_.empty()) return error_;
        for (const auto& [name, value] : object_.items())
            if (std::ranges::find(known_, name) == known_.end())
                return fmt::format("There is no {} in {} (it is {}); there can be {}.",
                                   short_text(name), where_, short_text(value),
                                   fmt::join(known_, ", "));
        return {};
    }

  private:
    const json& object_;
    std::string where_;
    std::vector<std::string_view> known_;
    std::string error_;
};

// Writes what it is called for into one object.
class Writer {
  public:
    explicit Writer(ordered_json& object) : object_(object) {}

    template <typename T>
    void operator()(const char* name, const std::optional<T>& value, FaultRange) {
        if (value) object_[name] = *value;
    }
    template <typename T>
    void operator()(const char* name, const T& value, FaultRange, T otherwise) {
        if (value != otherwise) object_[name] = value;
    }
    void operator()(const char* name, double value, double otherwise) {
        if (value != otherwise) object_[name] = value;
    }
    void operator()(const char* name, const std::optional<bool>& value) {
        if (value) object_[name] = *value;
    }
    void operator()(const char* name, const std::optional<FaultFamily>& value) {
        if (value) object_[name] = static_cast<unsigned>(*value);
    }
    void operator()(const char* name, const std::optional<FaultProtocol>& value) {
        if (value) object_[name] = fault_protocol_name(*value);
    }

  private:
    ordered_json& object_;
};

std::string names_of_kinds() {
    std::vector<std::string_view> names;
    for (const FaultKind kind : fault_kinds()) names.push_back(fault_name(kind));
    return fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace

Result<FaultRule> fault_rule_from_json(const json& object) {
    if (!object.is_object()) return Error{EINVAL, "A fault rule must be a JSON object."};
    const auto what = object.find("what");
    if (what == object.end())
        return Error{EINVAL, fmt::format("There is no \"what\" in the rule; it must be {}.",
                                         names_of_kinds())};
    const auto kind = std::ranges::find_if(
        fault_kinds(), [&](FaultKind one) { return is_text(*what, fault_name(one)); });
    if (kind == fault_kinds().end())
        return Error{EINVAL, fmt::format("\"what\" in the rule is {}; it must be {}.",
                                         short_text(*what), names_of_kinds())};
    FaultRule rule{.what = *kind};
    Fields fields(object, fmt::format("a rule of {}", fault_name(*kind)));
    fields.find("what");
    each_parameter(rule, default_rule(*kind), fields);
    if (const json* match = fields.find("match"); match != nullptr && !match->is_object()) {
        fields.wrong("match", *match, "an object");
    } else if (match != nullptr) {
        Fields conditions(*match, "\"match\"");
        each_condition(rule.match, conditions);
        if (std::string error = conditions.error(); !error.empty()) return Error{EINVAL, error};
    }
    if (std::string error = fields.error(); !error.empty()) return Error{EINVAL, error};
    return rule;
}

Result<FaultRule> read_fault_rule(std::string_view text) {
    const Result<json> object = parse_strict_json(text);
    if (!object)
        return Error{EINVAL, "A fault rule must be a JSON object: " + object.error().sentence};
    return fault_rule_from_json(*object);
}

// What it would read is what it can be.
Result<void> check_fault_rule(const FaultRule& rule) {
    if (auto read = fault_rule_from_json(json(fault_rule_to_json(rule))); !read)
        return read.error();
    return {};
}

ordered_json fault_rule_to_json(const FaultRule& rule) {
    ordered_json object{{"what", fault_name(rule.what)}};
    each_parameter(rule, rule, Writer(object));
    ordered_json match = ordered_json::object();
    each_condition(rule.match, Writer(match));
    if (!match.empty()) object["match"] = std::move(match);
    return object;
}

std::string fault_rule_text(const FaultRule& rule) {
    return fault_rule_to_json(rule).dump();
}

}  // namespace zcrxlab
