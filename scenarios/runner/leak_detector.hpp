// Leak detector: asks the kernel for memory that nothing points to any more, where it can tell.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// Documentation/dev-tools/kmemleak.rst; there with CONFIG_DEBUG_KMEMLEAK only.
inline constexpr const char* kKernelLeaks = "/sys/kernel/debug/kmemleak";

// mm/kmemleak.c: MSECS_MIN_AGE, and a little; younger memory does not count as lost.
inline constexpr std::chrono::milliseconds kOldEnough{5500};

// The first of the objects that the kernel lists, each in its words and whole.
std::vector<std::string> lost_objects(std::string_view text);

class LeakDetector {
  public:
    // Forgets what was found so far: a machine's start is not what is looked at. From now on the
    // kernel looks only when it is told to, or a scenario would be blamed for what a look of the
    // kernel's own found beside it.
    explicit LeakDetector(std::filesystem::path file = kKernelLeaks,
                          std::chrono::milliseconds old_enough = kOldEnough);

    // What was lost since the last look, one text of the kernel's for each object, the first of
    // them at least; empty if nothing was, or if it cannot tell. Takes as long as memory has to be
    // old before it counts as lost.
    std::vector<std::string> look() const;

  private:
    std::filesystem::path file_;
    std::chrono::milliseconds old_enough_;
};

}  // namespace zcrxlab
