// Words: what a failure says to people who know the kernel and nothing of this program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lists/bundle/failure.hpp"

namespace zcrxlab {

// What the failure is, for a mail's subject or a file's first line: a few words without a full
// stop.
std::string title_of(const Failure& failure);

// "7.2.12: bad: BUG: ..." for each kernel on which the form was tried; empty: it was not.
std::vector<std::string> seen_of(const Failure& failure, std::string_view form);

}  // namespace zcrxlab
