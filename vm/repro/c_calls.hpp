// CCalls: each action of a list as a call of parts/.
#pragma once

#include <set>
#include <string>

#include "harness/actions/list.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

struct CCalls {
    std::set<std::string> parts;  // of parts/, beside those that every file has
    std::string before_main;      // functions of threads, fields that are written over
    std::string main;             // the body
};

// `parts` is the text of parts/, whose names no variable may have. EINVAL names an action that has
// no such call.
Result<CCalls> c_calls_for(const ActionList& list, const std::string& parts);

}  // namespace zcrxlab
