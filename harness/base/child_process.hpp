// ChildProcess: sole owner of a process that must not outlive us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

struct ChildOptions {
    std::vector<std::string> arguments;  // the program first; looked up in PATH
    // File descriptors that the child gets as its standard streams; -1 is /dev/null.
    int input = -1;
    int output = -1;
    int error = -1;
    // One more descriptor, which the child sees under this number; -1: none.
    int extra = -1;
    int extra_as = 3;
    // In its own process group it gets no Ctrl-C of our terminal, and can be killed with all its
    // children; a program that uses the terminal has to stay in ours.
    bool own_group = true;
};

class ChildProcess {
  public:
    // The child dies with us, however we die (PR_SET_PDEATHSIG). ENOENT if the program cannot be
    // started.
    static Result<ChildProcess> start(const ChildOptions& options);

    ChildProcess(ChildProcess&&) noexcept = default;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    // Kills it, with its process group, and collects it.
    ~ChildProcess();

    pid_t pid() const { return pid_; }
    // Readable once it has ended.
    int pidfd() const { return pidfd_.get(); }
    // Its wait status once it has ended.
    std::optional<int> status();
    // What it and those of its children that it waited for have used, user and system, once
    // status() has told of its end; 0 before.
    double cpu_seconds() const { return cpu_seconds_; }
    void signal(int number);
    // Waits for the end; false if it is not there in time.
    bool wait(std::chrono::milliseconds bound);
    void kill_and_collect();

  private:
    ChildProcess(pid_t pid, Fd pidfd, bool own_group)
        : pid_(pid), pidfd_(std::move(pidfd)), own_group_(own_group) {}

    pid_t pid_ = -1;
    Fd pidfd_;
    bool own_group_ = true;
    std::optional<int> status_;
    double cpu_seconds_ = 0;
};

// "exited with code 1", "was killed by signal 9 (Killed)".
std::string describe_status(int status);

}  // namespace zcrxlab
