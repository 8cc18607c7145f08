// "zcrxlab exec --examples": receivers to run and to copy, with the commands that do so from here.
#pragma once

#include <string>

namespace zcrxlab {

// Prints them; `self` is how this program was called. kExitUsage if the checkout is gone.
int list_examples(const std::string& self);

}  // namespace zcrxlab
