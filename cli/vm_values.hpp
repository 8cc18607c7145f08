// What the values of options can be that are about VMs and what runs in them.
#pragma once

#include <string>

#include "cli/values.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

// A version, or a kernel on this machine. Whether there is such a version is found out later: that
// may take the network.
ValueCheck kernel_to_boot();
// From 256M to what this machine has.
ValueCheck memory_of_a_guest();
// A NIC that a VM can have.
ValueCheck nic_of_a_vm();
// One, or some by commas, of those for which `fits`.
ValueCheck nic_that_fits(bool (*fits)(const NicRow&));
ValueCheck nics_that_fit(bool (*fits)(const NicRow&));
// "MODULE.NAME=VALUE".
ValueCheck parameter_of_a_module();
// A list of actions that has some, or a folder with such lists only.
ValueCheck actions_to_run();

// The following read another option's value, which has to be declared before: options are checked
// in the order in which they are declared.

// A rule that `nic` takes.
ValueCheck fault_rule_for(const std::string& nic);
// A mistake that `nic` can make.
ValueCheck mutation_of(const std::string& nic);
// A filter that some scenario matches; where `actions` is not empty, some list there.
ValueCheck filter_of_scenarios();
ValueCheck filter_of_scenarios_or(const std::string& actions);

}  // namespace zcrxlab
