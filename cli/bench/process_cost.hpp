// What a process of this machine costs, as /proc has it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace zcrxlab {

struct ProcessCost {
    double cpu_seconds = 0;  // user and system, since its start
    uint64_t own_kib = 0;    // memory that is its own, not the guest's
    uint64_t guest_kib = 0;  // pages of the guest that it has touched

    // Nothing if there is no such process.
    static std::optional<ProcessCost> of(pid_t pid);
};

}  // namespace zcrxlab
