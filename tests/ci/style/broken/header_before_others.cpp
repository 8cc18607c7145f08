// expect: clang-diagnostic-error: use of undeclared identifier 'std'
// A header that is incomplete and comes before what would complete it, which is read before both.
#include "tests/ci/style/broken/needs_vector.hpp"

#include <string>
#include <vector>

std::vector<std::string> names() {
    return std::vector<std::string>(nothing().size());
}
