// Listeners: the TCP ports on which somebody listens, as /proc/PID/net/tcp tells of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace zcrxlab {

// Those in the text of such a file; lines of another form are left out.
std::set<uint16_t> listening_ports(std::string_view text);

// Whether somebody listens on one of `ports` (on any port, if that is empty) in the network
// namespace of the process, over IPv4 or IPv6.
bool listens(pid_t process, const std::vector<uint16_t>& ports);

}  // namespace zcrxlab
