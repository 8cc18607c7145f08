// Turns: which scenario of a run is next.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

class Turns {
  public:
    virtual ~Turns() = default;
    // Somebody else decides, and has to be told of the plan first.
    virtual bool dealt() const = 0;
    // A name of `plan`, or nothing if that was all. `harmed`: the one before neither passed nor was
    // skipped, as far as is known. EPIPE or EPROTO if he who decides cannot be asked.
    virtual Result<std::optional<std::string>> next(const std::vector<std::string>& plan,
                                                    bool harmed) = 0;
};

// All of them, in the order of the plan.
std::unique_ptr<Turns> turns_in_order();
// As the host says, which is asked over the descriptor of the records (kTurn); it stays the
// caller's.
std::unique_ptr<Turns> turns_dealt_over(int fd);

}  // namespace zcrxlab
