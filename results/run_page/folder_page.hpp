// The page of a run from the folder that it has left.
#pragma once

#include <filesystem>
#include <functional>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

// Writes the page of `run`, which has left `folder`, to `page`, with links to what is in the
// folder: pages, logs and the capture.
Result<void> write_page(const RunSummary& run, const std::filesystem::path& folder,
                        const std::filesystem::path& page);

// Reads results.json in `folder`, and writes the page. `fit` makes of the run what may be passed
// on. ENOENT without a results.json, EINVAL if it is none.
Result<void> write_page_of_folder(const std::filesystem::path& folder,
                                  const std::filesystem::path& page,
                                  const std::function<RunSummary(RunSummary)>& fit);

}  // namespace zcrxlab
