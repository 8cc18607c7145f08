// Plan: which kernels a matrix takes, which runs that makes, and a machine's share of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {

// The first stock series of the matrix.
inline constexpr std::string_view kOldestMatrixKernel = "6.16";

// The kernels that `list` names, by commas, in the order of their versions; what has a slash is a
// path, comes last and is taken as it is. "all" is every one, "newest" (and "") the newest of each
// series, "7.2" the newest of that series, "7.2.*" all of it, "7.2.6..7.3.4" all from one to the
// other. Only stock kernels of `flavour` count, from kOldestMatrixKernel on, unless one is named in
// full. EINVAL or ENOENT with a sentence.
Result<std::vector<std::string>> wanted_kernels(
    const std::string& list, const std::vector<KernelChoice>& choices,
    std::string_view flavour = standard::kKernelFlavour);

// Names of NICs by commas. EINVAL if one is none of `known`.
Result<std::vector<std::string>> wanted_nics(const std::string& list,
                                             const std::vector<std::string>& known);

// That of the stock kernels which have the driver of a NIC.
std::string flavour_for(const std::string& nic);

struct PlannedRun {
    std::string kernel;
    std::string nic;
    bool operator==(const PlannedRun&) const = default;
};

// Each kernel on each NIC, the newest kernel first. Where another flavour has the driver of a NIC,
// the run is on the same version of that one, once.
std::vector<PlannedRun> planned_runs(const std::vector<std::string>& kernels,
                                     const std::vector<std::string>& nics);

// The `number`-th of `of` machines, from 1 on.
struct MachineShare {
    unsigned number = 1;
    unsigned of = 1;

    // "2/3". EINVAL if it is not like that.
    static Result<MachineShare> parse(const std::string& text);
};

// What this machine is to run: the runs of each NIC are dealt back and forth, since those of one
// NIC take about the same time. The shares of all machines are the whole, and no run is in two.
std::vector<PlannedRun> share_of(const std::vector<PlannedRun>& runs, const MachineShare& share);

}  // namespace zcrxlab
