// The rows of the contract that no scenario claims yet. There are none.
#include "scenarios/contract/coverage.hpp"

#include <vector>

namespace zcrxlab {

std::span<const std::string_view> not_yet_claimed() {
    static const std::vector<std::string_view> list = {};
    return list;
}

}  // namespace zcrxlab
