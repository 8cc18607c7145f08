// MemoryCgroup: a folder of /sys/fs/cgroup, and what its files tell.
#include "scenarios/framework/surroundings/memory_cgroup.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/file.hpp"
#include "harness/base/mapping.hpp"
#include "harness/net/counters.hpp"
#include "harness/ring/area.hpp"

namespace zcrxlab {
namespace {

const std::filesystem::path kTop = "/sys/fs/cgroup";
const std::string kController = "memory";

// Pages that a CPU charges or gives back before it tells (mm/memcontrol.c:MEMCG_CHARGE_BATCH).
constexpr uint64_t kUntoldPages = 64;

// Whether the file, a list of words, has "memory" in it.
bool names_memory(const char* file) {
    std::istringstream words(text_of_file(kTop / file));
    for (std::string word; words >> word;)
        if (word == kController) return true;
    return false;
}

// A group with processes has none below it that count memory, unless it is the root, which has no
// such file.
bool is_root() {
    return ::access((kTop / "cgroup.events").c_str(), F_OK) != 0;
}

Result<void> let_groups_count(bool count) {
    return write_file(kTop / "cgroup.subtree_control", (count ? "+" : "-") + kController);
}

// The kernel tells an old count until more has changed than its CPUs may leave untold
// (mm/memcontrol.c:memcg_vmstats_needs_flush). So as much and half of it again is charged and given
// back: as single pages, each of which changes a count when it comes and when it goes.
void outdate_counts(Scene& scene) {
    const auto cpus = static_cast<uint64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
    const Mapping pages =
        scene.must(Mapping::anonymous((cpus + 1) * kUntoldPages * 3 / 2 * kPageSize));
    // One large page would be one change.
    ::madvise(pages.data(), pages.size(), MADV_NOHUGEPAGE);
    std::memset(pages.data(), 1, pages.size());
}

}  // namespace

bool can_make_memory_cgroups() {
    return names_memory("cgroup.controllers") &&
           (names_memory("cgroup.subtree_control") || is_root());
}

MemoryCgroup::MemoryCgroup(Scene& scene) : path_(kTop / ("zcrxlab-" + std::to_string(::getpid()))) {
    if (!names_memory("cgroup.subtree_control")) {
        scene.must(let_groups_count(true));
        scene.undo_later("memory of control groups", [] { return let_groups_count(false); });
    }
    if (::mkdir(path_.c_str(), 0755) != 0)
        scene.give_up(error_from_errno("make " + path_.string()).sentence);
    scene.undo_later("the control group", [path = path_]() -> Result<void> {
        if (::rmdir(path.c_str()) != 0) return error_from_errno("remove " + path.string());
        return {};
    });
}

void MemoryCgroup::enter(Scene& scene) const {
    scene.must(write_file(path_ / "cgroup.procs", "0"));
}

int64_t MemoryCgroup::kernel_bytes(Scene& scene) const {
    outdate_counts(scene);
    const auto counts = parse_name_values(scene.must(read_file(path_ / "memory.stat")));
    const auto found = counts.find("kernel");
    if (found == counts.end()) scene.give_up("memory.stat does not count the kernel's memory.");
    return found->second;
}

}  // namespace zcrxlab
