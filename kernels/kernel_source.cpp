// Finding and fetching the package linux-source-SERIES.
#include "kernels/kernel_source.hpp"

#include <algorithm>

#include "kernels/packages/archive.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/packages/version.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// linux-source packages hold one archive, usr/src/linux-source-7.3.tar.xz. Parts of it that
// somebody has unpacked may lie beside it.
fs::path archive_in(const fs::path& folder) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder / "usr/src", code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("linux-source-") && name.find(".tar") != std::string::npos)
            return entry.path();
    }
    return {};
}

}  // namespace

Result<fs::path> find_kernel_source(const std::string& wanted, const Progress& progress) {
    const std::string series = wanted.empty() ? std::string(standard::kKernelSeries) : wanted;
    const auto version = Version::parse(series);
    if (!version || version->text() != series)
        return Error{EINVAL, "\"" + series + "\" is no kernel series; one looks like this: 7.3"};
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();

    PackageSet set;
    set.place = fs::path("sources") / series;
    set.title = "the source of kernel " + series;
    set.request.packages = {"linux-source-" + series};
    set.kept = {"usr/src"};
    if (auto archive = archive_in(cache->root() / set.place); !archive.empty()) return archive;

    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    if (auto archive = archive_in(cache->root() / set.place); !archive.empty()) return archive;
    const auto mirror = find_archive(*cache);
    if (!mirror) return mirror.error();
    const std::string suite(standard::kKernelSuites.front());
    auto apt = PrivateApt::open(cache->root() / "apt" / suite, *mirror, {suite});
    if (!apt) return apt.error();
    const auto folder = fetch_package_set(*cache, *apt, set, progress);
    if (!folder) return folder.error();
    if (auto archive = archive_in(*folder); !archive.empty()) return archive;
    return Error{ENOENT, "linux-source-" + series + " holds no archive below usr/src."};
}

}  // namespace zcrxlab
