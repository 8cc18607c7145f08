// KernelStore: the package lists of kernels and the kernels in the cache.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/release.hpp"

namespace zcrxlab {

// A kernel in the cache.
struct CachedKernel {
    Version version;
    std::string flavour;
    Kernel kernel;
};

// A suite's list that is younger is taken as it is.
inline constexpr auto kListsStayFresh = std::chrono::hours(24);

class KernelStore {
  public:
    explicit KernelStore(Cache cache) : cache_(std::move(cache)) {}

    // Those in the cache, oldest first. Never touches the network.
    std::vector<CachedKernel> cached() const;

    // What `suite` had when its list was last fetched; empty if it never was.
    std::vector<PackagedKernel> listed(const std::string& suite) const;

    // How long ago the list of `suite` was fetched; the largest value if it never was.
    std::chrono::seconds list_age(const std::string& suite) const;

    // Fetches the list of `suite` anew. The caller holds the cache's lock.
    Result<void> refresh(const std::string& suite, const Progress& progress) const;

    // Downloads and unpacks `kernel`. The caller holds the cache's lock.
    Result<Kernel> fetch(const PackagedKernel& kernel, const Progress& progress) const;

    // Fetches Debian's changelog of `kernel`, about 1 MB, and returns the file, gzipped. ENOENT if
    // no package holds it. The caller holds the cache's lock.
    Result<std::filesystem::path> fetch_changelog(const PackagedKernel& kernel,
                                                  const Progress& progress) const;
    // The same if it is in the cache; an empty path if it is not.
    std::filesystem::path cached_changelog(const std::string& name) const;

    const Cache& cache() const { return cache_; }

  private:
    Cache cache_;
};

// The newest of `kernels` that `wish` names; null if none is.
const CachedKernel* newest_match(const std::vector<CachedKernel>& kernels, const KernelWish& wish);

}  // namespace zcrxlab
