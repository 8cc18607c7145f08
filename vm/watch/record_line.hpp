// A record of a guest as a line for the person who watches the run.
#pragma once

#include <string>

#include "harness/trace/record.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

// What happened by a kHello or kTestEnded record that `watch` has taken: one line without its end;
// empty for other records, and for those that the watch did not count.
std::string line_of(const Record& record, const Watch& watch);

// The text of a kNotice record, safe for a terminal; empty if it has none.
std::string notice_of(const Record& record);

}  // namespace zcrxlab
