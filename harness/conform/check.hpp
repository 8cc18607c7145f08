// Check: how it is told whether a receiver read the right bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class Check {
    kNone,    // which bytes it were nobody looks at
    kEcho,    // the program sends back what it gets
    kSha256,  // it answers, or prints, the SHA-256 of each stream at the stream's end
};

// "none", "echo", "sha256".
std::optional<Check> check_from(std::string_view name);
std::vector<std::string> names_of_checks();

}  // namespace zcrxlab
