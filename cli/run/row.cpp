// The row of "zcrxlab run".
#include "cli/run/row.hpp"

#include "cli/run/run.hpp"

namespace zcrxlab {

Command run_row() {
    return {"run", "boots a VM, runs scenarios in it, and reports", add_run_options, run_manual,
            run_command};
}

}  // namespace zcrxlab
