// Launch: how guest init starts programs, as whom and connected to what, and how it collects them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// What a program is started with.
struct Launch {
    std::vector<std::string> arguments;    // the program first, looked for in PATH of:
    std::vector<std::string> environment;  // "NAME=value"
    // Its standard streams; -1: what init has itself, the console.
    int input = -1, output = -1, error = -1;
    // Its controlling terminal and all three streams, if not -1.
    int terminal = -1;
    bool console = false;  // the console becomes its controlling terminal
    std::string folder;    // working directory, if not empty
    // Who it is. Anybody but root keeps CAP_NET_ADMIN, which zero-copy receive asks for.
    std::optional<GuestUser> user;
    std::string netns;  // path of the network namespace, if not empty
    // It and its children get -EINVAL for IORING_REGISTER_ZCRX_IFQ.
    bool old_kernel = false;
};

// The process id. An Error says which step failed, the last one of which is execve().
Result<pid_t> start_program(const Launch& launch);

// What became of a process.
struct Ended {
    pid_t pid = -1;
    int status = 0;  // of wait()
    // As a shell says it: 128 + signal.
    int code() const;
};
// The next one that is dead, ours or left to us; nothing if there is none.
std::optional<Ended> reap();

// A terminal: what is written to the one end is typed at the other.
struct Terminal {
    Fd ours, program;
};
Result<Terminal> open_terminal(const std::optional<GuestUser>& owner);
// "ROWS COLUMNS"; anything else is ignored.
void set_window(const Fd& terminal, const std::string& size);

// The name of the process that the text of a /proc/PID/stat is about; nothing if that is a kernel
// thread, is dead, or the text has another form. (A command line, which neither has, is empty for a
// moment in execve, too.)
std::optional<std::string> user_process_in(std::string_view stat);
// Processes that are no kernel threads and not init, as "NAME (PID)".
std::vector<std::string> user_processes();

}  // namespace zcrxlab
