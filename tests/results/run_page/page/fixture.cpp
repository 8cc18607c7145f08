// Prints the page of a told run.
#include <fmt/format.h>

#include "results/run_page/run_page.hpp"
#include "tests/results/run_page/told_run.hpp"

int main() {
    fmt::print("{}", zcrxlab::run_page(zcrxlab::told_run(),
                                       {{"kernel log", "kernel.log"}, {"trace", "trace.html"}}));
}
