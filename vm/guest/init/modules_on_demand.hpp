// Modules that the kernel or a program asks for while the guest runs.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// From here on what the kernel asks for is loaded with the plan's modprobe from the plan's folder,
// which is shown as /lib/modules/RELEASE; programs find a modprobe. Without a folder it is only
// noted. The guest's root is the final one.
Result<void> offer_modules(const GuestPlan& plan);

// What the kernel has asked for and did not get, each once: names and aliases.
std::vector<std::string> modules_asked_in_vain();

}  // namespace zcrxlab
