// Findings: the violations of one invariant while they are being found.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

class Findings {
  public:
    explicit Findings(Invariant invariant) : invariant_(invariant) {}

    void add(size_t event, std::string sentence) {
        found_.push_back({invariant_, event, std::move(sentence)});
    }
    bool empty() const { return found_.empty(); }

    // Oldest first; what is too much is counted in a last one.
    std::vector<Violation> take() {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Violation& a, const Violation& b) { return a.event < b.event; });
        if (found_.size() > kViolationsSpelledOut) {
            const size_t more = found_.size() - kViolationsSpelledOut;
            const size_t event = found_[kViolationsSpelledOut].event;
            found_.resize(kViolationsSpelledOut);
            add(event, "there are " + std::to_string(more) + " more violations like these");
        }
        return std::move(found_);
    }

  private:
    Invariant invariant_;
    std::vector<Violation> found_;
};

// Calls visit(index, body) for every event of this kind, in order.
template <typename Body, typename Visit>
void each_of(Events events, Visit&& visit) {
    for (size_t i = 0; i < events.size(); ++i)
        if (const Body* body = std::get_if<Body>(&events[i].body)) visit(i, *body);
}

}  // namespace zcrxlab
