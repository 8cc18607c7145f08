// MemoryCgroup: a control group whose memory the kernel counts, for a process of a scenario.
//
// Of cgroup v2 (Documentation/admin-guide/cgroup-v2.rst, "Memory"), which is at /sys/fs/cgroup.
#pragma once

#include <cstdint>
#include <filesystem>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Whether there can be such groups here.
bool can_make_memory_cgroups();

class MemoryCgroup {
  public:
    // Makes one that goes when the scenario ends, when its processes have to be gone. The scenario
    // ends if the kernel refuses.
    explicit MemoryCgroup(Scene& scene);

    // Moves the process of `scene` into it, for good.
    void enter(Scene& scene) const;
    // Bytes of the kernel's memory that are charged to it now; to be asked for in it.
    int64_t kernel_bytes(Scene& scene) const;

  private:
    std::filesystem::path path_;
};

}  // namespace zcrxlab
