// The program zcrxlab: its commands are the rows of commands.cpp.
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "harness/base/standard_output.hpp"

int main(int argc, char** argv) {
    zcrxlab::StandardOutput output;
    return output.finish(zcrxlab::run_command_line(zcrxlab::commands(), argc, argv));
}
