// KernelObjects: the caches before and after.
#include "scenarios/framework/surroundings/kernel_objects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "harness/base/file.hpp"
#include "harness/net/counters.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

constexpr auto kBound = 5s;  // for what is freed later, on a machine of the usual speed
constexpr size_t kListLimit = size_t{1} << 20;
constexpr uint32_t kFirstTimes = 16;  // what is made once for all is there then

std::map<std::string, int64_t> count(Scene& scene) {
    auto caches = slab_objects_in(scene.must(read_file("/proc/slabinfo", kListLimit)));
    std::erase_if(caches, [](const auto& cache) {
        return !cache.first.starts_with("kmalloc-") && cache.first != "io_kiocb";
    });
    if (caches.empty()) scene.give_up("/proc/slabinfo has no cache of kmalloc().");
    return caches;
}

// Takes from the processors the free objects that each keeps back, which count as taken
// (Documentation/ABI/testing/sysfs-kernel-slab, "shrink").
void shrink(const std::string& cache) {
    std::ofstream("/sys/kernel/slab/" + cache + "/shrink") << 1;
}

}  // namespace

void expect_leaves_no_objects(Scene& scene, const std::string& name, uint32_t times,
                              const std::function<void()>& once) {
    const auto repeat = [&once](uint32_t left) {
        for (; left > 0; --left) once();
    };
    repeat(std::min(times, kFirstTimes));
    for (const auto& [cache, objects] : count(scene)) shrink(cache);
    const auto before = count(scene);
    repeat(times);
    std::string grown;
    int64_t most = 0;
    const auto look = [&] {
        most = 0;
        for (const auto& [cache, objects] : count(scene)) {
            const auto was = before.find(cache);
            const int64_t more = objects - (was == before.end() ? 0 : was->second);
            if (more > most) {
                most = more;
                grown = cache;
            }
        }
        return most < times / 2;
    };
    scene.becomes(
        [&] {
            if (look()) return true;
            shrink(grown);
            return look();
        },
        scene.scaled(kBound));
    scene.note(name + ", " + std::to_string(times) + " times: " + std::to_string(most) +
               " objects more" + (grown.empty() ? "" : " of " + grown));
    EXPECT_LT(most, times / 2) << name << ", " << times << " times, left " << most << " objects of "
                               << grown << " behind.";
}

}  // namespace zcrxlab
