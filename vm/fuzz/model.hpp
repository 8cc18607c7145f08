// Model: random lists of actions that make sense, with what has to come of them.
//
// It knows what may be done when, how many bytes have to arrive, and which errno a bad registration
// gives; where the contract leaves a choice, the list waits for nothing that could be otherwise.
#pragma once

#include <cstdint>

#include "harness/actions/list.hpp"

namespace zcrxlab {

struct ModelOptions {
    uint64_t seed = 1;
    bool device = false;  // ifqs on a queue of the NIC, and faults
    // Features that kernels may lack: such lists would be skipped there.
    bool mixed = true;
    bool events = true;
    bool huge = true;  // areas beyond 4 GiB
};

// The list of this number: the same for the same options, whatever was asked before.
ActionList random_list(const ModelOptions& options, uint64_t number);

}  // namespace zcrxlab
