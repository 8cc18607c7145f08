// Model: makes random lists of actions that make sense, and says what has to come of them.
//
// It knows what may be done when, how many bytes have to arrive, which errno a bad call gives, how
// many requests, final CQEs and buffers there must be; where the contract leaves a choice, the list
// says nothing about it. It knows no bug: what it prefers are edges (of a CQ, an area, a number),
// silence behind a burst, and an end that comes together with data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lists/fuzz/random.hpp"
#include "lists/language/list.hpp"

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

// Where a list came from: whose choices its own are, from which one on.
using Origin = std::vector<Random::Turn>;

// What becomes of these choices; `choices` (may be null): how many there were.
ActionList list_of(const ModelOptions& options, const Origin& origin, uint64_t* choices = nullptr);
// The list's choices up to one of them, then others: what another list does behind the same
// beginning.
Origin changed(const ModelOptions& options, const Origin& origin, uint64_t number);

// The first comment of a list of the model: "random list 41 of seed 3; from choice 17 on list 99 of
// seed 5".
std::string to_text(const Origin& origin);
// Empty where it is no such comment.
Origin origin_from_text(std::string_view text);

}  // namespace zcrxlab
