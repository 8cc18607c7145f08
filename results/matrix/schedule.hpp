// Schedule: what to fetch and what to run next, as a function of what has happened so far.
//
// It starts nothing and waits for nothing: whoever does so asks, and tells what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/matrix/plan.hpp"

namespace zcrxlab {

class Schedule {
  public:
    // `jobs` runs side by side at most, from 1 on.
    Schedule(std::vector<PlannedRun> runs, unsigned jobs);

    // The kernel to fetch now: one at a time, and only if fewer than `jobs` runs lie ready. Asking
    // means that it is being fetched from now on.
    std::optional<std::string> next_fetch();
    // It is there. Without it, its runs are left out.
    void fetched(const std::string& kernel, bool there);

    // The run to start now, an index into runs(). Asking means that it runs from now on.
    std::optional<size_t> next_run();
    void ended(size_t run);

    const std::vector<PlannedRun>& runs() const { return runs_; }
    // Nothing runs, is fetched, or is left.
    bool done() const;
    size_t left() const;  // runs that have not ended

  private:
    enum class State { kNeedsKernel, kFetching, kReady, kRunning, kOver };
    size_t count(State state) const;

    std::vector<PlannedRun> runs_;
    std::vector<State> states_;
    unsigned jobs_;
};

}  // namespace zcrxlab
