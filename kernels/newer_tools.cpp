// Finding and fetching a root folder of packages.
#include "kernels/newer_tools.hpp"

#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/packages/package_set.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kToolsPlace = "tools";
// Where the newest tools are that fit together.
constexpr const char* kToolsSuite = "testing";

}  // namespace

Result<fs::path> find_newer_tools(const Progress& progress) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const fs::path place = cache->root() / kToolsPlace;
    const auto whole = [&place] {
        std::error_code code;
        return fs::exists(place / "usr/sbin/ethtool", code) &&
               check_manifest(place, Look::kSizesAndTimes);
    };
    if (whole()) return place;
    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    if (whole()) return place;
    const auto archive = find_archive(*cache);
    if (!archive) return archive.error();
    auto apt = PrivateApt::open(cache->root() / "apt" / kToolsPlace, *archive, {kToolsSuite});
    if (!apt) return apt.error();
    if (auto lists = apt->refresh(progress); !lists) return lists.error();
    PackageSet set;
    set.place = kToolsPlace;
    set.title = "newer tools";
    // What every Debian system has is nobody's dependency, so it is named.
    set.request.packages = {"base-files",    "bash",    "coreutils",    "dash",     "findutils",
                            "gawk",          "grep",    "hostname",     "procps",   "sed",
                            "util-linux",    "netbase", "ethtool",      "iproute2", "iptables",
                            "iputils-ping",  "python3", "python3-yaml", "kmod",     "bpftool",
                            "iperf3",        "socat",   "tcpdump",      "jq",       "libbpf-dev",
                            "linux-libc-dev"};
    set.request.dependencies = true;
    set.growth = 5;
    const auto folder = fetch_package_set(*cache, *apt, set, progress);
    if (!folder) return folder.error();
    // The lists are 20 MB and were for this only.
    std::error_code code;
    fs::remove_all(cache->root() / "apt" / kToolsPlace, code);
    return *folder;
}

}  // namespace zcrxlab
