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
    // function, the last one first, then who noticed most of the source.
    std::vector<std::string> asked_first(
        const Attempt& attempt, const std::string& nic,
        const std::optional<std::set<std::string>>& reaching) const;

  private:
    // By source, function and NIC; and how many mistakes of a source each scenario noticed on a
    // NIC.
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> noticed_;
    std::map<std::pair<std::string, std::string>, std::map<std::string, size_t>> times_;
};

}  // namespace zcrxlab
