// Repro check: runs what was made of a failure where the bug must show and where it must not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lists/bundle/failure.hpp"
#include "lists/runs/repro_trial.hpp"

namespace zcrxlab {

// A kernel on which it is tried, as --kernel takes it, and what must come of it; nothing: both are
// news.
struct CheckedKernel {
    std::string kernel;
    std::optional<ReproVerdict> foretold;
};

// Those on which it was seen or is said to be seen, and those that are good; the default kernel
// where no good one is known. Each release once. An error: one of them cannot be had.
Result<std::vector<CheckedKernel>> kernels_to_check(const Failure& failure,
                                                    const std::vector<std::string>& bad,
                                                    const std::vector<std::string>& good);

// Runs a file of this form, "c" or "script", on each of them, says on standard error what came of
// it, and adds that to failure.seen. 0: as foretold; 1: otherwise; 4: nothing could be judged.
// `self` is how this program is called. Results are below `out`.
Result<int> check_form(Failure& failure, const std::string& form, const std::filesystem::path& file,
                       const std::vector<CheckedKernel>& kernels, const std::string& self,
                       const std::filesystem::path& out);

}  // namespace zcrxlab
