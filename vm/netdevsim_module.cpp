// Looks into the cache: CACHE/netdevsim/RELEASE/netdevsim.ko, and stock/netdevsim.ko beside it.
#include "vm/netdevsim_module.hpp"

#include "vm/kernel/cache.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPatched = "netdevsim";
constexpr const char* kStock = "netdevsim-stock";

}  // namespace

bool is_simulated(const std::string& nic) {
    return nic == kPatched || nic == kStock;
}

Result<fs::path> find_netdevsim(const Kernel& kernel, const std::string& nic) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    fs::path folder = cache->root() / "netdevsim" / kernel.release;
    if (nic == kStock) folder /= "stock";
    const fs::path file = folder / "netdevsim.ko";
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
    return Error{ENOENT, "There is no module " + nic + " for kernel " + kernel.release +
                             "; type: kernel-config/netdevsim/build " +
                             std::string(kernel.release.substr(0, kernel.release.find('+')))};
}

}  // namespace zcrxlab
