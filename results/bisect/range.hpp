// BisectRange: the stock kernels from a good one to a bad one.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "results/bisect/bisection.hpp"

namespace zcrxlab {

struct BisectRange {
    std::vector<std::string> kernels;  // by age, the oldest first, both ends included
    Verdict oldest = Verdict::kGood;   // kBad: a fix is looked for

    const std::string& good() const {
        return oldest == Verdict::kGood ? kernels.front() : kernels.back();
    }
    const std::string& bad() const {
        return oldest == Verdict::kGood ? kernels.back() : kernels.front();
    }
};

// The range between what --good and --bad say, each a version or a series, which is its newest
// ("7.2"). Among `choices` those of `flavour` count, as a matrix takes them. EINVAL or ENOENT with
// what to type: no such kernel, several of them, a path, one that is not among these, or both the
// same.
Result<BisectRange> bisect_range(const std::string& good, const std::string& bad,
                                 const std::vector<KernelChoice>& choices,
                                 const std::string& flavour);

}  // namespace zcrxlab
