// Starts the scenario program in place of this one.
#include "cli/scenario_program.hpp"

#include <unistd.h>

#include "harness/base/fail.hpp"
#include "vm/programs.hpp"

namespace zcrxlab {

int become_scenario_program(std::vector<std::string> arguments) {
    const auto program = own_program("zcrx-scenarios");
    if (!program) return fail(program.error());
    arguments.insert(arguments.begin(), program->string());
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(words[0], words.data());
    return fail(error_from_errno("start " + program->string()));
}

}  // namespace zcrxlab
