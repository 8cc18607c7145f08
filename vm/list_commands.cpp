// zcrxlab list, zcrxlab kernels and zcrxlab source.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "vm/commands.hpp"
#include "vm/kernel/kernel.hpp"
#include "vm/kernel/kernel_source.hpp"
#include "vm/kernel/liburing_source.hpp"
#include "vm/programs.hpp"

namespace zcrxlab {

int fail(const Error& error, int exit_code) {
    std::fflush(stdout);
    fmt::print(stderr, "zcrxlab: {}\n", error.sentence);
    return exit_code;
}

Progress progress_for_people() {
    return [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

int list_command(const std::string& filter, bool json) {
    const auto program = own_program("zcrx-scenarios");
    if (!program) return fail(program.error());
    std::vector<std::string> words{program->string(), "--list"};
    if (json) words.emplace_back("--json");
    if (!filter.empty()) words.insert(words.end(), {"--filter", filter});
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    return fail(error_from_errno("start " + program->string()));
}

int source_command(const std::string& what) {
    const Progress progress = progress_for_people();
    const auto source =
        what == "liburing" ? find_liburing_source(progress) : find_kernel_source("", progress);
    if (!source) return fail(source.error());
    fmt::print("{}\n", source->string());
    return 0;
}

int kernels_command(bool json) {
    const auto kernels = list_kernels(progress_for_people());
    if (!kernels) return fail(kernels.error());
    if (json) {
        nlohmann::json list = nlohmann::json::array();
        for (const KernelChoice& kernel : *kernels)
            list.push_back({{"version", kernel.version},
                            {"flavour", kernel.flavour},
                            {"suite", kernel.suite},
                            {"cached", kernel.cached},
                            {"default", kernel.standard}});
        fmt::print("{}\n", list.dump(2));
        return 0;
    }
    fmt::print("{:<20} {:<14} {:<20} {}\n", "--kernel", "flavour", "from", "");
    for (const KernelChoice& kernel : *kernels)
        fmt::print("{:<20} {:<14} {:<20} {}{}\n", kernel.version, kernel.flavour, kernel.suite,
                   kernel.cached ? "cached" : "", kernel.standard ? " (default)" : "");
    return 0;
}

}  // namespace zcrxlab
