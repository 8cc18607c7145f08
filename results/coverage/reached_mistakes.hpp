// ReachedMistakes: which scenarios come by which mistakes, of a kernel that has all of them to
// switch on.
//
// Who does not come by a mistake cannot notice it, so only the others need be asked. What the
// kernel does behind the end of a scenario counts for the next one of its VM.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

class ReachedMistakes {
  public:
    // Adds a line of profile.jsonl, as a guest sent it; counts of gcov are passed over. EPROTO if
    // it is no line of that, or if the bits of a parameter are none.
    Result<void> add(std::string_view line);

    // Whether the run told anything of `parameter`.
    bool tells_of(const std::string& parameter) const { return tests_.contains(parameter); }

    // The scenarios that came by number `number` of `parameter` (kernels/mutations/switched.hpp).
    // Nothing where all may be concerned: only what looks for features before the first scenario
    // came by it, or the run told nothing of that parameter.
    std::optional<std::set<std::string>> tests_at(const std::string& parameter,
                                                  size_t number) const;

  private:
    // Of each parameter and number; "" is before the first scenario.
    std::map<std::string, std::map<size_t, std::set<std::string>>> tests_;
};

}  // namespace zcrxlab
