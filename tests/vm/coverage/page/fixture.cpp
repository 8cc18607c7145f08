// Prints the page of a small report, for tests/vm/coverage/page/check.
#include <cstdio>

#include "tests/vm/coverage/fake_report.hpp"

int main() {
    return std::fputs(zcrxlab::to_page(zcrxlab::fake_report()).c_str(), stdout) < 0 ? 1 : 0;
}
