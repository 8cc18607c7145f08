// Profiles: what a kernel built for coverage has counted, handed to the host at the end of a run.
#pragma once

#include <filesystem>

#include "scenarios/runner/report_sink.hpp"

namespace zcrxlab {

// Documentation/dev-tools/gcov.rst: one .gcda file for each object, below the build's own path.
inline constexpr const char* kKernelProfiles = "/sys/kernel/debug/gcov";

// Every profile below `folder`, by its path there. Nothing where the kernel counts nothing.
void report_profiles(const std::filesystem::path& folder, ReportSink& sink);

}  // namespace zcrxlab
