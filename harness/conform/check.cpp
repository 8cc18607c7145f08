// The names of checks.
#include "harness/conform/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace zcrxlab {

namespace {

constexpr std::array<std::pair<Check, std::string_view>, 3> kNames{
    {{Check::kNone, "none"}, {Check::kEcho, "echo"}, {Check::kSha256, "sha256"}}};

}  // namespace

std::optional<Check> check_from(std::string_view name) {
    const auto* const row =
        std::ranges::find(kNames, name, &std::pair<Check, std::string_view>::second);
    return row == kNames.end() ? std::nullopt : std::optional(row->first);
}

std::vector<std::string> names_of_checks() {
    std::vector<std::string> names;
    for (const auto& [check, name] : kNames) names.emplace_back(name);
    return names;
}

}  // namespace zcrxlab
