// --examples of "zcrxlab exec" and "zcrxlab conform": receivers to run and to copy, with the
// commands that do so from here.
#pragma once

#include <string>

namespace zcrxlab {

// Prints them; `self` is how this program was called, `command` which of its commands runs them,
// `options` what that is given beside the port, each with a space behind it. kExitUsage if the
// checkout is gone.
int list_examples(const std::string& self, const std::string& command, const std::string& options);

}  // namespace zcrxlab
