// Asks the scenario program what an errno can mean.
#include "cli/explain/explain.hpp"

#include <utility>
#include <vector>

#include "cli/scenario_program.hpp"

namespace zcrxlab {

int explain_command(const ExplainOptions& options) {
    std::vector<std::string> words{"--explain", options.code};
    if (!options.operation.empty()) words.insert(words.end(), {"--operation", options.operation});
    if (!options.interface.empty())
        words.insert(words.end(),
                     {"--interface", options.interface, "--queue", std::to_string(options.queue)});
    return become_scenario_program(std::move(words));
}

}  // namespace zcrxlab
