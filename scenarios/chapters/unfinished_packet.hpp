// A coalesced packet that has begun in the eyes of a driver, and does not end.
#pragma once

#include <cstdint>

#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

inline constexpr uint32_t kUnfinishedPacket = 8000;  // bytes of its payload: two buffers

// Switches coalescing on for the rest of the scenario. False if the NIC has none that says when a
// packet begins and when it ends.
bool coalesce_in_steps(Scene& scene);
// Why a scenario is skipped then.
inline constexpr const char* kToldAtOnce =
    "This NIC tells of a coalesced packet when it has ended; type: zcrxlab run --nic bnxt --kernel "
    "7.3.4-amd64";

// Sends kUnfinishedPacket bytes of the stream, the only ones under way, in a packet that does not
// end. All data that comes behind it is lost until the faults of the target are cleared.
void leave_unfinished(Scene& scene, ReceivePath& rx, uint32_t stream);

}  // namespace zcrxlab
