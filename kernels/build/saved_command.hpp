// The command that the kernel's makefiles made an object with, as they leave it beside the object.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Of the text of "io_uring/.zcrx.o.cmd" and "io_uring/zcrx.o": the command, for a shell in the
// build folder, with `into` in the place of the object (scripts/Kbuild.include, savedcmd). EINVAL
// if there is none, or if it holds a variable of make that is not known.
Result<std::string> saved_command(std::string_view text, std::string_view object,
                                  std::string_view into);

}  // namespace zcrxlab
