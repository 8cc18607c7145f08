// TcpSocket: a row of the kernel's tables of TCP sockets, /proc/PID/net/tcp and tcp6
// (net/ipv4/tcp_ipv4.c, get_tcp4_sock()).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace zcrxlab {

// The states of include/net/tcp_states.h that somebody here asks for.
inline constexpr uint8_t kTcpCloseWait = 8, kTcpListen = 10;

struct TcpSocket {
    uint16_t local_port = 0;
    uint8_t state = 0;
    uint64_t unacknowledged = 0;  // bytes that it has sent, or will; of a listener the backlog
    uint64_t unread = 0;          // bytes that came; of a listener connections that wait
    bool operator==(const TcpSocket&) const = default;
};

// Those in the text of such a file; lines of another form are left out.
std::vector<TcpSocket> tcp_sockets_in(std::string_view text);

// Those in the network namespace of the process, of both families.
std::vector<TcpSocket> tcp_sockets(pid_t process);

// Whether somebody listens on one of `ports` (on any port, if that is empty) in the network
// namespace of the process.
bool listens(pid_t process, const std::vector<uint16_t>& ports);

}  // namespace zcrxlab
