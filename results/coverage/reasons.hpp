// Reasons: why a function of the kernel is not wholly run, one sentence each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/coverage/coverage.hpp"

namespace zcrxlab {

// By source and function.
using Reasons = std::map<std::pair<std::string, std::string>, std::string>;

// kernel-config/coverage.unreached: "io_uring/zcrx.c function: sentence" on each line; a line that
// starts with a space goes on with the one above; # at the start of a line is a comment. EINVAL
// names the line that is none, or that gives a second reason.
Result<Reasons> parse_reasons(std::string_view text);

// Where reasons and counts do not fit, a sentence each: a reason for a function of which every line
// was run, or that is not there; a function without a reason of which some line was not.
std::vector<std::string> misfits(const Reasons& reasons, const Coverage& coverage);

}  // namespace zcrxlab
