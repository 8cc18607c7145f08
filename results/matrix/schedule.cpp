// Decides what to fetch and what to run next.
#include "results/matrix/schedule.hpp"

#include <algorithm>
#include <utility>

namespace zcrxlab {

Schedule::Schedule(std::vector<PlannedRun> runs, unsigned jobs)
    : runs_(std::move(runs)), states_(runs_.size(), State::kNeedsKernel), jobs_(jobs) {}

std::optional<std::string> Schedule::next_fetch() {
    if (count(State::kFetching) > 0 || count(State::kReady) >= jobs_) return {};
    const auto first = std::ranges::find(states_, State::kNeedsKernel);
    if (first == states_.end()) return {};
    const std::string kernel = runs_[static_cast<size_t>(first - states_.begin())].kernel;
    for (size_t i = 0; i < runs_.size(); ++i)
        if (runs_[i].kernel == kernel) states_[i] = State::kFetching;
    return kernel;
}

void Schedule::fetched(const std::string& kernel, bool there) {
    for (size_t i = 0; i < runs_.size(); ++i)
        if (runs_[i].kernel == kernel && states_[i] == State::kFetching)
            states_[i] = there ? State::kReady : State::kOver;
}

std::optional<size_t> Schedule::next_run() {
    if (count(State::kRunning) >= jobs_) return {};
    const auto first = std::ranges::find(states_, State::kReady);
    if (first == states_.end()) return {};
    *first = State::kRunning;
    return static_cast<size_t>(first - states_.begin());
}

void Schedule::ended(size_t run) {
    states_.at(run) = State::kOver;
}

bool Schedule::done() const {
    return left() == 0;
}

size_t Schedule::left() const {
    return runs_.size() - count(State::kOver);
}

size_t Schedule::count(State state) const {
    return static_cast<size_t>(std::ranges::count(states_, state));
}

}  // namespace zcrxlab
