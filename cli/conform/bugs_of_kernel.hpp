// Which of the fixed bugs stop streams on a kernel, for the judge of a receiver.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/bugs/fixed_bug.hpp"
#include "results/conform/stalling_bugs.hpp"

namespace zcrxlab {

// Those of `bugs` (which outlive the result) that stop streams, and that the kernel called
// `release` (as uname -r says) has with a NIC of this driver. None where the release does not tell
// what it is made of.
std::vector<StallingBug> stalling_bugs(std::span<const FixedBug> bugs, std::string_view release,
                                       std::string_view driver);

}  // namespace zcrxlab
