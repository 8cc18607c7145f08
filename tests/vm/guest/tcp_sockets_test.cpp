// The kernel's tables of TCP sockets, read.
#include "vm/guest/tcp_sockets.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/fd.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 00000000:1F90 00000000:0000 0A 00000000:00000002 00:00000000 00000000     0\n"
    "   1: 0100007F:0016 0100007F:9C40 08 0001F000:00000A00 00:00000000 00000000     0\n"
    "   2: 00000000000000000000000001000000:270F 00000000000000000000000000000000:0000 0A 0:0\n"
    "nonsense\n"
    "   3: 00000000:ZZZZ 00000000:0000 0A 0:0\n"
    "   4: 00000000:0016 00000000:0000 100 0:0\n"
    "   5: 00000000:0016 00000000:0000 0A 00\n"
    "   6: 00000000:0016 00000000:0000 0A\n"
    "   7: 00000000 00000000:0000 0A 0:0";

TEST(TcpSockets, AreTheRowsOfTheTable) {
    const auto sockets = tcp_sockets_in(kTable);
    ASSERT_EQ(sockets.size(), 3U);
    EXPECT_EQ(sockets[0], (TcpSocket{8080, kTcpListen, 0, 2}));
    EXPECT_EQ(sockets[1], (TcpSocket{22, kTcpCloseWait, 0x1F000, 0xA00}));
    EXPECT_EQ(sockets[2], (TcpSocket{9999, kTcpListen, 0, 0}));
    EXPECT_TRUE(tcp_sockets_in("").empty());
}

TEST(TcpSockets, TellWhoListensHere) {
    const Fd listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener) GTEST_SKIP() << "there is no IPv6 here";
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    sockaddr_in6 address{};
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    const uint16_t port = ntohs(address.sin6_port);
    EXPECT_TRUE(listens(::getpid(), {port}));
    EXPECT_TRUE(listens(::getpid(), {}));
    EXPECT_FALSE(listens(::getpid(), {0}));
}

}  // namespace
}  // namespace zcrxlab
