// Prints progress for people.
#include "harness/base/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace zcrxlab {

Progress progress_for_people() {
    return [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

}  // namespace zcrxlab
