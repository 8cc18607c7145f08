// A source that holds all of its mutants at once, each behind a number.
//
// A kernel takes a minute to link for each mistake. Built once from this, it makes the mistake
// whose number is written to a parameter, and none while that is 0. Another parameter has the
// numbers that it came by, so that nobody is asked about a mistake whom it cannot meet.
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

// Below /sys/module/kernel/parameters, of the source called `name`: the number of the mistake that
// is made; and those that were come by since anything was written there last, one bit each in
// hexadecimal digits ("%*pb"), where bit n is number n. A condition that is made to be always or
// never true is come by where that makes a difference.
std::string switch_parameter(std::string_view name);
std::string reached_parameter(std::string_view name);

// `source`, which is built into the kernel, with mutants[n] behind the number n + 1, without those
// in `without` (indices) and those that cannot be switched. The mutants must be of this source, in
// its order; `name` is an identifier. Lines and line numbers are those of the source. What does not
// compile there, as in a constant, only a compiler can say.
std::string switched(std::string_view source, std::span<const Mutant> mutants,
                     const std::set<size_t>& without, std::string_view name);

}  // namespace zcrxlab
