// Coalescing: a NIC that joins the segments of a stream to packets of many buffers.
#pragma once

#include <cstddef>

#include "harness/base/result.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Until the scenario ends, the NIC joins segments (rx-gro-hw), and the peer sends trains of them,
// however fast it thinks the path is: by itself it goes by that (tcp_tso_autosize), and on a busy
// machine no train would be long. Its window still counts, so that the first stream may have none.
// An error, with a sentence, if the driver cannot switch it on.
Result<void> coalesce(Scene& scene);

// The same of segments that the NIC joins for this machine alone (rx-lro), so that they are never
// cut again; the kernel joins none itself. An error also where the driver does not tell it from the
// other.
Result<void> join_for_itself(Scene& scene);

// Buffers of payload of the largest packet that came to a TCP socket, whose port no other stream of
// the scenario has. Takes the DMA log into the trace, as split_packets_of() does.
size_t most_buffers_of_packet(Scene& scene, int socket);

}  // namespace zcrxlab
