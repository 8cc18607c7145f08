// FromTrace: the list of actions that does again what a trace shows.
//
// A trace says what was registered, connected, sent, armed, received, given back and closed, and
// which faults there were. What it does not say (the size of a CQ, what was called and changed
// nothing) has its default in the list, so that a list may have to be helped by hand.
#pragma once

#include <string>
#include <vector>

#include "harness/actions/list.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// Of one test. EINVAL for a trace in which nothing was registered.
Result<ActionList> list_from_trace(const std::vector<Event>& events);

// The events of `test` in the text of a trace.jsonl; of its only test, if `test` is empty. EINVAL
// names the tests that there are, or the line that is no event.
Result<std::vector<Event>> events_of_test(const std::string& jsonl, const std::string& test);

}  // namespace zcrxlab
