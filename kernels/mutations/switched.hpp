// A source that holds all of its mutants at once, each behind a number.
//
// A kernel takes a minute to link for each mistake. Built once from this, it makes the mistake
// whose number is written to /sys/module/kernel/parameters/NAME, and none while that is 0.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kernels/mutations/mutants.hpp"

namespace zcrxlab {

// Whether the mistake can be made while the kernel runs. "guard(mutex)(&x)" cannot be left out, as
// the lock is held as long as the block lasts.
bool can_be_switched(const Mutant& mutant, std::string_view source);

// `source`, which is built into the kernel, with mutants[n] behind the number n + 1 of the
// parameter called `name`, without those in `without` (indices) and those that cannot be switched.
// The mutants must be of this source, in its order. Lines and line numbers are those of the source.
// What does not compile there, as in a constant, only a compiler can say.
std::string switched(std::string_view source, std::span<const Mutant> mutants,
                     const std::set<size_t>& without, std::string_view name);

}  // namespace zcrxlab
