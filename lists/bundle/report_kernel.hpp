// What a report says of a kernel: its configuration, and its splat with places in the source.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct ReportKernel {
    std::string config;             // text; empty: not at hand
    std::filesystem::path vmlinux;  // with symbols; empty: not at hand
};

// The kernel with this release, among those that were fetched, built or are installed; downloads
// nothing. Empty members where nothing is at hand.
ReportKernel report_kernel(const std::string& release);

struct ReportSplat {
    std::string text;
    std::string note;  // a sentence: what was decoded, or why nothing was
};
// Asks nm and addr2line, and says so where they or the debugging information are not there.
ReportSplat report_splat(const std::string& splat, const std::filesystem::path& vmlinux);

}  // namespace zcrxlab
