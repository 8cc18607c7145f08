// The scenario program of this machine, for commands that only ask what it knows.
#pragma once

#include <string>
#include <vector>

namespace zcrxlab {

// Replaces this process by zcrx-scenarios with these arguments. Returns an exit code only if it
// could not be started; the reason is printed.
int become_scenario_program(std::vector<std::string> arguments);

}  // namespace zcrxlab
