// Prints the page of a small report, for tests/results/coverage/page/check.
#include <cstdio>

#include "tests/results/coverage/fake_report.hpp"

int main() {
    return std::fputs(zcrxlab::to_page(zcrxlab::fake_report()).c_str(), stdout) < 0 ? 1 : 0;
}
