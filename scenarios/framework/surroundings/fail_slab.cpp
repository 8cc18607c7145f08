// Marks a cache in sysfs, and writes to the files of failslab in debugfs.
#include "scenarios/framework/surroundings/fail_slab.hpp"

#include <fstream>
#include <utility>

namespace zcrxlab {

namespace {

const std::string kFailslab = "/sys/kernel/debug/failslab/";

std::string mark_of(const std::string& cache) {
    return "/sys/kernel/slab/" + cache + "/failslab";
}

// Does nothing if it has memory.
void let_have_memory(const std::string& cache) {
    std::ofstream(kFailslab + "probability") << "0";
    std::ofstream(mark_of(cache)) << "0";
    std::ofstream(kFailslab + "cache-filter") << "N";
}

}  // namespace

FailSlab::FailSlab(Scene& scene, std::string cache)
    : attributes_(scene, kFailslab), cache_(std::move(cache)) {
    attributes_.prepare();
    // A scenario that gives up comes to no destructor.
    scene.undo_later("let " + cache_ + " have memory", [name = cache_] {
        let_have_memory(name);
        return Result<void>();
    });
    attributes_.set("cache-filter", "Y");
    attributes_.set("ignore-gfp-wait", "Y");
    std::ofstream mark(mark_of(cache_));
    mark << '1' << std::flush;
    if (!mark) scene.give_up("The kernel has no " + mark_of(cache_) + ".");
}

FailSlab::~FailSlab() {
    let_have_memory(cache_);
}

}  // namespace zcrxlab
