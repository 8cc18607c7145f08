// What a socket keeps of packets that it cannot hand out yet.
#pragma once

#include <cstdint>

namespace zcrxlab {

// Bytes of memory behind the packets in the receive queues of `socket`: those that wait for a read
// and those that came out of order, each with the whole of its buffers (SO_MEMINFO, rmem_alloc).
// 0 where it is no socket.
uint64_t receive_memory(int socket);

}  // namespace zcrxlab
