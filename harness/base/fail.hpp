// Ends a command that cannot do what was asked: a sentence on standard error, and an exit code.
#pragma once

#include "harness/base/exit_code.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// Prints the error's sentence on standard error, and returns `exit_code`.
int fail(const Error& error, int exit_code);
// The same for what cannot be done as it was asked; EINTR is a signal that asked us to stop.
int fail(const Error& error);

}  // namespace zcrxlab
