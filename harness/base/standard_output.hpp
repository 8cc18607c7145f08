// StandardOutput: standard output and error of a command. That one of them cannot be written ends
// no run, whose results are elsewhere; it is told when the command is over.
#pragma once

namespace zcrxlab {

class StandardOutput {
  public:
    // Takes the place of `stdout`, `stderr` and what std::cout writes to. One in a process, as long
    // as the process.
    StandardOutput();
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

    // Once, when the command is over: what the process is to end with. Writes what is left. Where
    // standard output was not written as a whole, says so on standard error, and a success becomes
    // kExitNotWritten; but a reader that has gone ("| head") has seen what it wanted.
    int finish(int exit_code);
};

}  // namespace zcrxlab
