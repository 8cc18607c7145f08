// run_program: runs another program to its end, with a bound on its time, and keeps what it said.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct ProgramOptions {
    std::filesystem::path folder;                                  // where it runs; empty: here
    std::vector<std::pair<std::string, std::string>> environment;  // added to ours
    std::optional<std::chrono::milliseconds> timeout;              // none: as long as it takes
    // At most so long without a line that differs from the one before; none: as long as it takes.
    std::optional<std::chrono::milliseconds> silence;
    // A signal that waits for a StopSignals of ours ends it, by SIGTERM, and kills it a second
    // later: EINTR. The signal still waits.
    bool stoppable = false;
    // Each line of output as it comes, without its newline. Returning false ends the program.
    std::function<bool(const std::string& line)> on_line;
};

struct ProgramRun {
    int exit_code = 0;       // 128 + signal if a signal ended it
    bool timed_out = false;  // it was killed because its time was up, or it fell silent
    bool ended = false;      // it was killed because on_line had heard enough
    std::string output;      // standard output and error, as they came, at most 64 MiB
};

// Runs `command` (searched in PATH) with standard input from /dev/null. The program dies with us.
// ENOENT if there is no such program.
Result<ProgramRun> run_program(const std::vector<std::string>& command,
                               const ProgramOptions& options = {});

// Whether `name` is in PATH or, with a slash, is an executable file.
bool program_exists(const std::string& name);

// The last `count` lines of `output`, for an error's sentence.
std::string last_lines(const std::string& output, size_t count);

}  // namespace zcrxlab
