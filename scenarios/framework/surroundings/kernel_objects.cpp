// KernelObjects: the caches before and after.
#include "scenarios/framework/surroundings/kernel_objects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
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
// Rings that end at once have a worker of the kernel each, which has objects of its own and stays
// for minutes (kernel/workqueue.c, IDLE_WORKER_TIMEOUT). Where RCU is slow they come in each round,
// so that a series whose threads explain what came says nothing; what comes in all of these stays
// behind.
constexpr uint32_t kSeries = 4;
constexpr int64_t kOfOneThread = 4;  // objects of one cache, at most: its name, kthread and worker

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

// "32 objects of uid_cache, 32 of kmalloc-192"
std::string words_of(const std::vector<GrowingCache>& growing) {
    std::string words;
    for (const GrowingCache& cache : growing)
        words += fmt::format("{}{}{} of {}", words.empty() ? "" : ", ", cache.more(),
                             words.empty() ? " objects" : "", cache.name);
    return words;
}

// "8, 16, 24, 32 objects of uid_cache, ..."
std::string counts_of(const std::vector<GrowingCache>& growing) {
    std::string words;
    for (const GrowingCache& cache : growing)
        words += fmt::format("{}{} objects of {}", words.empty() ? "" : ", ",
                             fmt::join(cache.objects, ", "), cache.name);
    return words;
}

// Of processes and of the kernel (sysinfo(2), "procs").
int threads_of_machine(Scene& scene) {
    struct sysinfo machine {};
    if (::sysinfo(&machine) != 0) scene.give_up(error_from_errno("count the threads").sentence);
    return machine.procs;
}

}  // namespace

void expect_leaves_no_objects(Scene& scene, const std::string& name, uint32_t times,
                              const std::function<void()>& once) {
    const auto repeat = [&once](uint32_t left) {
        for (; left > 0; --left) once();
    };
    repeat(std::min(times, kFirstTimes));
    const uint32_t each = times / kRounds;
    const std::string what = fmt::format("{}, {} times", name, kRounds * each);
    std::vector<GrowingCache> growing;
    for (uint32_t series = 0; series < kSeries; ++series) {
        const int threads = threads_of_machine(scene);
        std::vector<Objects> counts{count_taken(scene)};
        for (uint32_t round = 0; round < kRounds; ++round) {
            repeat(each);
            counts.push_back(count_taken(scene));
        }
        scene.becomes(
            [&] {
                growing = growing_caches(counts, each / 2);
                if (growing.empty()) return true;
                counts.back() = count_taken(scene);
                return false;
            },
            scene.scaled(kBound));
        const int64_t more_threads = threads_of_machine(scene) - threads;
        scene.note(fmt::format("{}: {}, and {} threads more on this machine", what,
                               growing.empty() ? "no cache grew each time" : counts_of(growing),
                               more_threads));
        if (growing.empty() || growing.front().more() > kOfOneThread * more_threads) break;
    }
    EXPECT_TRUE(growing.empty()) << what << ", left " << words_of(growing) << " behind.";
}

}  // namespace zcrxlab
