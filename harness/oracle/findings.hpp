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

    void add(size_t event, std::string sentence) { add(event, std::move(sentence), About()); }
    void add(size_t event, std::string sentence, const About& about) {
        found_.push_back({invariant_, event, std::move(sentence), about});
    }
    bool empty() const { return found_.empty(); }

    // Oldest first; what is too much is counted in a last one.
    std::vector<Violation> take() {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Violation& a, const Violation& b) { return a.event < b.event; });
        if (found_.size() > kViolationsSpelledOut) {
            const auto first = found_.begin() + kViolationsSpelledOut;
            const auto more = static_cast<size_t>(found_.end() - first);
            // Of all of these, or of none: a last one must not hide what another one is about.
            const bool alike = std::all_of(first, found_.end(), [first](const Violation& v) {
                return std::holds_alternative<RaceTold>(v.about)
                           ? v.about == first->about
                           : v.about.index() == first->about.index();
            });
            const size_t event = first->event;
            const About about = alike ? first->about : About();
            found_.resize(kViolationsSpelledOut);
            add(event, "there are " + std::to_string(more) + " more violations like these", about);
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
