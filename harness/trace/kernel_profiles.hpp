// Kernel profiles: what a kernel built for coverage has counted until now.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace zcrxlab {

// Documentation/dev-tools/gcov.rst: one .gcda file for each object, below the build's own path.
inline constexpr const char* kKernelProfiles = "/sys/kernel/debug/gcov";

// Calls `take` with every profile below `folder`: its path there, and its bytes as hexadecimal
// digits. Never, where the kernel counts nothing.
void for_each_profile(
    const std::string& folder,
    const std::function<void(const std::string& object, const std::string& hex)>& take);

}  // namespace zcrxlab
