// Leak detector: asks the kernel for memory that nothing points to any more, where it can tell.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace zcrxlab {

// Documentation/dev-tools/kmemleak.rst; there with CONFIG_DEBUG_KMEMLEAK only.
inline constexpr const char* kKernelLeaks = "/sys/kernel/debug/kmemleak";

// mm/kmemleak.c: MSECS_MIN_AGE, and a little; younger memory does not count as lost.
inline constexpr std::chrono::milliseconds kOldEnough{5500};

class LeakDetector {
  public:
    // Forgets what was found so far: a machine's start is not what is looked at.
    explicit LeakDetector(std::filesystem::path file = kKernelLeaks,
                          std::chrono::milliseconds old_enough = kOldEnough);

    // What was lost since, as the kernel describes it, at most some objects of it; empty if nothing
    // was, or if it cannot tell. Takes as long as memory has to be old before it counts as lost.
    std::string look() const;

  private:
    std::filesystem::path file_;
    std::chrono::milliseconds old_enough_;
};

}  // namespace zcrxlab
