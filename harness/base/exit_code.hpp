// Exit codes of our programs, and of programs as a shell has them; docs/ci.md says when each comes.
#pragma once

namespace zcrxlab {

// Everything that was asked for was done, and nothing was found wrong.
inline constexpr int kExitPassed = 0;
// A test failed, or what was looked for was found.
inline constexpr int kExitFailed = 1;
// "exec": the program exited with 0, but zero-copy receive did not do what --expect said.
inline constexpr int kExitNotAsExpected = 3;
// Nothing failed, and nothing ran: every test was skipped or blocked.
inline constexpr int kExitSkipped = 4;
// EX_USAGE of sysexits.h: the command line, or this machine, is not fit for what was asked.
inline constexpr int kExitUsage = 64;
// EX_IOERR of sysexits.h: nothing was found wrong, but results or standard output could not be
// written as a whole, as on a full disk.
inline constexpr int kExitNotWritten = 74;
// Of a reproducer in C: this kernel or machine cannot show it (automake's code for a skip).
inline constexpr int kExitReproSkipped = 77;
// The run took longer than it was given, as timeout(1) has it.
inline constexpr int kExitTimeout = 124;
// The program is there, but cannot be executed; as a shell has it.
inline constexpr int kExitNotExecutable = 126;
// There is no such program; as a shell has it. Also of a child that could not be started.
inline constexpr int kExitNotFound = 127;
// After Ctrl-C, as a shell has it for SIGINT.
inline constexpr int kExitInterrupted = 130;
// The guest panicked or was lost; the other machine of a lab was lost.
inline constexpr int kExitLost = 255;

// What a command ends with that would have ended with `exit_code`, but could not write all of its
// results.
constexpr int exit_code_of_unwritten(int exit_code) {
    return exit_code == kExitPassed || exit_code == kExitSkipped ? kExitNotWritten : exit_code;
}

}  // namespace zcrxlab
