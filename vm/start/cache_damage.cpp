// Compares the cache with what was written down as it was filled.
#include "vm/start/cache_damage.hpp"

#include <cerrno>
#include <utility>

#include "kernels/packages/manifest.hpp"

namespace zcrxlab {

std::string find_cache_damage(const PreparedVm& vm, const Progress& progress) {
    std::string sentences;
    bool begun = false;
    for (const auto& set : {vm.settings.qemu.set, vm.kernel.set}) {
        if (set.empty()) continue;
        if (!std::exchange(begun, true))
            progress("comparing what the VM was started from with what was fetched");
        const Result<void> whole = check_manifest(set, Look::kWhole);
        if (whole || whole.error().code != EIO) continue;
        mark_damaged(set);
        sentences += (sentences.empty() ? "" : " ") + whole.error().sentence;
    }
    return sentences;
}

}  // namespace zcrxlab
