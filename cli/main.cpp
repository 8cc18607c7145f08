// The program zcrxlab: its commands are the rows of commands.cpp.
#include "cli/command.hpp"
#include "cli/command_line.hpp"

int main(int argc, char** argv) {
    return zcrxlab::run_command_line(zcrxlab::commands(), argc, argv);
}
