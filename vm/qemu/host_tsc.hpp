// Host TSC: how fast the time stamp counter of this machine runs, which an emulated guest reads as
// its own.
#pragma once

#include <cstdint>

namespace zcrxlab {

// kHz, measured against CLOCK_MONOTONIC_RAW within some 20 ms; 0 where the counter's rate is not
// constant (CPUID 0x80000007, EDX bit 8), or it could not be measured.
uint32_t host_tsc_khz();

}  // namespace zcrxlab
