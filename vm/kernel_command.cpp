// zcrxlab kernel build: a kernel from source, ready for `run --kernel NAME`.
#include <fmt/format.h>

#include <thread>

#include "vm/commands.hpp"
#include "vm/kernel/cache.hpp"
#include "vm/kernel_build/kernel_build.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// What `zcrxlab coverage` looks at: zero-copy receive, the queues' memory providers, the page pool,
// and the receive paths of the drivers that are at hand.
const std::vector<std::string> kProfiled{
    "io_uring/zcrx.o",
    "net/core/netdev_rx_queue.o",
    "net/core/page_pool.o",
    "drivers/net/ethernet/google/gve/gve_rx_dqo.o",
    "drivers/net/ethernet/google/gve/gve_buffer_mgmt_dqo.o",
};

// The name that the build gets where the person gave none: "7.3-debug", "linux-coverage".
std::string name_of(const KernelBuildOptions& options, const fs::path& source) {
    std::error_code code;
    std::string name = fs::is_directory(options.source, code) ? source.filename().string()
                       : options.source.empty()               ? source.filename().string()
                                                              : options.source;
    if (name.ends_with("-tree")) name.resize(name.size() - 5);
    for (const std::string& fragment : options.fragments)
        if (fragment != "base") name += "-" + fs::path(fragment).stem().string();
    return name;
}

void tell_unmet(const std::vector<UnmetSetting>& unmet) {
    if (unmet.empty()) return;
    fmt::print(stderr,
               "{} of the requested settings did not take (this kernel lacks them, or what they "
               "depend on):\n",
               unmet.size());
    for (const UnmetSetting& setting : unmet)
        fmt::print(stderr, "  CONFIG_{}={}, but it is {}  ({})\n", setting.asked.symbol,
                   setting.asked.value, setting.got, setting.asked.place);
}

}  // namespace

int kernel_build_command(const KernelBuildOptions& options) {
    const Progress progress = progress_for_people();
    const auto cache = Cache::from_environment();
    if (!cache) return fail(cache.error());
    const auto source = find_source_tree(options.source, *cache, progress);
    if (!source) return fail(source.error());

    const std::string name = options.name.empty() ? name_of(options, *source) : options.name;
    KernelBuildPlan plan;
    plan.source = *source;
    plan.output =
        options.output.empty() ? built_folder(*cache, name) : fs::absolute(options.output);
    plan.jobs =
        options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    plan.configure_only = options.configure_only;
    std::vector<std::string> words{"base"};
    for (const std::string& word : options.fragments)
        if (word != "base") words.push_back(word);
    for (const std::string& word : words) {
        const auto fragment = find_fragment(word, ZCRXLAB_SOURCE_DIR);
        if (!fragment) return fail(fragment.error());
        plan.fragments.push_back(*fragment);
        if (word == "coverage") plan.profiled = kProfiled;
    }

    const auto outcome = build_kernel(plan, progress);
    if (!outcome) return fail(outcome.error(), outcome.error().code == EIO ? 1 : kExitUsage);
    tell_unmet(outcome->unmet);
    if (plan.configure_only) {
        fmt::print("{}\n", (plan.output / ".config").string());
        return outcome->unmet.empty() ? 0 : 1;
    }
    fmt::print("{}\n", outcome->image.string());
    fmt::print(stderr, "To use it, type: zcrxlab run --kernel {}\n",
               options.output.empty() ? name : plan.output.string());
    return 0;
}

}  // namespace zcrxlab
