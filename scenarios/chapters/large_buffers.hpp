// Receive buffers larger than a page (rx_buf_len), where the driver has such: the area for them,
// and whether they are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab {

// A buffer must be contiguous, and of anonymous memory only huge pages are.
inline constexpr uint64_t kHugePagesOfLargeBuffers = 4;
inline constexpr size_t kAreaOfLargeBuffers = kHugePagesOfLargeBuffers * kHugePageSize;
// What a scenario reserves: with one for the first try. A ring that is closed keeps its pages for a
// moment.
inline constexpr uint64_t kReservedForLargeBuffers = kHugePagesOfLargeBuffers + 1;
static_assert(kReservedForLargeBuffers <= kHugePagesOfScenarios);

// Of kAreaOfLargeBuffers bytes, in buffers of `buffer` bytes.
IfqOptions large_ifq(uint32_t buffer);

// Empty if the driver of the scene has buffers of `buffer` bytes on `queue`, which is free when
// this returns; otherwise why the scenario is skipped. Any other refusal is the scenario's to find.
std::string why_not_buffers_of(Scene& scene, uint32_t buffer, uint32_t queue);

}  // namespace zcrxlab
