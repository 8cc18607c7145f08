// Reads events from JSON that is already parsed, for callers that read more of a line than its
// event.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// As event_from_json() of trace.hpp; members that no event has are left alone. A discarded value is
// EINVAL.
Result<Event> event_from_json(const nlohmann::json& object);

}  // namespace zcrxlab
