// MatrixRunner: fetches kernels and runs "zcrxlab run" on them, until all is done or Ctrl-C.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "results/matrix/folder.hpp"
#include "results/matrix/schedule.hpp"

namespace zcrxlab {

struct MatrixOrder {
    std::string program;               // ourselves, started for each fetch and run
    std::vector<std::string> options;  // of every run, after kernel and NIC
    std::string filter;
    // Whether a kernel needs no fetching: a path, or in the cache.
    std::function<bool(const std::string& kernel)> there;
    // Why a kernel that is there cannot serve this NIC; empty if it can. An Error if it cannot be
    // started at all.
    std::function<Result<std::string>(const PlannedRun&)> obstacle;
    // The command of a run for people, without its filter.
    std::function<std::string(const PlannedRun&)> command;
};

// How long a run may take to end after Ctrl-C before it is killed.
inline constexpr int kStopSeconds = 10;

// Runs all of `schedule`. `ended` is called with each run as it ends, or is known not to be
// possible; those that were broken off are not told of. False if it was interrupted; then nothing
// of it is left either.
Result<bool> run_matrix(Schedule& schedule, const MatrixOrder& order, const MatrixFolder& out,
                        const Progress& progress,
                        const std::function<void(const MatrixRun&)>& ended);

}  // namespace zcrxlab
