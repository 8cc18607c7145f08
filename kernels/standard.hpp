// The defaults: kernel series, flavour, suites, and the oldest QEMU.
#pragma once

#include <array>
#include <string_view>

namespace zcrxlab::standard {

// The newest stock series on which all scenarios are known to work.
inline constexpr std::string_view kKernelSeries = "7.3";
inline constexpr std::string_view kKernelFlavour = "cloud-amd64";
// vfio-user-pci came with 10.1, its first round of fixes with this one.
inline constexpr std::string_view kOldestQemu = "10.1.1";

// Where kernels come from, in the order in which they are looked through.
inline constexpr std::array<std::string_view, 3> kKernelSuites = {"trixie-backports", "sid",
                                                                  "experimental"};
// Where QEMU and its libraries come from; the last one is preferred.
inline constexpr std::array<std::string_view, 2> kQemuSuites = {"trixie", "trixie-backports"};
inline constexpr std::string_view kQemuPackage = "qemu-system-x86";

}  // namespace zcrxlab::standard
