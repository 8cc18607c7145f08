// Puts ports back to what a journal says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/journal.hpp"

namespace zcrxlab {

struct Restored {
    std::vector<std::string> commands;  // what was done, as a person would have typed it
    // What is not as it was, a line each (I8), and why where a step was refused.
    std::vector<std::string> left;
    bool complete() const { return left.empty(); }
};

// Gives every function back to its driver; takes the peer's port out of its namespace, removes
// that; brings every port's name and settings back, these in the reverse of its driver's order. Can
// be called again, and after a restart of the machine. `each` is told of each command before it is
// done.
Restored restore(const Journal& journal,
                 const std::function<void(const std::string& command)>& each = {});

// The name that a port has now, in this namespace: by its Ethernet address and its place on the
// PCI bus. ENODEV if it is not here.
Result<std::string> name_of_port(const JournalPort& port);

}  // namespace zcrxlab
