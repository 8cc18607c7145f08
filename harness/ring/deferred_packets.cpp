// One datagram to ourselves from each CPU: loopback receives on the CPU that sent.
#include "harness/ring/deferred_packets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include "harness/base/fd.hpp"

namespace zcrxlab {

void free_deferred_packets() {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (!socket || ::bind(socket.get(), generic, size) != 0 ||
        ::getsockname(socket.get(), generic, &size) != 0 ||
        ::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (::sched_setaffinity(0, sizeof one, &one) != 0) continue;
        const char byte = 0;
        ::sendto(socket.get(), &byte, 1, MSG_DONTWAIT, generic, size);
    }
    ::sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace zcrxlab
