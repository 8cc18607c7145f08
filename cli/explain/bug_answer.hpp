// BugAnswer: what is told of a fixed bug, for people and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/explain/sightings.hpp"
#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/bugs/standing.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// A kernel about which something is said.
struct KernelInQuestion {
    std::string name;       // as it was said, or as uname -r says
    StatedRelease release;  // what it is made of
    bool asked = false;     // the exit code is about it
    bool this_machine = false;
};

struct BugAnswer {
    const FixedBug* bug;     // never null
    const Finding* finding;  // null if no scenario has shown it
    Sightings sightings;
};

// The answer about `bug`, with what `findings` and `matrices` know of it.
BugAnswer answer_about(const FixedBug& bug, std::span<const Finding> findings,
                       std::span<const Matrix> matrices);

// Everything about one bug, and each of `kernels` in a line.
std::string bug_text(const BugAnswer& answer, std::span<const KernelInQuestion> kernels);
// For each kernel that is asked about, each bug in a line. `embargoed`: how many findings there are
// of which nothing is told.
std::string bugs_text(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels,
                      size_t embargoed);
// Both as JSON; docs/kernel.md has its members.
std::string bugs_json(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels,
                      size_t embargoed);

// About the kernels that are asked about: kExitFailed if one has one of the bugs, else kExitSkipped
// if of one that is not known, else kExitPassed.
int bugs_exit_code(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels);

}  // namespace zcrxlab
