// Finding a QEMU: named by the user, the system's, the cache's, or fetched.
#include "vm/qemu/qemu_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "harness/base/environment.hpp"
#include "harness/base/program.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/packages/version.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "qemu-system-x86_64";
constexpr const char* kPlace = "qemu";
// A QEMU that takes longer than this to print its version is broken.
constexpr auto kAnswerTime = std::chrono::seconds(20);

Result<std::string> output_of(std::vector<std::string> command,
                              const std::vector<std::string>& options) {
    command.insert(command.end(), options.begin(), options.end());
    ProgramOptions bounded;
    bounded.timeout = kAnswerTime;
    const auto run = run_program(command, bounded);
    if (!run) return run.error();
    if (run->exit_code != 0)
        return Error{
            EIO, fmt::format("{} failed: {}", fmt::join(command, " "), last_lines(run->output, 2))};
    return run->output;
}

// Fills in the version of `qemu`, or says why it does not fit.
Result<QemuProgram> examined(QemuProgram qemu) {
    const std::string name = fmt::format("{}", fmt::join(qemu.command, " "));
    const auto version_output = output_of(qemu.command, {"--version"});
    if (!version_output) return version_output.error();
    qemu.version = parse_qemu_version(*version_output);
    const auto version = Version::parse(qemu.version);
    if (!version) return Error{EINVAL, name + " is no QEMU: it names no version."};
    if (*version < *Version::parse(standard::kOldestQemu))
        return Error{EINVAL, fmt::format("{} is version {}, and vfio-user-pci needs {} or newer.",
                                         name, qemu.version, standard::kOldestQemu)};
    const auto devices = output_of(qemu.command, {"-device", "help"});
    if (!devices) return devices.error();
    if (!lists_vfio_user(*devices))
        return Error{EINVAL,
                     fmt::format("{} ({}) was built without vfio-user-pci.", name, qemu.version)};
    return qemu;
}

// The programs of the unpacked packages run with the loader and the libraries that came with them.
std::optional<QemuProgram> unpacked_qemu(const fs::path& folder) {
    const fs::path libraries = folder / kPackageLibraries;
    const fs::path program = folder / "usr/bin" / kProgram;
    std::error_code code;
    if (!fs::exists(program, code) || !fs::exists(libraries / kPackageLoader, code))
        return std::nullopt;
    const fs::path share = folder / "usr/share";
    return QemuProgram{
        {(libraries / kPackageLoader).string(), "--library-path", libraries.string(),
         program.string(), "-L", (share / "qemu").string(), "-L", (share / "seabios").string()},
        "",
        "cache",
        folder};
}

// The newest QEMU in the cache. Its folder is called by its version, so that it need not be started
// to be known.
std::optional<QemuProgram> cached_qemu(const Cache& cache) {
    std::optional<QemuProgram> best;
    std::optional<Version> best_version;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(cache.root() / kPlace, code)) {
        const auto version = Version::parse(entry.path().filename().string());
        auto qemu = unpacked_qemu(entry.path());
        if (!version || !qemu || (best_version && *version < *best_version)) continue;
        qemu->version = version->text();
        best = std::move(qemu);
        best_version = version;
    }
    return best;
}

Result<QemuProgram> fetch_qemu(const Cache& cache, const Progress& progress) {
    const auto lock = cache.lock(progress);
    if (!lock) return lock.error();
    // Another run may have fetched it while this one waited for the lock.
    if (auto qemu = cached_qemu(cache); qemu && check_manifest(qemu->set, Look::kSizesAndTimes))
        return *qemu;
    const auto archive = find_archive(cache);
    if (!archive) return archive.error();
    const std::vector<std::string> suites(standard::kQemuSuites.begin(),
                                          standard::kQemuSuites.end());
    auto apt = PrivateApt::open(cache.root() / "apt" / kPlace, *archive, suites);
    if (!apt) return apt.error();
    const Progress with_suites = [&](const std::string& line) {
        if (progress) progress(fmt::format("{} of {}", line, fmt::join(suites, " and ")));
    };
    if (const auto lists = apt->refresh(with_suites); !lists) return lists.error();

    PackageSet set;
    set.place = fs::path(kPlace) / "new";
    set.title = "QEMU";
    set.request.packages = {std::string(standard::kQemuPackage)};
    set.request.dependencies = true;
    set.growth = 9;
    set.request.preferred_suite = suites.back();
    set.kept = {fs::path("usr/bin") / kProgram,
                kPackageLibraries,
                "usr/lib64",
                "usr/share/qemu",
                "usr/share/seabios",
                "usr/share/ipxe",
                "usr/lib/ipxe"};
    const auto folder = fetch_package_set(cache, *apt, set, progress);
    if (!folder) return folder.error();
    const auto unpacked = unpacked_qemu(*folder);
    if (!unpacked) return Error{EIO, "Debian's QEMU packages hold no " + std::string(kProgram)};
    const auto qemu = examined(*unpacked);
    if (!qemu) return qemu.error();
    if (const auto placed = cache.place(*folder, fs::path(kPlace) / qemu->version); !placed)
        return placed.error();
    // The lists are 20 MB and were for this only.
    std::error_code code;
    fs::remove_all(cache.root() / "apt" / kPlace, code);
    if (auto done = cached_qemu(cache)) return *done;
    return Error{EIO, "The unpacked QEMU has disappeared from " + folder->string()};
}

// The one that ZCRXLAB_QEMU names, or that of the system, or why neither is one.
Result<QemuProgram> own_qemu() {
    if (const char* named = std::getenv(environment::kQemu); named != nullptr && *named != '\0') {
        auto qemu = examined({{named}, "", named});
        if (!qemu)
            return Error{EINVAL, "ZCRXLAB_QEMU does not fit: " + qemu.error().sentence +
                                     " Take the standard one: unset ZCRXLAB_QEMU"};
        return qemu;
    }
    if (!program_exists(kProgram))
        return Error{ENOENT, std::string("There is no ") + kProgram + " on this system."};
    auto qemu = examined({{kProgram}, "", "system"});
    if (!qemu) return Error{ENOENT, qemu.error().sentence};
    return qemu;
}

}  // namespace

Result<QemuProgram> find_local_qemu() {
    auto own = own_qemu();
    if (own || own.error().code == EINVAL) return own;
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    if (auto qemu = cached_qemu(*cache)) return *qemu;
    return own.error();
}

Result<QemuProgram> find_qemu(const Progress& progress) {
    auto local = find_local_qemu();
    if (!local && local.error().code != ENOENT) return local;
    if (local) {
        const auto whole =
            local->set.empty() ? Result<void>() : check_manifest(local->set, Look::kSizesAndTimes);
        if (whole) return local;
        if (whole.error().code == EINTR) return whole.error();
        if (progress) progress(whole.error().sentence + " It is fetched anew.");
    }
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    return fetch_qemu(*cache, progress);
}

std::string parse_qemu_version(const std::string& output) {
    constexpr std::string_view kBefore = "version ";
    if (!output.starts_with("QEMU")) return {};
    const size_t start = output.find(kBefore);
    if (start == std::string::npos) return {};
    const auto version = Version::parse(std::string_view(output).substr(start + kBefore.size()));
    return version ? version->text() : "";
}

bool lists_vfio_user(const std::string& output) {
    return output.find("name \"vfio-user-pci\"") != std::string::npos;
}

}  // namespace zcrxlab
