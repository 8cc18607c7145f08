// The files of a run that a timeline is made of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "results/timeline/recording.hpp"

namespace zcrxlab {

// The traces at `where`: that file, the one in that folder, or those of the VMs of that run. ENOENT
// with what to name instead.
Result<std::vector<std::filesystem::path>> traces_at(const std::filesystem::path& where);

// A trace, with the capture and the device's log beside it. What of these two cannot be used is
// left out and named in `notes`.
Result<Recording> read_recording(const std::filesystem::path& trace,
                                 std::vector<std::string>& notes);

// The results of the run that a trace belongs to, beside it or in the folder above; nothing if
// there are none.
std::optional<RunSummary> results_of(const std::filesystem::path& trace);

}  // namespace zcrxlab
