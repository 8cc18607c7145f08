// zcrxlab list, explain, kernels and source.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "vm/commands.hpp"
#include "vm/kernel/kernel.hpp"
#include "vm/kernel/kernel_headers.hpp"
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

namespace {

// Becomes the scenario program; it knows what there is to list and to explain.
int become_scenarios(std::vector<std::string> words) {
    const auto program = own_program("zcrx-scenarios");
    if (!program) return fail(program.error());
    words.insert(words.begin(), program->string());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    return fail(error_from_errno("start " + program->string()));
}

}  // namespace

int list_command(const std::string& filter, bool json) {
    std::vector<std::string> words{"--list"};
    if (json) words.emplace_back("--json");
    if (!filter.empty()) words.insert(words.end(), {"--filter", filter});
    return become_scenarios(std::move(words));
}

int explain_command(const std::string& code, const std::string& operation,
                    const std::string& interface, uint32_t queue) {
    std::vector<std::string> words{"--explain", code};
    if (!operation.empty()) words.insert(words.end(), {"--operation", operation});
    if (!interface.empty())
        words.insert(words.end(), {"--interface", interface, "--queue", std::to_string(queue)});
    return become_scenarios(std::move(words));
}

int source_command(const std::string& what, const std::string& version) {
    const Progress progress = progress_for_people();
    const auto source = what == "liburing"  ? find_liburing_source(progress)
                        : what == "headers" ? find_kernel_headers(version, progress)
                                            : find_kernel_source(version, progress);
    if (!source) return fail(source.error());
    fmt::print("{}\n", source->string());
    return 0;
}

int kernels_command(bool json, const std::string& fetch) {
    if (!fetch.empty()) {
        const auto kernel = find_kernel(fetch, progress_for_people());
        if (!kernel) return fail(kernel.error());
        fmt::print("{} ({}): {}\n", kernel->release, kernel->origin, kernel->image.string());
        return 0;
    }
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
