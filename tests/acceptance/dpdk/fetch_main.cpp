// zcrx-dpdk-fetch: brings Debian's DPDK into the cache, unpacked, and prints the folder.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/base/exit_code.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/packages/package_set.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "dpdk";
// The newest driver asks most of the device. A stable suite has one that is years old.
constexpr const char* kSuite = "sid";

Result<fs::path> fetched(const Progress& progress) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    const fs::path place = cache->root() / kPlace;
    std::error_code code;
    if (fs::exists(place / "usr/bin/dpdk-testpmd", code) &&
        check_manifest(place, Look::kSizesAndTimes))
        return place;
    const auto archive = find_archive(*cache);
    if (!archive) return archive.error();
    auto apt = PrivateApt::open(cache->root() / "apt" / kPlace, *archive, {kSuite});
    if (!apt) return apt.error();
    if (const auto lists = apt->refresh(progress); !lists) return lists.error();
    PackageSet set;
    set.place = kPlace;
    set.title = "DPDK";
    set.request.packages = {"dpdk-dev"};  // which has testpmd
    set.request.dependencies = true;
    set.kept = {"usr/bin/dpdk-testpmd", kPackageLibraries};
    set.growth = 9;
    const auto folder = fetch_package_set(*cache, *apt, set, progress);
    // The lists are 20 MB and were for this only.
    fs::remove_all(cache->root() / "apt" / kPlace, code);
    return folder;
}

}  // namespace
}  // namespace zcrxlab

int main() try {
    const zcrxlab::Progress progress = [](const std::string& line) {
        fmt::print(stderr, "zcrx-dpdk-fetch: {}\n", line);
    };
    const auto folder = zcrxlab::fetched(progress);
    if (!folder) {
        fmt::print(stderr, "zcrx-dpdk-fetch: {}\n", folder.error().sentence);
        return zcrxlab::kExitUsage;
    }
    fmt::print("{}\n", folder->string());
    return zcrxlab::kExitPassed;
} catch (const std::exception& error) {
    fmt::print(stderr, "zcrx-dpdk-fetch: {}\n", error.what());
    return zcrxlab::kExitFailed;
}
