// Kernel profiles: what a kernel built for coverage has counted until now, and what one with
// mistakes to switch on came by.
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

// Calls `take` with each parameter in `folder` that begins with kReachedParameter: its name, and
// what it says since the last call, in hexadecimal digits of its characters. Never, where no
// mistakes are to be switched on.
void for_each_reached(
    const std::string& folder,
    const std::function<void(const std::string& parameter, const std::string& hex)>& take);

}  // namespace zcrxlab
