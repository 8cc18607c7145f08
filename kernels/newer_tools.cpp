// Finding and fetching a root folder of packages.
#include "kernels/newer_tools.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

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

// What every Debian system has is nobody's dependency, so it is named.
const std::vector<std::string> kToolsPackages = {
    "base-files",   "bash",     "coreutils", "dash",     "findutils",    "gawk",
    "grep",         "hostname", "mount",     "procps",   "sed",          "util-linux",
    "netbase",      "ethtool",  "iproute2",  "iptables", "iputils-ping", "python3",
    "python3-yaml", "kmod",     "bpftool",   "bpftrace", "iperf3",       "lldpad",
    "netsniff-ng",  "socat",    "tcpdump",   "jq",       "libbpf-dev",   "linux-libc-dev"};

// Whether the folder was made of all of these: an older one of ours may lack some.
bool has_packages(const fs::path& place, const std::vector<std::string>& packages) {
    std::ifstream file(place / "packages.txt");
    std::set<std::string> names;
    for (std::string line; std::getline(file, line);) names.insert(line.substr(0, line.find('_')));
    return std::all_of(packages.begin(), packages.end(),
                       [&names](const std::string& name) { return names.count(name) != 0; });
}

}  // namespace

Result<fs::path> find_newer_tools(const Progress& progress) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const fs::path place = cache->root() / kToolsPlace;
    const auto whole = [&place] {
        return has_packages(place, kToolsPackages) && check_manifest(place, Look::kSizesAndTimes);
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
    set.request.packages = kToolsPackages;
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
