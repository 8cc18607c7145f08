// Fields of a rule: their names here and there, their ranges, and which kind has which.
#include "harness/target/netdevsim_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace zcrxlab {
namespace {

using nlohmann::json;

constexpr uint64_t kAnyNumber = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMostBytes = 65536;
constexpr uint64_t kMostFrames = 1'000'000;
constexpr uint64_t kMostMilliseconds = 600'000;
constexpr uint64_t kMostQueue = 0xffff;
constexpr uint64_t kMostPort = 0xffff;
// The driver keeps it in an int.
constexpr uint64_t kMostEvery = std::numeric_limits<int32_t>::max();
constexpr double kPartsPerMillion = 1e6;

struct Number {
    std::string_view name;
    std::string_view driver_name;
    uint64_t low;
    uint64_t high;
};

struct Kind {
    std::string_view name;
    std::vector<Number> own;       // fields of this kind only
    std::string_view otherwise{};  // what the driver would take for another number
};

const std::vector<Kind>& kinds() {
    static const Number bytes{"bytes", "bytes", 0, kMostBytes};
    static const Number frames{"frames", "frames", 1, kMostFrames};
    static const Number milliseconds{"milliseconds", "milliseconds", 0, kMostMilliseconds};
    static const std::vector<Kind> list = {
        {"drop", {}},
        {"duplicate", {}},
        {"delay", {frames, milliseconds}},
        {"reorder", {frames, milliseconds}},
        {"corrupt", {bytes}, "bytes=0"},
        {"no_split", {}},
        {"split_early", {bytes}},
        {"split_late", {bytes}},
        {"wrong_queue", {{"to", "to", 0, kMostQueue}}},
        {"no_buffer", {}},
        {"lose_interrupt", {}},
        {"link_flap", {milliseconds}, "milliseconds=100"},
        {"reset", {}},
    };
    return list;
}

constexpr Number kMatchNumbers[] = {
    {"queue", "queue", 0, kMostQueue},      {"family", "family", 4, 6},
    {"source_port", "sport", 0, kMostPort}, {"destination_port", "dport", 0, kMostPort},
    {"skip", "skip", 0, kAnyNumber},        {"every", "every", 1, kMostEvery},
    {"count", "count", 0, kAnyNumber},      {"seed", "seed", 0, kAnyNumber},
};

struct Protocol {
    std::string_view name;
    unsigned number;  // of IP
};
constexpr Protocol kProtocols[] = {{"icmp", 1}, {"tcp", 6}, {"udp", 17}};

// Takes the fields of one object, one after the other; what is left at the end is unknown.
class Fields {
  public:
    Fields(json object, std::string where) : object_(std::move(object)), where_(std::move(where)) {}

    // Null if it is not there.
    json take(std::string_view name) {
        const auto at = object_.find(name);
        if (at == object_.end()) return nullptr;
        json value = std::move(*at);
        object_.erase(at);
        return value;
    }
    bool has(std::string_view name) const { return object_.contains(name); }

    void numbers(std::span<const Number> list, std::string& line) {
        for (const Number& number : list) {
            if (!has(number.name)) continue;
            const json value = take(number.name);
            if (!value.is_number_unsigned() || value.get<uint64_t>() < number.low ||
                value.get<uint64_t>() > number.high) {
                fail(fmt::format("\"{}\" in {} must be a whole number from {} to {}", number.name,
                                 where_, number.low, number.high));
                continue;
            }
            line += fmt::format(" {}={}", number.driver_name, value.get<uint64_t>());
        }
    }
    void fail(std::string sentence) {
        if (error_.empty()) error_ = std::move(sentence);
    }
    // The first thing that was wrong; empty if all is well.
    std::string error() {
        if (!object_.empty())
            fail(fmt::format("there is no \"{}\" in {}; see vm/nic/control/README.md",
                             object_.begin().key(), where_));
        return error_;
    }

  private:
    json object_;
    std::string where_;
    std::string error_;
};

std::string add_match(const json& object, std::string& line) {
    if (!object.is_object()) return "\"match\" must be an object";
    Fields fields(object, "\"match\"");
    fields.numbers(kMatchNumbers, line);
    if (object.value("family", json()) == 5) fields.fail("\"family\" in \"match\" is 4 or 6");
    if (fields.has("payload")) {
        const json payload = fields.take("payload");
        if (!payload.is_boolean()) fields.fail("\"payload\" in \"match\" must be true or false");
        line += payload == json(true) ? " payload=1" : " payload=0";
    }
    if (fields.has("protocol")) {
        const json name = fields.take("protocol");
        const auto* known =
            std::find_if(std::begin(kProtocols), std::end(kProtocols),
                         [&](const Protocol& one) { return name == std::string(one.name); });
        if (known == std::end(kProtocols))
            fields.fail("\"protocol\" in \"match\" is \"tcp\", \"udp\" or \"icmp\"");
        else
            line += fmt::format(" protocol={}", known->number);
    }
    if (fields.has("probability")) {
        const json value = fields.take("probability");
        const double probability = value.is_number() ? value.get<double>() : -1;
        if (!(probability >= 0 && probability <= 1))
            fields.fail("\"probability\" in \"match\" must be a number from 0 to 1");
        else
            line += fmt::format(" probability={}", std::lround(probability * kPartsPerMillion));
    }
    return fields.error();
}

}  // namespace

Result<NetdevsimRule> netdevsim_rule(const std::string& text, uint32_t id, bool standing) {
    const auto wrong = [](const std::string& sentence) { return Error{EINVAL, sentence}; };
    const json rule = json::parse(text, nullptr, false);
    if (!rule.is_object()) return wrong("a fault rule must be a JSON object");
    Fields fields(rule, "the rule");
    const json what = fields.take("what");
    const auto kind = std::find_if(kinds().begin(), kinds().end(),
                                   [&](const Kind& one) { return what == std::string(one.name); });
    if (kind == kinds().end()) {
        std::string names;
        for (const Kind& one : kinds()) names.append(names.empty() ? "" : ", ").append(one.name);
        return wrong("\"what\" in the rule must be one of " + names);
    }
    NetdevsimRule translated;
    translated.line = fmt::format("add id={} what={}", id, kind->name);
    if (standing) translated.line += " standing=1";
    std::string port;
    fields.numbers(std::array{Number{"port", "port", 0, 1}}, port);
    translated.port = port == " port=1" ? 1 : 0;
    // Later words win.
    if (!kind->otherwise.empty()) translated.line.append(" ").append(kind->otherwise);
    fields.numbers(kind->own, translated.line);
    if (fields.has("match"))
        if (auto error = add_match(fields.take("match"), translated.line); !error.empty())
            return wrong(error);
    if (auto error = fields.error(); !error.empty()) return wrong(error);
    return translated;
}

}  // namespace zcrxlab
