// expect: modernize-use-nullptr
// A mistake in a header of ours is found in each source that includes it.
#include "tests/ci/style/broken/null_in_header.hpp"

int main() {
    return no_name() == nullptr ? 0 : 1;
}
