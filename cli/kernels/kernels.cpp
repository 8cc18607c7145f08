// Prints the kernels that can be had as a table or as JSON, or fetches one.
#include "cli/kernels/kernels.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

int kernels_command(const KernelsOptions& options) {
    if (!options.fetch.empty()) {
        const auto kernel = find_kernel(options.fetch, progress_for_people());
        if (!kernel) return fail(kernel.error());
        fmt::print("{} ({}): {}\n", kernel->release, kernel->origin, kernel->image.string());
        return 0;
    }
    const auto kernels = list_kernels(progress_for_people());
    if (!kernels) return fail(kernels.error());
    if (options.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const KernelChoice& kernel : *kernels)
            list.push_back({{"version", kernel.version},
                            {"flavour", kernel.flavour},
                            {"suite", kernel.suite},
                            {"cached", kernel.cached},
                            {"unlisted_modules", kernel.unlisted},
                            {"default", kernel.standard}});
        fmt::print("{}\n", list.dump(2));
        return 0;
    }
    fmt::print("{:<20} {:<14} {:<20} {}\n", "--kernel", "flavour", "from", "");
    for (const KernelChoice& kernel : *kernels)
        fmt::print("{:<20} {:<14} {:<20} {}{}{}\n", kernel.version, kernel.flavour, kernel.suite,
                   kernel.cached ? "cached" : "", kernel.standard ? " (default)" : "",
                   kernel.unlisted ? " checks its modules itself" : "");
    return 0;
}

}  // namespace zcrxlab
