// The sending peer over loopback, received with plain recv.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <vector>

#include "harness/net/peer.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

TcpOptions loopback(uint8_t family = 4) {
    TcpOptions options;
    options.family = family;
    options.local = family == 6 ? "::1" : "127.0.0.1";
    return options;
}

// Reads until EOF or an error; the errno, 0 for EOF.
int drain(int socket, std::vector<std::byte>& bytes) {
    std::vector<std::byte> chunk(65536);
    for (;;) {
        const ssize_t got = ::recv(socket, chunk.data(), chunk.size(), 0);
        if (got < 0) return errno;
        if (got == 0) return 0;
        bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
    }
}

template <typename T>
std::vector<T> events_of(const Trace& trace) {
    std::vector<T> found;
    for (const Event& event : trace.events()) {
        if (const auto* body = std::get_if<T>(&event.body)) found.push_back(*body);
    }
    return found;
}

TEST(Peer, SendsThePatternAndEnds) {
    Trace trace;
    auto pair = open_stream(loopback(), 7, 99, trace);
    ASSERT_TRUE(pair) << pair.error().sentence;
    PeerPlan plan;
    plan.stream = 7;
    plan.seed = 99;
    plan.total = 300000;
    plan.chunks = {1, 1447, 3001, 65536};
    std::vector<std::byte> bytes;
    {
        Peer peer(std::move(pair->peer), plan, trace);
        EXPECT_EQ(drain(pair->receiver.get(), bytes), 0);
        EXPECT_TRUE(peer.wait());
        EXPECT_EQ(peer.sent(), 300000U);
        EXPECT_TRUE(peer.finished());
    }
    ASSERT_EQ(bytes.size(), 300000U);
    EXPECT_FALSE(Pattern(99).compare(bytes, 0));

    const auto opened = events_of<ConnectionOpened>(trace);
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].source_port, pair->peer_port);
    EXPECT_EQ(opened[0].destination_port, pair->receiver_port);
    const auto sent = events_of<PeerSent>(trace);
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.back().total, 300000U);
    EXPECT_EQ(sent.front().total, 1U);
    const auto closed = events_of<PeerClosed>(trace);
    ASSERT_EQ(closed.size(), 1U);
    EXPECT_FALSE(closed[0].reset);
}

TEST(Peer, ResetsWherePlanned) {
    Trace trace;
    auto pair = open_stream(loopback(6), 1, 1, trace);
    ASSERT_TRUE(pair) << pair.error().sentence;
    PeerPlan plan;
    plan.total = 100;
    plan.end = PeerEnd::kReset;
    Peer peer(std::move(pair->peer), plan, trace);
    ASSERT_TRUE(peer.wait());
    std::vector<std::byte> bytes;
    EXPECT_EQ(drain(pair->receiver.get(), bytes), ECONNRESET);
    EXPECT_TRUE(events_of<PeerClosed>(trace).at(0).reset);
}

