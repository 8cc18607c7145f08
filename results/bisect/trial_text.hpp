// Writes what a bisection reports while it runs, and at its end.
#pragma once

#include <string>
#include <vector>

#include "results/bisect/bisection.hpp"
#include "results/bisect/judgement.hpp"
#include "results/matrix/matrix.hpp"

namespace zcrxlab {

// A kernel that was tried.
struct Trial {
    MatrixRun run;
    Judgement judgement;
    bool earlier = false;  // by an earlier call
};

// One line with verdict, seconds and `left`; below it the symptoms, of which those that are just as
// in `shown` are not told again; it may be null. With `verbose`, all that any of the tests said.
// Ends with a newline.
std::string trial_text(const Trial& trial, const std::string& left, const Trial* shown,
                       bool verbose);

// "5 kernels left, 3 more to try at most, about 4 min", if each takes so many seconds.
std::string left_text(const Bisection& bisection, double seconds);

// The two neighbours with their symptoms and the commands `by_hand` that show them again, those
// between that cannot be judged, and what speaks against a single change. `kernels` are those of
// the bisection; trials of others are not looked at. Ends with a newline.
std::string result_text(const Bisection& bisection, const std::vector<std::string>& kernels,
                        const Trial& older, const Trial& newer,
                        const std::vector<std::string>& by_hand);

}  // namespace zcrxlab
