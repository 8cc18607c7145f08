// What waits in the receive queues of a socket.
#pragma once

#include <cstdint>

namespace zcrxlab {

// Bytes of memory behind the packets in the receive queues of `socket`: those that wait for a read
// and those that came out of order, each with the whole of its buffers (SO_MEMINFO, rmem_alloc).
// 0 where it is no socket.
uint64_t receive_memory(int socket);

// Bytes that could be read from `socket` (FIONREAD); -1 where it is no socket.
int bytes_queued(int socket);

}  // namespace zcrxlab
