// Huge pages: /proc/sys/vm/nr_hugepages, put back at the end.
#include "scenarios/framework/surroundings/huge_pages.hpp"

#include <fstream>

#include "harness/ring/area.hpp"

namespace zcrxlab {

void reserve_until_end(Scene& scene, uint64_t pages) {
    const uint64_t before = scene.must(reserve_huge_pages(pages));
    scene.undo_later("huge pages", [before]() -> Result<void> {
        std::ofstream file("/proc/sys/vm/nr_hugepages");
        file << before << std::flush;
        if (!file) return Error{EIO, "The number of huge pages could not be put back."};
        return {};
    });
}

}  // namespace zcrxlab
