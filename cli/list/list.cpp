// Asks the scenario program for the list of its scenarios.
#include "cli/list/list.hpp"

#include <utility>
#include <vector>

#include "cli/scenario_program.hpp"

namespace zcrxlab {

int list_command(const ListOptions& options) {
    std::vector<std::string> words{"--list"};
    if (options.json) words.emplace_back("--json");
    if (!options.filter.empty()) words.insert(words.end(), {"--filter", options.filter});
    return become_scenario_program(std::move(words));
}

}  // namespace zcrxlab
