// The programs that the kernel's makefiles call, looked for before a build begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// What every kernel needs, whatever its configuration (Documentation/process/changes.rst).
std::vector<std::string_view> kernel_build_tools();

// ENOENT with the names of those that are in no folder of `path` ("/usr/bin:/bin"), and with the
// command that installs them.
Result<void> check_build_tools(const std::vector<std::string_view>& tools, std::string_view path);

}  // namespace zcrxlab
