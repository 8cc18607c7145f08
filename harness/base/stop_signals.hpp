// StopSignals: SIGINT, SIGTERM and SIGHUP as something to be read, while this lives.
#pragma once

#include <csignal>
#include <optional>

#include "harness/base/fd.hpp"

namespace zcrxlab {

class StopSignals {
  public:
    // Blocks them, and makes them readable.
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    // Those that came meanwhile were answered by stopping.
    ~StopSignals();

    int fd() const { return fd_.get(); }
    // The next one that has come, if any; does not wait.
    std::optional<int> take() const;

  private:
    sigset_t set_{}, before_{};
    Fd fd_;
};

}  // namespace zcrxlab
