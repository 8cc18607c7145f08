// Scope: the sources, and the functions of them, that coverage is about.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/coverage/coverage.hpp"

namespace zcrxlab {

// The functions of each source, by its path in the kernel tree; none: all of them.
using Scope = std::map<std::string, std::set<std::string>>;

// kernel-config/coverage.scope: a source and its functions on each line, separated by spaces; a
// line that starts with a space goes on with the one above; # starts a comment. EINVAL names the
// line that has no place.
Result<Scope> parse_scope(std::string_view text);

// What has to be counted for it: "io_uring/zcrx.o".
std::vector<std::string> objects_of(const Scope& scope);

// By path in the kernel tree.
using Sources = std::map<std::string, std::string>;

// What of `coverage` is in scope, its lines given to the functions that they stand in. Sources that
// are not at hand keep the functions that gcov names. ENOENT if the scope names a function that its
// source does not have.
Result<Coverage> within(const Scope& scope, const Coverage& coverage, const Sources& sources);

}  // namespace zcrxlab
