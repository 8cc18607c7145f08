// The program zcrx-run: "zcrxlab run" without the other commands. A first user waits for the
// compiler, which has a third less to do.
#include <array>

#include "cli/command_line.hpp"
#include "cli/run/row.hpp"

int main(int argc, char** argv) {
    const std::array table{zcrxlab::run_row()};
    return zcrxlab::run_command_line(table, argc, argv);
}
