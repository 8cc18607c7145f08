// Mistakes that a rule made in sources of the kernel, as one page: each line by what became of
// those on it.
#pragma once

#include <string>
#include <vector>

#include "results/coverage/attempts.hpp"
#include "results/coverage/scope.hpp"

namespace zcrxlab {

struct MutationReport {
    std::string terms;  // what was asked for
    Sources sources;
    std::vector<Attempt> attempts;     // in any order
    std::vector<std::string> misfits;  // of what was set aside by hand, a sentence each
};

// One page without references to elsewhere and without a script: the score by rule, then of each
// function the source, coloured, with who noticed beside it, and below it each mistake.
std::string to_page(const MutationReport& report);

}  // namespace zcrxlab
