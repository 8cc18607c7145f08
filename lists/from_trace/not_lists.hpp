// NotLists: says which scenarios no list can do again, and what each of them does instead.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace zcrxlab {

struct NotAList {
    std::string_view tests;  // as for a filter: "areas.dmabuf*"
    std::string_view why;    // what no action does
};
// In the order of the chapters.
std::span<const NotAList> not_lists();
// The reason for a test; empty: it is made of actions.
std::string_view why_no_list(const std::string& test);

}  // namespace zcrxlab
