// The row of "zcrxlab run", which stands in the table of zcrxlab and alone in that of zcrx-run.
#pragma once

#include "cli/command.hpp"

namespace zcrxlab {

Command run_row();

}  // namespace zcrxlab
