// Looks into the cache: CACHE/netdevsim/RELEASE/netdevsim.ko, and stock/netdevsim.ko beside it.
#include "kernels/netdevsim_module.hpp"

#include "kernels/packages/cache.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

Result<fs::path> find_netdevsim(const Kernel& kernel, const NicRow& nic) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    fs::path folder = cache->root() / kNetdevsimDriver / kernel.release;
    if (!nic.patched) folder /= "stock";
    const fs::path file = folder / (std::string(kNetdevsimDriver) + ".ko");
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file;
    return Error{ENOENT, "There is no module " + std::string(nic.name) + " for kernel " +
                             kernel.release + "; type: kernel-config/netdevsim/build " +
                             std::string(kernel.release.substr(0, kernel.release.find('+')))};
}

}  // namespace zcrxlab
