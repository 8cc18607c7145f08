// How a connection's two ends are set up, on loopback.
#include "harness/net/tcp.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace zcrxlab {
namespace {

// Milliseconds that the peer sends again before it ends the connection; 0: as the kernel has it.
int patience_of_peer(const TcpOptions& options) {
    const auto pair = tcp_pair(options);
    if (!pair) {
        ADD_FAILURE() << pair.error().sentence;
        return -1;
    }
    int patience = -1;
    socklen_t size = sizeof patience;
    EXPECT_EQ(::getsockopt(pair->peer.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, &size), 0);
    return patience;
}

TEST(Tcp, APeerGivesUpUnlessItIsNotTo) {
    TcpOptions options;
    options.local = options.peer = "127.0.0.1";
    EXPECT_EQ(patience_of_peer(options), 0);
    options.gives_up = false;
    EXPECT_GE(patience_of_peer(options), 600'000);
}

}  // namespace
}  // namespace zcrxlab
