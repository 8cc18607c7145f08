// KernelObjects: the caches before and after.
#include "scenarios/framework/surroundings/kernel_objects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/file.hpp"
#include "harness/net/counters.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

constexpr auto kBound = 5s;  // for what is freed later, on a machine of the usual speed
constexpr size_t kListLimit = size_t{1} << 20;
constexpr uint32_t kFirstTimes = 16;  // what is made once for all is there then
constexpr uint32_t kRounds = 4;

// Beside those of kmalloc(): requests, and what an instance has of its process and of its user.
constexpr std::string_view kCaches[] = {"io_kiocb", "mm_struct", "uid_cache"};

using Objects = std::map<std::string, int64_t>;

Objects count(Scene& scene) {
    auto caches = slab_objects_in(scene.must(read_file(kSlabInfo, kListLimit)));
    std::erase_if(caches, [](const auto& cache) {
        return !cache.first.starts_with("kmalloc-") &&
               std::ranges::find(kCaches, cache.first) == std::end(kCaches);
    });
    if (caches.empty()) scene.give_up("/proc/slabinfo has no cache of kmalloc().");
    return caches;
}

// Takes from the processors the free objects that each keeps back, which count as taken
// (Documentation/ABI/testing/sysfs-kernel-slab, "shrink").
void shrink(const std::string& cache) {
    std::ofstream("/sys/kernel/slab/" + cache + "/shrink") << 1;
}

// Without those that the processors keep back.
Objects count_taken(Scene& scene) {
    for (const auto& [cache, objects] : count(scene)) shrink(cache);
    return count(scene);
}

}  // namespace

void expect_leaves_no_objects(Scene& scene, const std::string& name, uint32_t times,
                              const std::function<void()>& once) {
    const auto repeat = [&once](uint32_t left) {
        for (; left > 0; --left) once();
    };
    repeat(std::min(times, kFirstTimes));
    const uint32_t each = times / kRounds;
    std::vector<Objects> counts{count_taken(scene)};
    for (uint32_t round = 0; round < kRounds; ++round) {
        repeat(each);
        counts.push_back(count_taken(scene));
    }
    std::optional<GrowingCache> grown;
    scene.becomes(
        [&] {
            grown = growing_cache(counts, each / 2);
            if (!grown) return true;
            counts.back() = count_taken(scene);
            return false;
        },
        scene.scaled(kBound));
    scene.note(name + ", " + std::to_string(kRounds * each) + " times: " +
               (grown ? std::to_string(grown->objects) + " objects more of " + grown->name
                      : "no cache grew each time"));
    EXPECT_FALSE(grown) << name << ", " << kRounds * each << " times, left " << grown->objects
                        << " objects of " << grown->name << " behind.";
}

}  // namespace zcrxlab
