// LongTcpInfo: a question to the kernel.
#include "harness/net/tcp_info.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

namespace zcrxlab {

std::optional<LongTcpInfo> tcp_info_of(int socket) {
    LongTcpInfo info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < sizeof info)
        return std::nullopt;
    return info;
}

}  // namespace zcrxlab
