// Finds or fetches kmod, and lets its depmod look at modules.
#include "kernels/kmod.hpp"

#include <optional>

#include "harness/base/program.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKmodPlace = "kmod";
// Below the cache, for each kernel of it.
constexpr const char* kModulesPlace = "modules";
// What modprobe opens first.
constexpr const char* kIndex = "modules.dep.bin";

std::optional<Kmod> installed() {
    const std::string depmod = "/usr/sbin/depmod", modprobe = "/usr/sbin/modprobe";
    if (!program_exists(depmod) || !program_exists(modprobe)) return std::nullopt;
    return Kmod{{depmod}, {modprobe}};
}

std::optional<Kmod> cached(const Cache& cache) {
    const fs::path folder = cache.root() / kKmodPlace;
    const fs::path libraries = folder / kPackageLibraries;
    std::error_code code;
    if (!fs::exists(folder / "usr/sbin/depmod", code) ||
        !fs::exists(libraries / kPackageLoader, code) ||
        !check_manifest(folder, Look::kSizesAndTimes))
        return std::nullopt;
    // One program, which goes by the name that it was started by.
    const auto words = [&](const char* name) {
        return std::vector<std::string>{(libraries / kPackageLoader).string(), "--library-path",
                                        libraries.string(), (folder / "usr/sbin" / name).string()};
    };
    return Kmod{words("depmod"), words("modprobe")};
}

Result<Kmod> fetch(const Cache& cache, const Progress& progress) {
    const auto lock = cache.lock(progress);
    if (!lock) return lock.error();
    if (auto kmod = cached(cache)) return *kmod;
    const auto archive = find_archive(cache);
    if (!archive) return archive.error();
    const std::string suite(standard::kQemuSuites.front());
    auto apt = PrivateApt::open(cache.root() / "apt" / kKmodPlace, *archive, {suite});
    if (!apt) return apt.error();
    if (const auto lists = apt->refresh(progress); !lists) return lists.error();
    PackageSet set;
    set.place = kKmodPlace;
    set.title = kKmodPlace;
    set.request.packages = {kKmodPlace};
    set.request.dependencies = true;
    set.kept = {"usr/bin/kmod", "usr/sbin/depmod", "usr/sbin/modprobe", kPackageLibraries};
    set.growth = 5;
    const auto folder = fetch_package_set(cache, *apt, set, progress);
    if (!folder) return folder.error();
    // The lists are 20 MB and were for this only.
    std::error_code code;
    fs::remove_all(cache.root() / "apt" / kKmodPlace, code);
    if (auto kmod = cached(cache)) return *kmod;
    return Error{EIO, "Debian's package kmod holds no depmod."};
}

// In `root`, which is empty, all that `depmod -b` wants of a system; the folder with the modules.
Result<fs::path> lay_out(const Kernel& kernel, const fs::path& root) {
    const fs::path folder = root / "lib/modules" / kernel.release;
    std::error_code code;
    fs::create_directories(folder, code);
    fs::create_directories(root / "usr", code);
    // Where a depmod looks depends on how it was built.
    fs::create_symlink("../lib", root / "usr/lib", code);
    for (const char* name :
         {"kernel", "modules.order", "modules.builtin", "modules.builtin.modinfo"}) {
        const fs::path there = kernel.modules / name;
        if (!code && fs::exists(there)) fs::create_symlink(there, folder / name, code);
    }
    if (code) return error_from_errno("prepare " + folder.string() + " for depmod", code.value());
    return folder;
}

Result<void> index_modules(const Kernel& kernel, const Kmod& kmod, const fs::path& root) {
    std::vector<std::string> command = kmod.depmod;
    command.insert(command.end(), {"-b", root.string(), kernel.release});
    ProgramOptions options;
    options.stoppable = true;
    const auto run = run_program(command, options);
    if (!run) return run.error();
    if (run->exit_code == 0) return {};
    return Error{EIO, "depmod cannot list the modules of kernel " + kernel.release + ": " +
                          last_lines(run->output, 2)};
}

}  // namespace

Result<Kmod> find_kmod(const Progress& progress) {
    if (auto kmod = installed()) return *kmod;
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    if (auto kmod = cached(*cache)) return *kmod;
    return fetch(*cache, progress);
}

Result<fs::path> modules_for_modprobe(const Kernel& kernel, const Kmod& kmod,
                                      const fs::path& scratch, const Progress& progress) {
    std::error_code code;
    if (kernel.modules.empty() || !fs::exists(kernel.modules / "kernel", code))
        return Error{ENOENT, "The modules of kernel " + kernel.release + " are not at hand."};
    if (fs::exists(kernel.modules / kIndex, code)) return fs::absolute(kernel.modules);
    if (kernel.set.empty()) {
        fs::remove_all(scratch, code);
        const auto folder = lay_out(kernel, scratch);
        if (!folder) return folder.error();
        if (auto done = index_modules(kernel, kmod, scratch); !done) return done.error();
        return fs::absolute(*folder);
    }
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const fs::path place = fs::path(kModulesPlace) / kernel.set.filename();
    const fs::path ready = cache->root() / place;
    if (fs::exists(ready / kIndex, code) && fs::exists(ready / "kernel", code)) return ready;
    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    if (progress) progress("listing the modules of kernel " + kernel.release + " once");
    const auto root = cache->temporary_folder();
    if (!root) return root.error();
    const auto folder = lay_out(kernel, *root);
    if (!folder) return folder.error();
    if (auto done = index_modules(kernel, kmod, *root); !done) return done.error();
    if (auto placed = cache->place(*folder, place); !placed) return placed.error();
    fs::remove_all(*root, code);
    return ready;
}

}  // namespace zcrxlab
