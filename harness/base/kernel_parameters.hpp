// Parameters of kernels, as whoever builds one and whoever runs on it name them.
#pragma once

namespace zcrxlab {

inline constexpr const char* kKernelParameters = "/sys/module/kernel/parameters";
// How those begin in which a kernel with mistakes to switch on says which of them it came by
// (kernels/mutations/switched.hpp).
inline constexpr const char* kReachedParameter = "reached_";

}  // namespace zcrxlab
