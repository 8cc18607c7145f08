// Zygote: a process that is ready to run and holds nothing, of which every child is a copy.
//
// A copy starts in a tenth of the time of a program: nothing is loaded, linked or registered again.
// It inherits no more than a program does, because the zygote is made before anything is opened and
// closes what it was given; it has one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

class Zygote {
  public:
    // Runs in a child: `what` and `inherited` (-1: none) are those of spawn(); the exit code.
    using Work = std::function<int(const std::string& what, int inherited)>;

    // Call while the process has one thread. `prepare` runs once, in the zygote, for what all
    // children would do first. Of its open descriptors the zygote keeps 0, 1 and 2.
    static Result<Zygote> start(Work work, const std::function<void()>& prepare = {});

    Zygote(Zygote&& other) noexcept;
    Zygote& operator=(Zygote&&) = delete;
    // The children go with it.
    ~Zygote();

    // A new child, leader of a process group of its own, which dies with the zygote. Its stdin is
    // empty, its stdout and stderr are `output`; beside these it has `inherited`, under any number.
    // The caller keeps its descriptors. `what` has at most 4000 bytes.
    Result<pid_t> spawn(const std::string& what, int output, int inherited);
    // The wait status of a child, which has ended or is waited for.
    Result<int> reap(pid_t child);

  private:
    Zygote(Fd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

    Fd socket_;
    pid_t pid_;
};

}  // namespace zcrxlab
