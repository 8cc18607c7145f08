// LongTcpInfo: what the kernel says about a TCP socket.
#pragma once

#include <netinet/tcp.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace zcrxlab {

// The beginning of struct tcp_info in linux/tcp.h, which is longer than in netinet/tcp.h.
struct LongTcpInfo {
    tcp_info known;
    uint64_t pacing_rate, max_pacing_rate;  // bytes per second
    uint64_t bytes_acked, bytes_received;
    uint32_t segs_out, segs_in;
    uint32_t notsent_bytes, min_rtt;
    uint32_t data_segs_in, data_segs_out;
    uint64_t delivery_rate;                            // bytes per second
    uint64_t busy_time, rwnd_limited, sndbuf_limited;  // microseconds
    uint32_t delivered, delivered_ce;
    uint64_t bytes_sent, bytes_retrans;
    uint32_t dsack_dups, reord_seen, rcv_ooopack;
    uint32_t snd_wnd;  // bytes that the other end's window has room for; since 5.4
};
static_assert(offsetof(LongTcpInfo, segs_in) == 140);
static_assert(offsetof(LongTcpInfo, snd_wnd) == 228);

// Nothing where it is no TCP socket, and where the kernel tells less.
std::optional<LongTcpInfo> tcp_info_of(int socket);

}  // namespace zcrxlab
