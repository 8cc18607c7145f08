// Configures and builds a kernel, and says which settings did not take.
#include "cli/kernel/kernel.hpp"

#include <fmt/format.h>

#include <thread>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/file.hpp"
#include "harness/base/progress.hpp"
#include "kernels/build/kernel_build.hpp"
#include "kernels/build/patched_tree.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/version.hpp"
#include "results/coverage/scope.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kScopeLimit = size_t{1} << 20;

// What has to be counted for `zcrxlab coverage`.
Result<std::vector<std::string>> profiled_objects() {
    const auto text =
        read_file(fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config/coverage.scope", kScopeLimit);
    if (!text) return text.error();
    const auto scope = parse_scope(*text);
    if (!scope) return scope.error();
    return objects_of(*scope);
}

// The name that the build gets where the person gave none: "7.3-debug", "linux-base".
std::string name_of(const KernelBuildOptions& options, const fs::path& source) {
    std::string name = source.filename().string();
    // Where the cache keeps a series.
    if (constexpr std::string_view kTree = "-tree"; name.ends_with(kTree))
        name.resize(name.size() - kTree.size());
    std::string fragments;
    for (const std::string& fragment : options.fragments)
        if (fragment != "base") fragments += "-" + fs::path(fragment).stem().string();
    return name + (fragments.empty() ? "-base" : fragments);
}

// `run --kernel NAME` must not take it for a path, nor for one of Debian's versions.
Result<void> check_name(const std::string& name) {
    std::string_view rest;
    const auto version = Version::parse(name, &rest);
    if (name.find('/') != std::string::npos || name.starts_with('.') || (version && rest.empty()))
        return Error{EINVAL, "\"" + name + "\" is a path or a version; a name is like this: mine"};
    return {};
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

int kernel_command(const KernelBuildOptions& options) {
    const Progress progress = progress_for_people();
    const auto cache = Cache::from_environment();
    if (!cache) return fail(cache.error());
    const auto source = find_source_tree(options.source, *cache, progress);
    if (!source) return fail(source.error());

    const std::string name = options.name.empty() ? name_of(options, *source) : options.name;
    if (auto good = check_name(name); !good) return fail(good.error());
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
        if (word != "coverage") continue;
        auto objects = profiled_objects();
        if (!objects) return fail(objects.error());
        plan.profiled = std::move(*objects);
    }

    const auto tree = patched_tree(*source, plan.fragments, plan.output / "patched");
    if (!tree) return fail(tree.error());
    plan.source = *tree;
    const auto outcome = build_kernel(plan, progress);
    if (!outcome)
        return fail(outcome.error(), outcome.error().code == EIO ? kExitFailed : kExitUsage);
    tell_unmet(outcome->unmet);
    if (plan.configure_only) {
        fmt::print("{}\n", (plan.output / ".config").string());
        return outcome->unmet.empty() ? kExitPassed : kExitFailed;
    }
    fmt::print("{}\n", outcome->image.string());
    fmt::print(stderr, "To use it, type: zcrxlab run --kernel {}\n",
               options.output.empty() ? name : plan.output.string());
    return 0;
}

}  // namespace zcrxlab
