// Noticers: who is asked first about a mistake, by what was noticed before.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "results/coverage/attempts.hpp"

namespace zcrxlab {

class Noticers {
  public:
    // Nothing, if nobody noticed it, or no scenario ran.
    void remember(const Attempt& attempt);
    // A few on that NIC, of those in `reaching` or of all: who noticed mistakes of the same
    // function, the last one first, then who noticed most of the source; of both, those that take
    // long to fail come last. Each of these costs more than all others.
    std::vector<std::string> asked_first(
        const Attempt& attempt, const std::string& nic,
        const std::optional<std::set<std::string>>& reaching) const;

  private:
    struct Failures {
        size_t count = 0;
        double seconds = 0;  // that all of them took together
    };
    using Place = std::pair<std::string, std::string>;  // source, NIC

    bool is_quick(const Place& place, const std::string& test) const;

    // By source, function and NIC; and what of a source each scenario noticed on a NIC.
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> noticed_;
    std::map<Place, std::map<std::string, Failures>> failures_;
};

}  // namespace zcrxlab
