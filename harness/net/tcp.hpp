// TCP connections between the receiver and its peer, whose end may be in another namespace.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/base/slowness.hpp"

namespace zcrxlab {

struct TcpOptions {
    uint8_t family = 4;                 // 4 or 6
    std::string local;                  // the receiver's address
    std::string peer;                   // the sender's address; empty: the kernel's choice
    std::string local_namespace;        // path; empty: this one
    std::string peer_namespace;         // the same
    uint16_t port = 0;                  // the receiver's; 0 = the kernel's choice
    std::optional<uint32_t> mss;        // TCP_MAXSEG, bytes of payload per segment
    std::optional<int> receive_buffer;  // SO_RCVBUF, bytes
    std::optional<int> send_buffer;     // SO_SNDBUF, bytes
    // TCP_RTO_MIN_US of the peer. By itself above the shortest delay of an ACK (TCP_DELACK_MIN,
    // 40 ms), so that none is taken for a loss.
    std::chrono::microseconds soonest_retransmission{50'000};
    // Whether the peer ends the connection where it had to send again for some 14 s without a
    // break, whatever came through meanwhile: TCP_RTO_MAX_MS of a second makes that so
    // (retransmits_timed_out of net/ipv4/tcp_timer.c).
    bool gives_up = true;
    std::chrono::milliseconds timeout = scaled(std::chrono::seconds(5));  // for the connection
};

// The two ends of one connection. The peer connects, the receiver accepts.
struct TcpPair {
    Fd receiver;
    Fd peer;
    uint16_t receiver_port = 0;
    uint16_t peer_port = 0;
};

// A listening socket of the receiver; its port in `port`.
struct TcpListener {
    Fd socket;
    uint16_t port = 0;
};
Result<TcpListener> tcp_listen(const TcpOptions& options);
// Connects the peer to a listener, and accepts. ETIMEDOUT, ECONNREFUSED name both addresses.
Result<TcpPair> tcp_connect(const TcpListener& listener, const TcpOptions& options);
// Both at once, for one connection.
Result<TcpPair> tcp_pair(const TcpOptions& options);

}  // namespace zcrxlab
