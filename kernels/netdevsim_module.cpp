// Looks into the cache: CACHE/netdevsim/RELEASE/netdevsim.ko, and stock/netdevsim.ko beside it.
#include "kernels/netdevsim_module.hpp"

#include "harness/base/program.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBuild = "kernel-config/netdevsim/build";
constexpr size_t kLastLines = 10;

// As the script takes it: "7.3.4" of "7.3.4+deb13-cloud-amd64".
std::string version_of(const Kernel& kernel) {
    return kernel.release.substr(0, kernel.release.find('+'));
}

}  // namespace

Result<fs::path> find_netdevsim(const Kernel& kernel, const NicRow& nic) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    fs::path folder = cache->root() / kNetdevsimDriver / kernel.release;
    if (!nic.patched) folder /= "stock";
    const fs::path file = folder / (std::string(kNetdevsimDriver) + ".ko");
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
    return Error{ENOENT, "There is no module " + std::string(nic.name) + " for kernel " +
                             kernel.release + "; type: " + kBuild + " " + version_of(kernel)};
}

Result<fs::path> netdevsim_for(const Kernel& kernel, const NicRow& nic, const Progress& progress) {
    auto found = find_netdevsim(kernel, nic);
    if (found) return found;
    const fs::path script = fs::path(ZCRXLAB_SOURCE_DIR) / kBuild;
    std::error_code error;
    if (!fs::is_regular_file(script, error)) return found;
    progress("building the module netdevsim for kernel " + kernel.release +
             ", with our patches and without; about a minute, and what has to be fetched");
    ProgramOptions options;
    options.on_line = [&](const std::string& line) {
        // Behind all lines are the places of the modules, which nobody has to know.
        if (!line.ends_with(".ko")) progress("  " + line);
        return true;
    };
    const auto run = run_program({script.string(), version_of(kernel)}, options);
    if (!run) return run.error();
    if (run->exit_code != 0)
        return Error{ENOTSUP, "The module netdevsim for kernel " + kernel.release +
                                  " could not be built; to see how far it comes, type: " +
                                  script.string() + " " + version_of(kernel) +
                                  "\nIts last lines were:\n" + last_lines(run->output, kLastLines)};
    return find_netdevsim(kernel, nic);
}

}  // namespace zcrxlab
