// zcrxlab coverage: the suite on a kernel that counts its lines, and what it did not reach.
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "vm/commands.hpp"
#include "vm/coverage/coverage.hpp"
#include "vm/coverage/profile.hpp"
#include "vm/kernel/cache.hpp"
#include "vm/kernel/kernel.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardKernel = "7.3-coverage";
constexpr size_t kSourceLimit = size_t{4} << 20;

// The source that a build folder was configured from: its Makefile includes that tree's.
std::string tree_of(const fs::path& build) {
    std::error_code code;
    const fs::path link = fs::read_symlink(build / "source", code);
    return code ? std::string() : link.string();
}

Result<void> add_file(Coverage& coverage, const fs::path& file, const fs::path& build,
                      const std::string& tree) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const auto profile = parse_profile(line);
        if (!profile) return profile.error();
        if (auto added = add_profile(coverage, *profile, build, tree); !added) return added.error();
    }
    return {};
}

Result<void> report(const Coverage& coverage, const fs::path& out, const std::string& tree,
                    const std::string& title) {
    std::map<std::string, std::string> sources;
    for (const auto& [path, file] : coverage)
        if (auto source = read_whole(fs::path(tree) / path, kSourceLimit))
            sources[path] = std::move(*source);
    if (auto written = write_whole(out / "coverage.json", to_json(coverage)); !written)
        return written;
    return write_whole(out / "coverage.html", to_html(coverage, sources, title));
}

}  // namespace

int coverage_command(RunOptions options) {
    if (options.vm.kernel.empty()) options.vm.kernel = kStandardKernel;
    if (options.vm.out.empty()) options.vm.out = "zcrxlab-coverage";
    const auto kernel = find_kernel(options.vm.kernel, progress_for_people());
    if (!kernel) {
        const std::string hint = options.vm.kernel == kStandardKernel
                                     ? " To build it, type: zcrxlab kernel build --config coverage"
                                     : "";
        return fail({kernel.error().code, kernel.error().sentence + hint});
    }
    // BUILD/arch/x86/boot/bzImage
    const fs::path build = kernel->image.parent_path().parent_path().parent_path().parent_path();
    const std::string tree = tree_of(build);
    if (tree.empty())
        return fail({ENOENT, kernel->image.string() +
                                 " does not lie in a build folder of \"zcrxlab "
                                 "kernel build\", so that its sources are not "
                                 "known."});

    const int ran = run_command(options);
    if (ran == kExitUsage) return ran;
    Coverage coverage;
    // Of one VM, or in a folder for each.
    std::vector<fs::path> places{options.vm.out};
    for (unsigned number = 1; number <= kMostVms; ++number)
        places.push_back(options.vm.out / ("vm" + std::to_string(number)));
    for (const fs::path& place : places)
        if (auto added = add_file(coverage, place / "profile.jsonl", build, tree); !added)
            return fail(added.error());
    if (coverage.empty())
        return fail({ENODATA, "Kernel " + kernel->release +
                                  " has counted nothing. To build one that does, type: zcrxlab "
                                  "kernel build --config coverage"});
    count_functions(coverage);
    if (auto written = report(coverage, options.vm.out, tree, "Coverage of " + kernel->release);
        !written)
        return fail(written.error());
    fmt::print("\n{}coverage: {}\n", to_text(coverage),
               (fs::absolute(options.vm.out) / "coverage.html").string());
    return ran;
}

}  // namespace zcrxlab
