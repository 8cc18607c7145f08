// Huge pages: /proc/sys/vm/nr_hugepages, put back at the end.
#include "scenarios/framework/surroundings/huge_pages.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include "harness/base/environment.hpp"
#include "harness/ring/area.hpp"

namespace zcrxlab {

namespace {

// A guest has them from its start, or whether there is room depends on what ran before.
Result<void> check_those_set_apart(uint64_t there) {
    const char* const text = std::getenv(environment::kHugePages);
    const uint64_t promised = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
    if (there >= promised) return {};
    return Error{ENOMEM, "The guest was to set " + std::to_string(promised) +
                             " huge pages apart at its start, and has " + std::to_string(there) +
                             "."};
}

}  // namespace

void reserve_until_end(Scene& scene, uint64_t pages) {
    const uint64_t before = scene.must(reserve_huge_pages(pages));
    scene.undo_later("huge pages", [before]() -> Result<void> {
        std::ofstream file("/proc/sys/vm/nr_hugepages");
        file << before << std::flush;
        if (!file) return Error{EIO, "The number of huge pages could not be put back."};
        return {};
    });
    scene.must(check_those_set_apart(before));
}

void repeat_huge_pages(Scene& scene, IfqRequest& request, uint64_t pages, uint64_t total) {
    request.area_memory =
        scene.must(AreaMemory::repeating(pages * kHugePageSize, total, AreaKind::kHugeMemfd));
    request.area.address = reinterpret_cast<uintptr_t>(request.area_memory.data());
    request.area.length = request.area_memory.size();
}

}  // namespace zcrxlab
