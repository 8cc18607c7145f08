// Prints errors behind what was already printed on standard output.
#include "harness/base/fail.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace zcrxlab {

int fail(const Error& error, int exit_code) {
    std::fflush(stdout);
    fmt::print(stderr, "zcrxlab: {}\n", error.sentence);
    return exit_code;
}

int fail(const Error& error) {
    return fail(error, error.code == EINTR ? kExitInterrupted : kExitUsage);
}

}  // namespace zcrxlab
