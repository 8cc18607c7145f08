// Environment: variables that come from the host, and from the program that prepares the guest.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/guest/init/record_port.hpp"

namespace zcrxlab {

using Variables = std::vector<std::pair<std::string, std::string>>;

// "NAME=VALUE" pieces with `end` behind each; pieces of another form are left out.
Variables parse_variables(std::string_view text, char end);

// The kEnvironment record; other records before it are lost. Nothing if there is none in time: a
// guest that was started by hand has nobody to send it.
Result<Variables> wait_for_environment(RecordPort& port, int milliseconds);

// Runs a program to its end: the lines NAME=VALUE of its output. EIO with all of its output if it
// fails.
Result<Variables> run_preparation(const std::vector<std::string>& command,
                                  const std::vector<std::string>& environment);

}  // namespace zcrxlab
