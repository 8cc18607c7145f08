// Testpmd: DPDK's dpdk-testpmd on a terminal of ours, one command after the other.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/child_process.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab::dpdk {

class Testpmd {
  public:
    // Starts `command` and waits for its first prompt, at most `bound`, as for each answer later.
    // EIO with the end of what it said if it dies, ETIMEDOUT if it stays silent.
    static Result<Testpmd> start(const std::vector<std::string>& command,
                                 std::chrono::milliseconds bound);

    // What it says to one command, up to its next prompt, without carriage returns.
    Result<std::string> ask(const std::string& command);
    // The same, but as soon as `enough` holds of what it has said: for a command behind whose
    // prompt more comes.
    Result<std::string> ask_until(const std::string& command,
                                  const std::function<bool(std::string_view)>& enough);
    // What it said before the first prompt.
    const std::string& greeting() const { return greeting_; }
    // Whether it ends by itself, and well.
    Result<void> quit();

  private:
    Testpmd(ChildProcess child, Fd terminal, std::chrono::milliseconds bound)
        : child_(std::move(child)), terminal_(std::move(terminal)), bound_(bound) {}

    Result<std::string> read_until(const std::function<bool(std::string_view)>& enough);
    Result<void> send(const std::string& line);

    ChildProcess child_;
    Fd terminal_;
    std::chrono::milliseconds bound_;
    std::string greeting_;
};

}  // namespace zcrxlab::dpdk
