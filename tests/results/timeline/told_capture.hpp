// The capture of told_trace(), built byte by byte and with none of the code under test.
#pragma once

#include <cstdint>
#include <string>

namespace zcrxlab {

// What a wall clock of the host has more than the guest's clock.
inline constexpr int64_t kWallAhead = 1'795'000'000'000'000'000;

// Of its connection: the SYN 1 ms before it is open, the first segment 400 us before its first CQE,
// and the same once more 100 us later, which a fault drops.
std::string told_capture();

}  // namespace zcrxlab
