// The log of a simulated NIC with any bytes: entries that follow each other, or an error.
//
// reaches 45 % of harness/targets/netdevsim_log.cpp
#include <cstring>
#include <vector>

#include "harness/targets/netdevsim_log.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<NetdevsimWrite> writes(size / sizeof(NetdevsimWrite));
    if (!writes.empty()) std::memcpy(writes.data(), data, writes.size() * sizeof(NetdevsimWrite));
    NetdevsimLog log;
    DmaWrites all;
    // As a file that is read in two parts.
    const std::span<const NetdevsimWrite> both(writes);
    const bool whole = log.add(both.first(both.size() / 2), all).ok() &&
                       log.add(both.subspan(both.size() / 2), all).ok();
    if (whole && all.entries.size() != writes.size()) __builtin_trap();
    for (size_t i = 1; i < all.entries.size(); ++i)
        if (all.entries[i].sequence <= all.entries[i - 1].sequence) __builtin_trap();
    return 0;
}
