// SendsSeen: finds the period of a row of numbers.
#include "lists/from_trace/sends_seen.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

constexpr size_t kMostCuts = 64;
constexpr uint64_t kMostBytes = 16U << 20;

bool repeats_after(const std::vector<uint64_t>& writes, size_t period) {
    for (size_t i = period; i < writes.size(); ++i) {
        // The last one has what is left.
        const bool last = i + 1 == writes.size();
        if (last ? writes[i] > writes[i % period] : writes[i] != writes[i % period]) return false;
    }
    return true;
}

}  // namespace

Cut cut_of(const std::vector<uint64_t>& writes) {
    Cut cut;
    for (size_t period = 1; period <= std::min(kMostCuts, writes.size()); ++period) {
        if (!repeats_after(writes, period)) continue;
        cut.bytes.assign(writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(period));
        break;
    }
    if (cut.bytes.empty() && !writes.empty()) {
        cut.bytes.assign(writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(
                                                              std::min(kMostCuts, writes.size())));
        cut.exact = false;
    }
    for (uint64_t& bytes : cut.bytes) bytes = std::clamp<uint64_t>(bytes, 1, kMostBytes);
    return cut;
}

}  // namespace zcrxlab
