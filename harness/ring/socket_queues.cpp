// What waits in the receive queues of a socket: questions to the kernel.
#include "harness/ring/socket_queues.hpp"

#include <linux/sock_diag.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>

namespace zcrxlab {

uint64_t receive_memory(int socket) {
    std::array<uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof memory;
    if (::getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) return 0;
    return memory[SK_MEMINFO_RMEM_ALLOC];
}

int bytes_queued(int socket) {
    int queued = 0;
    return ::ioctl(socket, FIONREAD, &queued) == 0 ? queued : -1;
}

}  // namespace zcrxlab
