// StopSignals: SIGINT, SIGTERM, SIGHUP and SIGPIPE as something to be read, while this lives.
//
// SIGPIPE is one of them: whoever has closed our standard output wants no more of it ("| head").
#pragma once

#include <csignal>
#include <optional>

#include "harness/base/fd.hpp"

namespace zcrxlab {

class StopSignals {
  public:
    // Blocks them, and makes them readable. One may live inside another.
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    // Those that came meanwhile were answered by stopping; what an inner one has not taken is left
    // to the outer one.
    ~StopSignals();

    int fd() const { return fd_.get(); }
    // The next one that has come, if any; does not wait.
    std::optional<int> take() const;

  private:
    sigset_t set_{}, before_{};
    mutable bool taken_ = false;
    Fd fd_;
};

// Whether one waits to be taken from a StopSignals that lives in this thread.
bool stop_signal_waits();

}  // namespace zcrxlab
