// Strict JSON: what a person or another program wrote, in which no key may stand twice.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Objects and arrays inside each other, of what we read here: a command with a rule with "match" is
// 3 of them.
inline constexpr size_t kMaximumJsonLevels = 8;

// EINVAL with a sentence if it is no JSON, nests deeper than `levels`, or has a key twice in one
// object, which other readers would take for its first or its last value. So a value that is
// returned can be written again, or be destroyed, without regard to its depth.
Result<nlohmann::json> parse_strict_json(std::string_view text, size_t levels = kMaximumJsonLevels);

// A value in a sentence: JSON on one line, in ASCII, cut if it is long.
std::string short_text(const nlohmann::json& value);

}  // namespace zcrxlab
