// The program zcrx-run: "zcrxlab run" without the other commands. A first user waits for the
// compiler, which has a third less to do.
#include <array>

#include "cli/command_line.hpp"
#include "cli/run/row.hpp"
#include "harness/base/standard_output.hpp"

int main(int argc, char** argv) {
    const std::array table{zcrxlab::run_row()};
    zcrxlab::StandardOutput output;
    return output.finish(zcrxlab::run_command_line(table, argc, argv));
}
