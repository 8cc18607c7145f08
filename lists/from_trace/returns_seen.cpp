// ReturnsSeen: tries each policy on the trace, and takes the one that explains most returns.
#include "lists/from_trace/returns_seen.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

namespace zcrxlab {

namespace {

struct Policy {
    std::string name;
    uint32_t hold = 0;
};

// What one event of the ifq is to its buffers.
struct Step {
    enum class Kind { kData, kNoBuffer, kReturn } kind;
    uint64_t offset = 0;
    size_t event = 0;
};

std::vector<Step> steps_of(const std::vector<Event>& events, uint32_t ifq,
                           const std::set<uint32_t>& without) {
    std::vector<Step> steps;
    for (size_t i = 0; i < events.size(); ++i) {
        if (const auto* cqe = std::get_if<CqeSeen>(&events[i].body)) {
            if (cqe->ifq != ifq || without.contains(cqe->stream)) continue;
            if (cqe->result > 0) steps.push_back({Step::Kind::kData, cqe->offset, i});
            if (cqe->result == -ENOMEM) steps.push_back({Step::Kind::kNoBuffer, 0, i});
        } else if (const auto* back = std::get_if<BufferReturned>(&events[i].body)) {
            if (back->ifq == ifq && !back->on_purpose)
                steps.push_back({Step::Kind::kReturn, back->offset, i});
        }
    }
    return steps;
}

// What the receiving loop would have done with this policy, beside what was done.
class Trial {
  public:
    explicit Trial(const Policy& policy) : policy_(policy) {
        seen_.policy = policy.name;
        seen_.hold = policy.hold;
    }

    ReturnsSeen run(const std::vector<Step>& steps) {
        bool returning = false;
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::kReturn) {
                take_return(step);
                returning = true;
                continue;
            }
            // The loop gives back all that is due before it reads on.
            if (std::exchange(returning, false) && !due_.empty()) ++seen_.unexplained;
            run_ = nullptr;
            if (step.kind == Step::Kind::kData) held_.push_back(step.offset);
            due_after(step.kind == Step::Kind::kNoBuffer);
        }
        // Whoever stopped it there did not let the loop give back what it had just read.
        seen_.cut_off = !due_.empty();
        return std::move(seen_);
    }

  private:
    void due_after(bool no_buffer) {
        const auto move_oldest = [this] {
            due_.push_back(held_.front());
            held_.pop_front();
        };
        if (policy_.name == "at_once" || (no_buffer && policy_.name == "hold")) {
            while (!held_.empty()) move_oldest();
        } else if (policy_.name == "hold") {
            while (held_.size() > policy_.hold) move_oldest();
        } else if (policy_.name == "reverse" && (no_buffer || held_.size() >= policy_.hold)) {
            due_.insert(due_.end(), held_.rbegin(), held_.rend());
            held_.clear();
        }
    }

    void take_return(const Step& step) {
        if (const auto found = std::ranges::find(due_, step.offset); found != due_.end()) {
            if (found != due_.begin()) ++seen_.unexplained;
            due_.erase(found);
            return;
        }
        const auto found = std::ranges::find(held_, step.offset);
        if (found == held_.end()) return;  // of a stream that is left out
        const bool oldest = found == held_.begin();
        const bool newest = found + 1 == held_.end();
        if (!oldest && !newest) ++seen_.unexplained;
        held_.erase(found);
        // A single buffer can be either.
        const bool goes_on = run_ != nullptr && (run_->newest ? newest : oldest);
        if (!goes_on) {
            run_ = &seen_.runs[step.event];
            run_->newest = newest && !oldest;
        }
        ++run_->count;
        run_->all = held_.empty();
    }

    Policy policy_;
    ReturnsSeen seen_;
    std::deque<uint64_t> held_, due_;
    ReturnsSeen::Run* run_ = nullptr;
};

// The numbers of held buffers at which returns began, by how often.
uint32_t most_common(const std::map<uint32_t, size_t>& counts) {
    const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
    return most == counts.end() ? 0 : most->first;
}

std::vector<Policy> policies_for(const std::vector<Step>& steps) {
    // Held before the first and behind the last return of those that follow a CQE.
    std::map<uint32_t, size_t> before, after;
    uint32_t held = 0;
    auto last = Step::Kind::kNoBuffer;
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::kReturn) {
            if (last == Step::Kind::kData) ++before[held];
            held -= held > 0 ? 1 : 0;
        } else if (step.kind == Step::Kind::kData) {
            if (last == Step::Kind::kReturn) ++after[held];
            ++held;
        }
        last = step.kind;
    }
    std::vector<Policy> policies = {{"at_once"}, {"never"}};
    if (const uint32_t hold = most_common(after); hold > 0) policies.push_back({"hold", hold});
    if (const uint32_t hold = most_common(before); hold > 1) policies.push_back({"reverse", hold});
    return policies;
}

}  // namespace

ReturnsSeen returns_seen(const std::vector<Event>& events, uint32_t ifq,
                         const std::set<uint32_t>& without) {
    const std::vector<Step> steps = steps_of(events, ifq, without);
    ReturnsSeen best;
    size_t least = SIZE_MAX;
    for (const Policy& policy : policies_for(steps)) {
        ReturnsSeen seen = Trial(policy).run(steps);
        const size_t cost = seen.runs.size() + 2 * seen.unexplained + (seen.cut_off ? 1 : 0);
        if (cost >= least) continue;
        least = cost;
        best = std::move(seen);
    }
    return best;
}

}  // namespace zcrxlab
