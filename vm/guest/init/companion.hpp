// Companion: a program of ours that runs beside the program of a round, and has begun before it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// What it begins its first line with once it does what it is for.
inline constexpr const char* kReadyWord = "ready";

class Companion {
  public:
    // Starts it as root, and waits until it is ready; an Error has what it said instead.
    // Nothing at all for no arguments.
    static Result<Companion> start(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment);
    Companion(Companion&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
    Companion& operator=(Companion&&) = delete;
    Companion(const Companion&) = delete;
    Companion& operator=(const Companion&) = delete;
    // Kills it, and waits for its end.
    ~Companion();

  private:
    explicit Companion(pid_t pid) : pid_(pid) {}
    pid_t pid_;
};

}  // namespace zcrxlab
