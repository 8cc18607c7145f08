// Opens a TCP connection.
#include "vm/guest/send/connect_to.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace zcrxlab {

Result<Fd> connect_to(const std::string& address, uint8_t family, uint16_t port) {
    const int domain = family == 6 ? AF_INET6 : AF_INET;
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6;
    four.sin_family = AF_INET;
    six.sin6_port = four.sin_port = htons(port);
    void* const place = domain == AF_INET6 ? static_cast<void*>(&six.sin6_addr) : &four.sin_addr;
    if (::inet_pton(domain, address.c_str(), place) != 1)
        return Error{EINVAL,
                     "\"" + address + "\" is no address of family " + std::to_string(family) + "."};
    Fd socket(::socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* where =
        domain == AF_INET6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    const socklen_t size = domain == AF_INET6 ? sizeof six : sizeof four;
    if (!socket || ::connect(socket.get(), where, size) != 0)
        return error_from_errno("connect to " + address + " port " + std::to_string(port));
    return socket;
}

}  // namespace zcrxlab
