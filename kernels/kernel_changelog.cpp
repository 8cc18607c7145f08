// Finding and fetching a changelog, which is gzipped.
#include "kernels/kernel_changelog.hpp"

#include "harness/base/program.hpp"
#include "kernels/kernel_store.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

Result<std::string> unpacked_changelog(const fs::path& file) {
    auto run = run_program({"gzip", "-dc", "--", file.string()});
    if (!run) return run.error();
    if (run->exit_code != 0)
        return Error{EIO, "Unpacking " + file.string() + " failed: " + last_lines(run->output, 2)};
    return std::move(run->output);
}

}  // namespace

Result<std::string> find_kernel_changelog(const std::string& name, const Progress& progress) {
    const auto wish = KernelWish::parse(name);
    if (!wish) return wish.error();
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const KernelStore store(*cache);
    if (const fs::path file = store.cached_changelog(name); !file.empty())
        return unpacked_changelog(file);

    const auto lock = store.cache().lock(progress);
    if (!lock) return lock.error();
    if (const fs::path file = store.cached_changelog(name); !file.empty())
        return unpacked_changelog(file);
    for (const std::string_view suite : standard::kKernelSuites) {
        const auto kernel = newest_match(store.listed(std::string(suite)), *wish);
        if (!kernel || kernel_name(kernel->version, kernel->flavour) != name) continue;
        const auto file = store.fetch_changelog(*kernel, progress);
        if (!file) return file.error();
        return unpacked_changelog(*file);
    }
    return Error{ENOENT, "The mirror no longer has kernel " + name + "."};
}

}  // namespace zcrxlab
