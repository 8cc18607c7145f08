// Reads what a kernel told of the mistakes that it came by.
#include "results/coverage/reached_mistakes.hpp"

#include <vector>

#include "harness/base/hex.hpp"
#include "harness/base/json.hpp"
#include "harness/base/kernel_parameters.hpp"

namespace zcrxlab {
namespace {

// A parameter is a page at most.
constexpr size_t kLongest = 4096;

std::optional<unsigned> digit_from(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    return std::nullopt;
}

// "1,80000003": bits 0, 1, 31 and 32, as Documentation/core-api/printk-formats.rst has it ("%*pb").
std::optional<std::vector<size_t>> bits_from(std::string_view text) {
    if (text.size() > kLongest) return std::nullopt;
    if (text.ends_with('\n')) text.remove_suffix(1);
    std::vector<size_t> bits;
    size_t bit = 0;
    for (auto c = text.rbegin(); c != text.rend(); ++c) {
        if (*c == ',') continue;
        const auto digit = digit_from(*c);
        if (!digit) return std::nullopt;
        for (size_t i = 0; i < 4; ++i)
            if ((*digit >> i & 1U) != 0) bits.push_back(bit + i);
        bit += 4;
    }
    return bits;
}

}  // namespace

Result<void> ReachedMistakes::add(std::string_view line) {
    const auto json = parse_json_object(line);
    const auto test = json ? get<std::string>(*json, "test") : std::nullopt;
    const auto object = json ? get<std::string>(*json, "object") : std::nullopt;
    const auto hex = json ? get<std::string>(*json, "hex") : std::nullopt;
    if (!test || !object || !hex) return Error{EPROTO, "A line of the profile is none."};
    if (!object->starts_with(kReachedParameter)) return {};
    const auto text = bytes_from_hex(*hex);
    const auto bits = text ? bits_from(*text) : std::nullopt;
    if (!bits) return Error{EPROTO, "What \"" + *object + "\" says are no bits."};
    auto& numbers = tests_[*object];
    for (const size_t bit : *bits) numbers[bit].insert(*test);
    return {};
}

std::optional<std::set<std::string>> ReachedMistakes::tests_at(const std::string& parameter,
                                                               size_t number) const {
    const auto numbers = tests_.find(parameter);
    if (numbers == tests_.end()) return std::nullopt;
    const auto found = numbers->second.find(number);
    if (found == numbers->second.end()) return std::set<std::string>{};
    std::set<std::string> tests = found->second;
    if (tests.erase("") > 0 && tests.empty()) return std::nullopt;
    return tests;
}

}  // namespace zcrxlab
