// Prints the page of a few mistakes, for tests/results/coverage/mutation_page/check.
#include <cstdio>

#include "tests/results/coverage/fake_mutations.hpp"

int main() {
    return std::fputs(zcrxlab::to_page(zcrxlab::fake_mutations()).c_str(), stdout) < 0 ? 1 : 0;
}
