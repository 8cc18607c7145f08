// Passthrough: two functions of this machine on their way to a guest, from looking to giving back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/driver_binding.hpp"
#include "harness/lab/journal.hpp"
#include "vm/passthrough/facts.hpp"

namespace zcrxlab {

// What is done to take the two, in order: first the driver that passes functions on, if it is not
// loaded; then each function to it, the peer last.
struct PassthroughPlan {
    std::vector<std::string> modules;  // to be loaded
    std::vector<SysfsWrite> writes;

    // As a person would type it.
    std::vector<std::string> commands() const;
};
PassthroughPlan plan_for(const PassthroughFacts& facts);

class Passthrough {
  public:
    // Reads everything, changes nothing. Errors as of passthrough_in_tree().
    static Result<Passthrough> look(const PassthroughOrder& order);

    const PassthroughFacts& facts() const { return facts_; }
    // Lines for people: what the two are.
    std::vector<std::string> description() const;
    // Why they must not or cannot be taken; empty if they can.
    std::vector<std::string> refusals() const;
    PassthroughPlan plan() const { return plan_for(facts_); }
    // The driver that the guest needs for the function under test; empty if it has none here.
    const std::string& driver() const { return facts_.nic.driver; }

    Journal journal() const;

    // Does the plan; `each` is told of each command before, and an error of it ends that. On an
    // error, what was done has to be undone by restore().
    Result<void> take(const std::function<Result<void>(const std::string& command)>& each) const;

  private:
    Passthrough() = default;

    PassthroughFacts facts_;
    std::vector<JournalPort> ports_;
    std::vector<std::string> refusals_;
};

}  // namespace zcrxlab
