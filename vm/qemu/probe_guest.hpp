// ProbeGuest: the smallest guest that takes the way of a kernel: real mode, protected mode, paging,
// long mode, and then some work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace zcrxlab::probe_guest {

inline constexpr size_t kMemorySize = size_t{2} << 20;
// Where it starts, in real mode with a code segment at 0.
inline constexpr uint64_t kStart = 0x1000;
// It adds ten million numbers here; hardware does that in a fiftieth of a second.
inline constexpr uint64_t kSumAt = 0x100000;
inline constexpr uint64_t kSum = 10'000'000ULL * 10'000'001ULL / 2;
// Then it writes this byte to this port and halts.
inline constexpr uint16_t kDonePort = 0x80;
inline constexpr uint8_t kDoneValue = 0x5a;

// Writes code, page tables and segments into guest memory of kMemorySize zeroed bytes.
void lay_out(std::span<std::byte> memory);

}  // namespace zcrxlab::probe_guest
