// The guard: why a port must not be taken. A run changes, resets and floods it; whatever the
// machine or anybody else needs of it would be lost.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/driver_table.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/settings.hpp"

namespace zcrxlab {

// A sentence for each reason, with what to do about it; empty if nobody needs the port. `ours` are
// all ports of the run.
std::vector<std::string> why_not_to_take(const PortFacts& port, const MachineFacts& machine,
                                         const std::vector<std::string>& ours);

// Why the port under test cannot be tested, whoever needs it: a driver or a kind of function that
// zero-copy receive does not go with.
std::vector<std::string> why_not_testable(const PortFacts& port, const DriverRow& driver);

// Why nothing will be received by zero copy on a port whose driver zcrxlab does not know, as far as
// the driver tells; empty where it may work. No reason to refuse: that is what a run would show.
std::string why_no_zero_copy(const PortFacts& port, const NicSettings& settings,
                             const DriverRow& driver);

}  // namespace zcrxlab
