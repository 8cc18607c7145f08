// CCalls: each action of a list as a call of parts/.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/actions/list.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

struct CCalls {
    std::set<std::string> parts;  // of parts/, beside those that every file has
    std::string before_main;      // functions of threads, fields that are written over
    std::string main;             // the body
};

// Why no C file can have an action of this verb, as the end of a sentence; empty: it can. A C file
// has only what the kernel offers to every program.
std::string_view why_not_in_c(Verb verb);

// `parts` is the text of parts/, whose names no variable may have. EINVAL names an action that has
// no such call.
Result<CCalls> c_calls_for(const ActionList& list, const std::string& parts);

}  // namespace zcrxlab
