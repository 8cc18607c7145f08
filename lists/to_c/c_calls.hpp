// CCalls: writes the lines of C for a list. Most of them call functions of parts/.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

struct CCalls {
    std::set<std::string> parts;  // of parts/, beside those that every file has
    std::string before_main;      // functions of threads, fields that are written over
    std::string main;             // the body
};

// `parts` is the text of parts/, whose names no variable may have. EINVAL names an action that no C
// file can do alone.
Result<CCalls> c_calls_for(const ActionList& list, const std::string& parts);

}  // namespace zcrxlab
