// Which fixed bugs of zero-copy receive kernels have, as diagnoses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/doctor/examination.hpp"
#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/bugs/stated_release.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

struct ExaminedKernel {
    std::string name;
    StatedRelease release;
};

// A note for this machine's kernel, and one for each set of bugs that some of `others` share, in
// the order of `others`. Of each bug that a kernel has by its version it says on which of these
// kernels `findings` record that runs have seen it, and on which they have not. Of embargoed bugs
// nothing is told.
std::vector<Diagnosis> examine_bugs(std::span<const FixedBug> bugs,
                                    std::span<const Finding> findings,
                                    const ExaminedKernel& this_machine,
                                    std::span<const ExaminedKernel> others);

// The same for this machine and the kernels that can be had, without asking the mirror.
std::vector<Diagnosis> examine_bugs_of_known_kernels();

}  // namespace zcrxlab
