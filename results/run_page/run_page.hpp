// A finished run as one page: each verdict, and of each failure its sentence, its trace and the
// command that repeats it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.hpp"

namespace zcrxlab {

// Of RunSummary::properties: the command that repeats one test, with kAgainTest for its name.
inline constexpr std::string_view kAgain = "again";
inline constexpr std::string_view kAgainTest = "@TEST@";

// Another file that tells of the run.
struct PageLink {
    std::string name;
    std::string address;  // relative to the page
};

// HTML that needs nothing but itself. What came out of guests is text in it, never markup.
std::string run_page(const RunSummary& run, const std::vector<PageLink>& links);

}  // namespace zcrxlab