TEST(Peer, AnIdleOneSendsMoreWhenAsked) {
    Trace trace;
    auto pair = open_stream(loopback(), 1, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.seed = 5;
    plan.total = 10;
    plan.end = PeerEnd::kIdle;
    std::vector<std::byte> bytes(30);
    {
        Peer peer(std::move(pair->peer), plan, trace);
        ASSERT_TRUE(peer.wait());
        EXPECT_EQ(peer.sent(), 10U);
        peer.send_more(20);
        ASSERT_TRUE(peer.wait());
        EXPECT_EQ(peer.sent(), 30U);
        EXPECT_EQ(::recv(pair->receiver.get(), bytes.data(), 30, MSG_WAITALL), 30);
    }
    EXPECT_FALSE(Pattern(5).compare(bytes, 0));
    EXPECT_TRUE(events_of<PeerClosed>(trace).empty());
}

// In an emulated guest each look is an interrupt.
TEST(Peer, AnIdleOneDoesNotLookAgainAndAgain) {
    Trace trace;
    auto pair = open_stream(loopback(), 1, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.total = 10;
    plan.end = PeerEnd::kIdle;
    Peer peer(std::move(pair->peer), plan, trace);
    ASSERT_TRUE(peer.wait());
    const auto waits = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_nvcsw;
    };
    const auto before = waits();
    std::this_thread::sleep_for(200ms);
    EXPECT_LT(waits() - before, 20) << "of all threads";
}

TEST(Peer, StopsWhileTheSocketIsFull) {
    Trace trace;
    auto pair = open_stream(loopback(), 1, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.total = UINT64_MAX;
    const auto started = std::chrono::steady_clock::now();
    {
        Peer peer(std::move(pair->peer), plan, trace);
        // Full is where nothing more was taken for a while.
        for (uint64_t before = 0; before == 0 || before != peer.sent();) {
            before = peer.sent();
            std::this_thread::sleep_for(10ms);
        }
        peer.stop();
        EXPECT_TRUE(peer.wait());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - started, 5s);
}

TEST(Peer, TellsWhyItCouldNotSend) {
    Trace trace;
    auto pair = open_stream(loopback(), 3, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.stream = 3;
    plan.total = UINT64_MAX;
    Peer peer(std::move(pair->peer), plan, trace);
    std::this_thread::sleep_for(20ms);
    pair->receiver.reset();
    const auto ended = peer.wait();
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().code == ECONNRESET || ended.error().code == EPIPE);
    EXPECT_NE(ended.error().sentence.find("stream 3"), std::string::npos);
}

TEST(Peer, DamageIsSent) {
    Trace trace;
    auto pair = open_stream(loopback(), 1, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.seed = 5;
    plan.total = 1000;
    plan.damage = [](std::span<std::byte> bytes, uint64_t position) {
        if (position <= 500 && 500 < position + bytes.size()) bytes[500 - position] ^= std::byte{1};
    };
    Peer peer(std::move(pair->peer), plan, trace);
    std::vector<std::byte> bytes;
    EXPECT_EQ(drain(pair->receiver.get(), bytes), 0);
    const auto mismatch = Pattern(5).compare(bytes, 0);
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->position, 500U);
}

TEST(Peer, KeepsToItsRate) {
    Trace trace;
    auto pair = open_stream(loopback(), 1, 5, trace);
    ASSERT_TRUE(pair);
    PeerPlan plan;
    plan.total = 10000;
    plan.chunks = {1000};
    plan.rate = 100000;
    const auto started = std::chrono::steady_clock::now();
    Peer peer(std::move(pair->peer), plan, trace);
    ASSERT_TRUE(peer.wait());
    EXPECT_GE(std::chrono::steady_clock::now() - started, 95ms);
}

TEST(Tcp, SeveralConnectionsToOnePort) {
    Trace trace;
    auto listener = tcp_listen(loopback());
    ASSERT_TRUE(listener) << listener.error().sentence;
    auto first = open_stream(*listener, loopback(), 1, 1, trace);
    auto second = open_stream(*listener, loopback(), 2, 2, trace);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->receiver_port, second->receiver_port);
    EXPECT_NE(first->peer_port, second->peer_port);
}

TEST(Tcp, ErrorsNameBothEnds) {
    auto options = loopback();
    options.local = "not an address";
    EXPECT_EQ(tcp_listen(options).error().code, EINVAL);
    options = loopback();
    const TcpListener nobody{Fd(), 1};
    const auto refused = tcp_connect(nobody, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ECONNREFUSED);
    EXPECT_NE(refused.error().sentence.find("127.0.0.1 port 1"), std::string::npos);
}

TEST(Tcp, AMissingNamespaceIsNamed) {
    auto options = loopback();
    options.peer_namespace = "/run/netns/no-such-namespace";
    auto listener = tcp_listen(options);
    ASSERT_TRUE(listener);
    const auto pair = tcp_connect(*listener, options);
    ASSERT_FALSE(pair);
    EXPECT_EQ(pair.error().code, ENOENT);
    EXPECT_NE(pair.error().sentence.find("no-such-namespace"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
