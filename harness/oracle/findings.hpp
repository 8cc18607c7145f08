// Findings: the violations of one invariant while they are being found.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
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

    // Oldest first. Of those that are alike, what is too much is counted in one more, which is
    // about what they are about: nothing is counted with what another thing is about.
    std::vector<Violation> take() {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Violation& a, const Violation& b) { return a.event < b.event; });
        struct Rest {
            size_t spelled_out = 0, more = 0;
            Violation first{};
        };
        std::map<std::string, Rest> kinds;
        std::vector<Violation> taken;
        for (Violation& violation : found_) {
            Rest& rest = kinds[kind_of(violation)];
            if (rest.spelled_out < kViolationsSpelledOut) {
                ++rest.spelled_out;
                taken.push_back(std::move(violation));
            } else if (++rest.more == 1) {
                rest.first = std::move(violation);
            }
        }
        for (auto& [kind, rest] : kinds) {
            if (rest.more == 0) continue;
            rest.first.sentence =
                "there are " + std::to_string(rest.more) + " more violations like these";
            taken.push_back(std::move(rest.first));
        }
        found_.clear();
        return taken;
    }

  private:
    // What it is about, and its sentence without numbers.
    static std::string kind_of(const Violation& violation) {
        std::string kind = std::to_string(violation.about.index()) + " ";
        if (const auto* race = std::get_if<RaceTold>(&violation.about)) return kind + race->subject;
        if (!std::holds_alternative<std::monostate>(violation.about)) return kind;
        bool in_hex = false;
        for (const char c : violation.sentence) {
            in_hex = (in_hex && std::isxdigit(static_cast<unsigned char>(c)) != 0) ||
                     (c == 'x' && kind.ends_with('0'));
            const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
            // One digit stands for a number.
            if (!in_hex && !is_digit) kind += c;
            if (!in_hex && is_digit && !kind.ends_with('0')) kind += '0';
        }
        return kind;
    }

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
