// Version numbers: those of programs ("11.1.3") and of kernels ("7.3.4", "7.3-rc7").
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// "7.3.4" is {7, 3, 4} without a candidate; "7.3-rc7" is {7, 3}, candidate 7. A candidate comes
// before the release of the same numbers, and "7.3" equals "7.3.0".
struct Version {
    std::vector<unsigned> numbers;
    std::optional<unsigned> candidate;

    // The version at the start of `text` (at most four numbers); what follows is left in `rest` if
    // that is given. Nothing if `text` does not start with a digit.
    static std::optional<Version> parse(std::string_view text, std::string_view* rest = nullptr);

    // Whether this is one of the series `prefix` names: 7.3.4 is of 7.3 and of 7, not of 7.30.
    bool in_series(const Version& prefix) const;
    std::string text() const;

    std::strong_ordering operator<=>(const Version& other) const;
    bool operator==(const Version& other) const {
        return (*this <=> other) == std::strong_ordering::equal;
    }
};

}  // namespace zcrxlab
