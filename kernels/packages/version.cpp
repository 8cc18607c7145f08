// Parsing and comparing version numbers.
#include "kernels/packages/version.hpp"

#include <algorithm>

#include "harness/base/number.hpp"

namespace zcrxlab {
namespace {

constexpr size_t kMostNumbers = 4;

}  // namespace

std::optional<Version> Version::parse(std::string_view text, std::string_view* rest) {
    Version version;
    const auto first = take_number<unsigned>(text);
    if (!first) return std::nullopt;
    version.numbers.push_back(*first);
    while (version.numbers.size() < kMostNumbers && text.starts_with('.')) {
        std::string_view after = text.substr(1);
        const auto number = take_number<unsigned>(after);
        if (!number) break;
        version.numbers.push_back(*number);
        text = after;
    }
    if (text.starts_with("-rc") || text.starts_with("~rc")) {
        std::string_view after = text.substr(3);
        if (const auto candidate = take_number<unsigned>(after)) {
            version.candidate = candidate;
            text = after;
        }
    }
    if (rest != nullptr) *rest = text;
    return version;
}

bool Version::in_series(const Version& prefix) const {
    if (prefix.candidate) return *this == prefix;
    if (prefix.numbers.size() > numbers.size()) return *this == prefix;
    return std::equal(prefix.numbers.begin(), prefix.numbers.end(), numbers.begin());
}

std::string Version::text() const {
    std::string result;
    for (const unsigned number : numbers) {
        if (!result.empty()) result += '.';
        result += std::to_string(number);
    }
    if (candidate) result += "-rc" + std::to_string(*candidate);
    return result;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
    const size_t longest = std::max(numbers.size(), other.numbers.size());
    for (size_t i = 0; i < longest; ++i) {
        const unsigned left = i < numbers.size() ? numbers[i] : 0;
        const unsigned right = i < other.numbers.size() ? other.numbers[i] : 0;
        if (left != right) return left <=> right;
    }
    if (candidate.has_value() != other.candidate.has_value())
        return candidate ? std::strong_ordering::less : std::strong_ordering::greater;
    return candidate.value_or(0) <=> other.candidate.value_or(0);
}

}  // namespace zcrxlab
