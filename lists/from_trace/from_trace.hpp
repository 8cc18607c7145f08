// FromTrace: makes a list of actions that does again what a trace shows.
//
// A trace says what was registered, connected, sent, armed, received, given back and closed, by
// which thread, and which faults and changes of the NIC there were. How buffers went back becomes a
// policy, and actions where that does not explain it. What a list cannot say is named in its
// comments ("not in here: ..."). The trace of a list gives that list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// The beginning of a comment of such a list.
inline constexpr std::string_view kNotInHere = "not in here: ";

// Of one test. EINVAL for a trace in which nothing was registered.
Result<ActionList> list_from_trace(const std::vector<Event>& events);

// The events of `test` in the text of a trace.jsonl; of its only test, if `test` is empty. EINVAL
// names the tests that there are, or the line that is no event.
Result<std::vector<Event>> events_of_test(const std::string& jsonl, const std::string& test);

}  // namespace zcrxlab
