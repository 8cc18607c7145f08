// The search for the smallest list of actions that still fails as the one that was found.
#pragma once

#include <cstddef>
#include <string>

#include "harness/base/result.hpp"
#include "lists/bundle/failure.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

struct ShrinkOptions {
    std::string what;         // a list, or the folder of a failure
    VmOptions vm;             // kernel and nic "": those of the failure; `out` has to be there
    std::string good;         // a kernel without the bug, on which no list may fail so
    unsigned repeats = 5;     // for how often it fails
    unsigned seconds = 3600;  // no step is begun after these
    unsigned batch = 60;      // lists for each VM
    size_t candidates = 60;   // tried in one step
    bool lenient = false;     // features that the kernels should have may be missing
    std::string self;         // how this program was called
};

// Takes from the list of `failure` whatever can be missing, and prints each step. The smallest list
// so far is always in options.vm.out/smallest, for "repro". 0 if a list that fails was written, 1
// if the first one did not fail at all; EINVAL if it fails on the good kernel, too; EINTR after
// Ctrl-C.
Result<int> shrink(const ShrinkOptions& options, Failure failure);

}  // namespace zcrxlab
