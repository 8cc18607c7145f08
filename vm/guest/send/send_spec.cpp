// Reads the words of a SendSpec.
#include "vm/guest/send/send_spec.hpp"

#include <algorithm>
#include <array>

#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

constexpr unsigned kMostConnections = 1024;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint64_t kLargestWrite = 16 << 20;
constexpr uint64_t kLongest = 24 * 3600 * 1000;  // milliseconds

struct Unit {
    std::string_view name;
    uint64_t factor;
};
constexpr std::array<Unit, 4> kSizes{{{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}};
constexpr std::array<Unit, 3> kTimes{{{"ms", 1}, {"s", 1000}, {"m", 60'000}}};

template <size_t N>
std::optional<uint64_t> scaled(std::string_view text, const std::array<Unit, N>& units,
                               uint64_t most) {
    const auto number = take_number<uint64_t>(text);
    if (!number) return std::nullopt;
    for (const Unit& unit : units)
        if (unit.name == text && *number <= most / unit.factor) return *number * unit.factor;
    return std::nullopt;
}

std::optional<uint64_t> whole(std::string_view text, uint64_t least, uint64_t most) {
    const auto number = take_number<uint64_t>(text);
    if (!number || !text.empty() || *number < least || *number > most) return std::nullopt;
    return number;
}

struct PatternName {
    std::string_view name;
    SendPattern pattern;
};
constexpr std::array<PatternName, 4> kPatterns{{{"zcrxlab", SendPattern::kZcrxlab},
                                                {"zeros", SendPattern::kZeros},
                                                {"text", SendPattern::kText},
                                                {"http", SendPattern::kHttp}}};

template <typename T>
bool put(T& member, const std::optional<uint64_t>& value) {
    if (value) member = static_cast<T>(*value);
    return value.has_value();
}

bool put_time(std::chrono::milliseconds& member, std::string_view value) {
    const auto time = scaled(value, kTimes, kLongest);
    if (time) member = std::chrono::milliseconds(*time);
    return time.has_value();
}

// A path that makes one word of a request line.
bool put_path(std::string& member, std::string_view value) {
    if (value.empty() || value[0] != '/' ||
        std::any_of(value.begin(), value.end(), [](char c) { return c <= ' ' || c > '~'; }))
        return false;
    member = value;
    return true;
}

// What is wrong with `name`=`value`: what it could be; empty if nothing is.
std::string_view take(SendSpec& spec, std::string_view name, std::string_view value) {
    constexpr std::string_view kFine;
    constexpr std::string_view kSize = "a number of bytes such as 100, 64K or 1M";
    constexpr std::string_view kTime = "a time such as 10ms or 5s";
    if (name == "connections")
        return put(spec.connections, whole(value, 1, kMostConnections)) ? kFine : "1 to 1024";
    if (name == "requests")
        return put(spec.requests, whole(value, 1, UINT32_MAX)) ? kFine : "1 or more";
    if (name == "size") return put(spec.size, scaled(value, kSizes, kMostBytes)) ? kFine : kSize;
    if (name == "write")
        return put(spec.write, scaled(value, kSizes, kLargestWrite)) && spec.write > 0
                   ? kFine
                   : "1 to 16M bytes";
    if (name == "rate") {
        spec.rate = scaled(value, kSizes, kMostBytes);
        return spec.rate.value_or(0) > 0 ? kFine : kSize;
    }
    if (name == "think") return put_time(spec.think, value) ? kFine : kTime;
    if (name == "for") {
        spec.duration.emplace();
        return put_time(*spec.duration, value) ? kFine : kTime;
    }
    if (name == "path") return put_path(spec.path, value) ? kFine : "a path such as /upload";
    if (name == "port") return put(spec.port, whole(value, 1, UINT16_MAX)) ? kFine : "1 to 65535";
    if (name == "seed") return put(spec.seed, whole(value, 0, UINT64_MAX)) ? kFine : "a number";
    if (name == "family") {
        if (value != "4" && value != "6") return "4 or 6";
        spec.family = value == "4" ? 4 : 6;
        return kFine;
    }
    if (name == "end") {
        if (value != "fin" && value != "reset") return "fin or reset";
        spec.reset = value == "reset";
        return kFine;
    }
    if (name == "pattern") {
        for (const auto& [known, pattern] : kPatterns) {
            if (known != value) continue;
            spec.pattern = pattern;
            return kFine;
        }
        return "zcrxlab, zeros, text or http";
    }
    return "one of connections, requests, size, write, rate, think, for, pattern, path, family, "
           "port, seed and end";
}

}  // namespace

Result<SendSpec> parse_send_spec(std::string_view text) {
    SendSpec spec;
    while (!text.empty()) {
        const size_t end = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const bool assigns = equals != std::string_view::npos;
        const std::string_view wrong =
            assigns ? take(spec, name, word.substr(equals + 1)) : "NAME=VALUE";
        if (!wrong.empty())
            return Error{EINVAL, "\"" + std::string(word) +
                                     "\" says nothing to a sender; it could be " +
                                     std::string(wrong) + "."};
    }
    return spec;
}

}  // namespace zcrxlab
