// ZcrxExpectation: what --expect demands of zero-copy receive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "results/exec/zcrx_report.hpp"

namespace zcrxlab {

struct ZcrxExpectation {
    std::optional<double> zero_copy_percent;            // at least
    std::optional<uint64_t> bytes;                      // at least
    std::optional<uint64_t> copied, starved, cq_full;   // at most: bytes, times, pieces
    std::optional<uint64_t> errors, lost, left_behind;  // at most: of all kinds, packets, pools
};

// "zero-copy=99%", "bytes=1048576", "errors=0" ...; EINVAL with what it could be. Added to what is
// there.
Result<void> add_expectation(ZcrxExpectation& expected, std::string_view text);

// What is not as it was expected, a sentence for each; empty if all is. What could not be measured
// is not as expected.
std::vector<std::string> disappointments(const ZcrxExpectation& expected, const ZcrxReport& report);

}  // namespace zcrxlab
