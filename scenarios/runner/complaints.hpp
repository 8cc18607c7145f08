// Complaints: what the oracle says of a trace, as facts.
#pragma once

#include <span>

#include "harness/oracle/oracle.hpp"
#include "scenarios/framework/facts.hpp"

namespace zcrxlab {

// Those of the event at which the violation shows; ComplaintKind::kOther where no rule about known
// issues needs them.
ComplaintFacts facts_of(const Violation& violation, std::span<const Event> events);

}  // namespace zcrxlab
