// Whether a run on a changed kernel noticed the change: a run compared with one on the kernel as it
// was.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.hpp"

namespace zcrxlab {

// Runs of one scenario alone, and how many of them failed.
struct FailureRate {
    unsigned failed = 0, runs = 0;
};

struct PatchVerdict {
    bool noticed = false;
    std::string test;      // the scenario that noticed it; empty if the guest did not get that far
    std::string nic = {};  // on which it did; empty: the one that a person named
    std::string invariants;    // that it found broken: "I1, I5"; empty if it was something else
    std::string said;          // its first sentence, or how the guest ended
    bool guest_ended = false;  // it panicked, was lost or never ended
    // The guest's console says why: a panic or an oops. Any other end may be the machine's load.
    bool panicked = false;
    double seconds = 0;  // that the scenario took to fail, or the guest to end
};

// A failure is one if the same scenario did not fail in `before`; so is the end of a guest that
// panicked, was lost or fell silent.
PatchVerdict verdict_on_patch(const RunSummary& before, const RunSummary& after);

// Whether what a scenario shows with a change is the change's doing: it fails with it, and never in
// as many runs without.
bool is_proof(const FailureRate& with, const FailureRate& without);

// The scenarios of `before` that did not fail, in its order.
std::vector<std::string> sound_tests(const RunSummary& before);

}  // namespace zcrxlab
