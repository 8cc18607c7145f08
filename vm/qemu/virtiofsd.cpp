// Finding virtiofsd: the system's, the cache's, or fetched.
#include "vm/qemu/virtiofsd.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "harness/base/program.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kVirtiofsdPlace = "virtiofsd";
// Where distributions put it; it is no program for people.
constexpr std::array kPlaces{"/usr/libexec/virtiofsd", "/usr/lib/virtiofsd",
                             "/usr/lib/qemu/virtiofsd"};

bool fits(const std::string& program) {
    ProgramOptions bounded;
    bounded.timeout = std::chrono::seconds(10);
    const auto run = run_program({program, "--help"}, bounded);
    return run && run->exit_code == 0 && run->output.find("--readonly") != std::string::npos;
}

std::optional<Virtiofsd> cached(const Cache& cache) {
    const fs::path folder = cache.root() / kVirtiofsdPlace;
    const fs::path libraries = folder / kPackageLibraries;
    const fs::path program = folder / "usr/libexec/virtiofsd";
    std::error_code code;
    if (!fs::exists(program, code) || !fs::exists(libraries / kPackageLoader, code))
        return std::nullopt;
    return Virtiofsd{{(libraries / kPackageLoader).string(), "--library-path", libraries.string(),
                      program.string()},
                     "cache"};
}

Result<Virtiofsd> fetch(const Cache& cache, const Progress& progress) {
    const auto lock = cache.lock(progress);
    if (!lock) return lock.error();
    if (auto program = cached(cache);
        program && check_manifest(cache.root() / kVirtiofsdPlace, Look::kSizesAndTimes))
        return *program;
    const auto archive = find_archive(cache);
    if (!archive) return archive.error();
    const std::vector<std::string> suites(standard::kQemuSuites.begin(),
                                          standard::kQemuSuites.end());
    auto apt = PrivateApt::open(cache.root() / "apt" / kVirtiofsdPlace, *archive, suites);
    if (!apt) return apt.error();
    if (const auto lists = apt->refresh(progress); !lists) return lists.error();
    PackageSet set;
    set.place = kVirtiofsdPlace;
    set.title = kVirtiofsdPlace;
    // By name: what it depends on beside these are programs for a sandbox that is not used.
    set.request.packages = {"virtiofsd", "libc6", "libcap-ng0", "libgcc-s1", "libseccomp2"};
    set.kept = {"usr/libexec/virtiofsd", kPackageLibraries};
    set.growth = 5;
    const auto folder = fetch_package_set(cache, *apt, set, progress);
    if (!folder) return folder.error();
    // The lists are 20 MB and were for this only.
    std::error_code code;
    fs::remove_all(cache.root() / "apt" / kVirtiofsdPlace, code);
    if (auto program = cached(cache)) return *program;
    return Error{EIO, "Debian's package virtiofsd holds no such program."};
}

}  // namespace

Result<Virtiofsd> find_virtiofsd(const Progress& progress) {
    for (const char* place : kPlaces)
        if (program_exists(place) && fits(place)) return Virtiofsd{{place}, "system"};
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    if (auto program = cached(*cache)) {
        const auto whole = check_manifest(cache->root() / kVirtiofsdPlace, Look::kSizesAndTimes);
        if (whole) return *program;
        if (whole.error().code == EINTR) return whole.error();
        if (progress) progress(whole.error().sentence + " It is fetched anew.");
    }
    return fetch(*cache, progress);
}

std::vector<std::string> virtiofsd_command(const Virtiofsd& program, const SharedFolder& share) {
    std::vector<std::string> command = program.command;
    const auto add = [&](std::initializer_list<std::string> words) {
        command.insert(command.end(), words);
    };
    add({"--socket-path", share.socket.string(), "--shared-dir", share.folder.string()});
    // Mounts below the folder are part of it: the guest's layer in memory stands on one file
    // system. No lock or sandbox outlives us, and none needs root.
    add({"--no-announce-submounts", "--sandbox", "none", "--log-level", "warn"});
    if (share.others_are_nobody)
        add({"--translate-uid", "host:65534:0:1", "--translate-gid", "host:65534:0:1"});
    if (share.writable) {
        add({"--cache", "auto"});
    } else {
        // What is asked once is known: nobody is expected to change programs and libraries while
        // they run.
        add({"--readonly", "--cache", "always"});
    }
    return command;
}

}  // namespace zcrxlab
