// One datagram to ourselves from each CPU: loopback receives on the CPU that sent.
#include "harness/ring/deferred_packets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "harness/base/each_processor.hpp"
#include "harness/base/fd.hpp"

namespace zcrxlab {

void free_deferred_packets() {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (!socket || ::bind(socket.get(), generic, size) != 0 ||
        ::getsockname(socket.get(), generic, &size) != 0)
        return;
    on_each_processor([&] {
        const char byte = 0;
        ::sendto(socket.get(), &byte, 1, MSG_DONTWAIT, generic, size);
    });
}

}  // namespace zcrxlab
