// A header that does not include <vector>, which GoogleTest does.
#pragma once

inline std::vector<int> nothing() {
    return {};
}
