// ExpectedPage: lists of expected tests as a page for people, a table for each list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/acceptance/expected.hpp"

namespace zcrxlab {

struct ExpectedList {
    std::string name;   // of the step of ci/acceptance, and the NIC: "selftests.gve"
    std::string about;  // what its tests are: Markdown
    std::vector<ExpectedTest> tests;
};

// What stands in the first lines of a list that begin with "#", up to an empty one: Markdown.
std::string about_list(std::string_view text);

// docs/acceptance.md: a row for each script, with its tests by outcome, and for those that are not
// ok each reason, how many have it, and whose it is.
std::string expected_page(const std::vector<ExpectedList>& lists);

}  // namespace zcrxlab
