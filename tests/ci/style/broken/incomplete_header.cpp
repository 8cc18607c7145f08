// expect: clang-diagnostic-error: use of undeclared identifier 'std'
// A header that is incomplete is found where it comes first, whatever follows.
#include "tests/ci/style/broken/incomplete_header.hpp"

#include <deque>

int main() {
    return static_cast<int>(none().size());
}
