// What a socket keeps of packets that it cannot hand out yet.
#include "harness/ring/socket_memory.hpp"

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <array>

namespace zcrxlab {

uint64_t receive_memory(int socket) {
    std::array<uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof memory;
    if (::getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) return 0;
    return memory[SK_MEMINFO_RMEM_ALLOC];
}

}  // namespace zcrxlab
