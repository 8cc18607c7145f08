// Reads counter and clock together at two moments.
#include "vm/qemu/host_tsc.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#ifdef __x86_64__
#include <cpuid.h>
#include <time.h>
#include <x86intrin.h>
#endif

namespace zcrxlab {

#ifdef __x86_64__

namespace {

struct Moment {
    uint64_t ticks;
    int64_t nanoseconds;
};

int64_t raw_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// Read by a thread that was not interrupted in between, so that they belong together.
std::optional<Moment> moment() {
    constexpr int64_t kTogether = 2000;
    for (int tries = 0; tries < 1000; ++tries) {
        const int64_t before = raw_nanoseconds();
        const uint64_t ticks = __rdtsc();
        const int64_t after = raw_nanoseconds();
        if (after - before <= kTogether) return Moment{ticks, before + (after - before) / 2};
    }
    return std::nullopt;
}

bool rate_is_constant() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
}

}  // namespace

uint32_t host_tsc_khz() {
    if (!rate_is_constant()) return 0;
    const auto first = moment();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto second = moment();
    if (!first || !second || second->nanoseconds <= first->nanoseconds) return 0;
    const auto ticks = static_cast<double>(second->ticks - first->ticks);
    const auto nanoseconds = static_cast<double>(second->nanoseconds - first->nanoseconds);
    return static_cast<uint32_t>(std::lround(ticks * 1e6 / nanoseconds));
}

#else

uint32_t host_tsc_khz() {
    return 0;
}

#endif

}  // namespace zcrxlab
