// Finding and fetching the packages linux-headers-RELEASE and linux-kbuild-VERSION.
#include "kernels/kernel_headers.hpp"

#include "kernels/kernel.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/release.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "headers";
// The kernel is of the second; its programs need the C library of the first.
const std::vector<std::string> kSuites{"trixie", "trixie-backports"};

}  // namespace

Result<fs::path> find_kernel_headers(const std::string& wanted, const Progress& progress) {
    const auto kernel = find_kernel(wanted, progress);
    if (!kernel) return kernel.error();
    const std::string& release = kernel->release;
    const std::string flavour = flavour_of_release(release);
    if (flavour.empty())
        return Error{ENOENT, "Kernel " + release + " is none of Debian's; there are no headers."};
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();

    PackageSet set;
    set.place = fs::path(kPlace) / release;
    set.title = "the headers of kernel " + release;
    const std::string version = release.substr(0, release.size() - flavour.size() - 1);
    set.request.packages = {"linux-headers-" + release, "linux-headers-" + version + "-common",
                            "linux-kbuild-" + version, "libc6"};
    set.kept = {"usr/src", "usr/lib"};
    set.growth = 8;
    if (fs::exists(cache->root() / set.place)) return cache->root() / set.place;

    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    if (fs::exists(cache->root() / set.place)) return cache->root() / set.place;
    const auto mirror = find_archive(*cache);
    if (!mirror) return mirror.error();
    auto apt = PrivateApt::open(cache->root() / "apt" / kPlace, *mirror, kSuites);
    if (!apt) return apt.error();
    return fetch_package_set(*cache, *apt, set, progress);
}

}  // namespace zcrxlab
