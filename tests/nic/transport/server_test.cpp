// Tests of Server and Connection over real sockets: life, full sockets, two servers in one loop.
#include "nic/transport/server.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>

#include "tests/nic/transport/client_messages.hpp"
#include "tests/nic/transport/fake_pci_device.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

using State = Server::State;

bool readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
}

// The client's end of a connection.
class Client {
  public:
    Client() = default;
    explicit Client(Fd socket) : socket_(std::move(socket)) {}

    // True if all of it was taken.
    bool send(const Bytes& bytes, const std::vector<Fd>& fds = {}) {
        iovec vector{const_cast<std::byte*>(bytes.data()), bytes.size()};
        msghdr header{};
        header.msg_iov = &vector;
        header.msg_iovlen = 1;
        alignas(cmsghdr) std::byte control[CMSG_SPACE(64 * sizeof(int))] = {};
        if (!fds.empty()) {
            header.msg_control = control;
            header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
            cmsghdr* one = CMSG_FIRSTHDR(&header);
            one->cmsg_level = SOL_SOCKET;
            one->cmsg_type = SCM_RIGHTS;
            one->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
            for (size_t i = 0; i < fds.size(); i++) {
                int fd = fds[i].get();
                std::memcpy(CMSG_DATA(one) + i * sizeof(int), &fd, sizeof(int));
            }
        }
        return ::sendmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    // What is there, up to `most` bytes.
    Bytes receive(size_t most = 1 << 20) {
        Bytes bytes(most);
        ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        bytes.resize(size > 0 ? static_cast<size_t>(size) : 0);
        return bytes;
    }
    void hang_up() { socket_.reset(); }
    int fd() const { return socket_.get(); }

  private:
    Fd socket_;
};

struct Port {
    FakePciDevice device;
    DmaMap dma;
    IrqVectors irq;
    std::unique_ptr<Server> server;
    Client client;

    void connect() {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        client = Client(Fd(ends[0]));
        auto served = Server::serve(Fd(ends[1]), device, dma, irq);
        ASSERT_TRUE(served.ok());
        server = std::move(served).value();
    }
    // The errno of the reply, 0 for success, -1 for none.
    int ask(Command command, const Bytes& body = {}, const std::vector<Fd>& fds = {}) {
        EXPECT_TRUE(client.send(request(command, body), fds));
        EXPECT_TRUE(readable(server->fd()));
        auto state = server->on_readable();
        EXPECT_TRUE(state.ok() && *state == State::kConnected);
        Bytes reply = client.receive();
        return reply.size() < sizeof(Header) ? -1 : static_cast<int>(at<Header>(reply).error);
    }
    void negotiate() { ASSERT_EQ(ask(Command::kVersion, version_body(kQemuCapabilities)), 0); }
    uint64_t counter(std::string_view name) const {
        for (const auto& [key, value] : server->counters())
            if (key == name) return value;
        ADD_FAILURE() << "no counter " << name;
        return 0;
    }
};

TEST(ServerTest, ServesAConnectedClient) {
    Port port;
    port.connect();
    EXPECT_EQ(*port.server->on_readable(), State::kConnected) << "nothing to do is no harm";
    port.negotiate();
    EXPECT_FALSE(readable(port.server->fd()));
    Fd file = memory_file(8192);
    EXPECT_EQ(port.ask(Command::kDmaMap, payload(DmaMapRequest{32, 3, 0, 0x10000, 8192}),
                       fd_list(copy_of(file))),
              0);
    Fd event = event_file();
    EXPECT_EQ(port.ask(Command::kDeviceSetIrqs, payload(IrqSet{20, 36, kIrqMsix, 3, 1}),
                       fd_list(copy_of(event))),
              0);
    EXPECT_EQ(
        port.ask(Command::kRegionWrite, payload(RegionAccess{4, kRegionConfig, 2}, uint16_t{6})),
        0);
    ASSERT_TRUE(port.dma.write_object(0x11000, uint32_t{0xabcd}));
    uint32_t seen = 0;
    ASSERT_EQ(::pread(file.get(), &seen, sizeof(seen), 0x1000), 4);
    EXPECT_EQ(seen, 0xabcdu);
    port.irq.raise(3);
    EXPECT_TRUE(readable(event.get()));
    EXPECT_EQ(port.counter("vfio_user.messages"), 4u);
    EXPECT_EQ(port.counter("vfio_user.dma_ranges"), 1u);
    EXPECT_EQ(port.counter("vfio_user.interrupts"), 1u);
    EXPECT_GT(port.counter("vfio_user.slowest_reply_ns"), 0u);
}

// Two functions of one machine: neither's doorbells wait for all of the other's.
TEST(ServerTest, ABusyClientGetsTurnsAsEverybodyElse) {
    constexpr size_t kWrites = 1000;
    Port port;
    port.connect();
    port.negotiate();
    const Bytes write =
        request(Command::kRegionWrite, payload(RegionAccess{0, 2, 4}, uint32_t{1}), kFlagNoReply);
    Bytes all;
    for (size_t i = 0; i < kWrites; ++i) all.insert(all.end(), write.begin(), write.end());
    ASSERT_TRUE(port.client.send(all));
    size_t turns = 0;
    for (size_t before = 0; readable(port.server->fd()); before = port.device.writes.size()) {
        ASSERT_EQ(*port.server->on_readable(), State::kConnected);
        EXPECT_LE(port.device.writes.size() - before, 20U);
        ASSERT_LT(++turns, kWrites);
    }
    EXPECT_EQ(port.device.writes.size(), kWrites);
}

TEST(ServerTest, HangingUpIsToldAndLetsGo) {
    Port port;
    port.connect();
    port.negotiate();
    ASSERT_EQ(port.ask(Command::kDmaMap, payload(DmaMapRequest{32, 3, 0, 0, 4096}),
                       fd_list(memory_file(4096))),
              0);
    port.client.hang_up();
    EXPECT_TRUE(readable(port.server->fd()));
    auto state = port.server->on_readable();
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(*state, State::kClosed);
    EXPECT_EQ(port.dma.ranges(), 0u);
    EXPECT_EQ(*port.server->on_readable(), State::kClosed);
    EXPECT_FALSE(readable(port.server->fd())) << "no busy loop afterwards";
}

TEST(ServerTest, AClientThatLeavesWithoutItsReplyHasHungUp) {
    Port port;
    port.connect();
    ASSERT_TRUE(port.client.send(request(Command::kVersion, version_body("{}"))));
    port.client.hang_up();
    auto state = port.server->on_readable();
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(*state, State::kClosed);
}

TEST(ServerTest, NonsenseInTheStreamIsAnError) {
    Port port;
    port.connect();
    port.negotiate();
    ASSERT_TRUE(port.client.send(payload(Header{1, 9, 7, 0, 0})));
    auto state = port.server->on_readable();
    ASSERT_FALSE(state.ok());
    EXPECT_EQ(state.error().code, EPROTO);
    EXPECT_EQ(port.server->state(), State::kClosed);
    EXPECT_EQ(*port.server->on_readable(), State::kClosed);
}

TEST(ServerTest, AClientThatReadsNothingOnlyHoldsUpItself) {
    Port port;
    port.connect();
    port.negotiate();
    Bytes read = request(Command::kRegionRead, payload(RegionAccess{0, kRegionConfig, 256}));
    size_t sent = 0;
    // Until neither side takes any more: the server must stop reading, and stop being woken.
    for (int round = 0; round < 100000; round++) {
        bool more = port.client.send(read);
        sent += more ? 1 : 0;
        bool work = readable(port.server->fd());
        if (work) {
            ASSERT_EQ(*port.server->on_readable(), State::kConnected);
        }
        if (!more && !work) break;
    }
    ASSERT_FALSE(port.client.send(read)) << "it never filled up";
    EXPECT_FALSE(readable(port.server->fd()));
    // It reads at last: every request gets its whole reply, in order.
    Bytes all;
    size_t reply = sizeof(Header) + sizeof(RegionAccess) + 256;
    for (int round = 0; round < 100000 && all.size() < sent * reply; round++) {
        Bytes part = port.client.receive();
        all.insert(all.end(), part.begin(), part.end());
        if (readable(port.server->fd())) {
            ASSERT_EQ(*port.server->on_readable(), State::kConnected);
        }
    }
    ASSERT_EQ(all.size(), sent * reply);
    for (size_t i = 0; i < sent; i++) {
        ASSERT_EQ(at<Header>(all, i * reply).size, reply);
        ASSERT_EQ(at<uint16_t>(all, i * reply + sizeof(Header) + sizeof(RegionAccess)), 0x1ae0);
    }
    EXPECT_EQ(port.ask(Command::kDeviceReset), 0) << "and it goes on";
}

TEST(ServerTest, ABusyClientDoesNotKeepTheLoop) {
    Port port;
    port.connect();
    port.negotiate();
    // A device that answers a write by making the client send another one would loop for ever.
    Bytes write =
        request(Command::kRegionWrite, payload(RegionAccess{0, 2, 4}, uint32_t{1}), kFlagNoReply);
    uint64_t writes = 0;
    port.device.on_write = [&](unsigned, uint64_t, std::span<const std::byte>) {
        writes += 1;
        port.client.send(write);
    };
    ASSERT_TRUE(port.client.send(write));
    ASSERT_EQ(*port.server->on_readable(), State::kConnected);
    EXPECT_GT(writes, 0u);
    EXPECT_LT(writes, 10000u);
    EXPECT_TRUE(readable(port.server->fd()));
}

TEST(ServerTest, TwoServersShareALoop) {
    Port ports[2];
    for (Port& port : ports) port.connect();
    for (Port& port : ports) port.negotiate();
    ports[1].device.shape.subsystem = 1;
    ASSERT_TRUE(ports[0].client.send(request(Command::kDeviceReset)));
    EXPECT_TRUE(readable(ports[0].server->fd()));
    EXPECT_FALSE(readable(ports[1].server->fd()));
    ASSERT_EQ(*ports[0].server->on_readable(), State::kConnected);
    EXPECT_EQ(ports[0].device.resets, 1);
    EXPECT_EQ(ports[1].device.resets, 0);
    ports[0].client.hang_up();
    EXPECT_EQ(*ports[0].server->on_readable(), State::kClosed);
    EXPECT_EQ(ports[1].ask(Command::kDeviceReset), 0);
}

class ListeningServerTest : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/zcrxlab-server-XXXXXX";
        ASSERT_NE(::mkdtemp(name), nullptr);
        directory = name;
        path = directory / "a.sock";
    }
    void TearDown() override { std::filesystem::remove_all(directory); }

    Result<std::unique_ptr<Server>> listen() {
        return Server::listen(path, port.device, port.dma, port.irq);
    }
    Fd connect_to_path() {
        Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
            socket.reset();
        return socket;
    }

    std::filesystem::path directory;
    std::filesystem::path path;
    Port port;
};

TEST_F(ListeningServerTest, AcceptsOneClientAndRemovesItsSocket) {
    auto server = listen();
    ASSERT_TRUE(server.ok()) << server.error().sentence;
    port.server = std::move(server).value();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_EQ(*port.server->on_readable(), State::kListening);
    int fd = port.server->fd();
    EXPECT_FALSE(readable(fd));

    port.client = Client(connect_to_path());
    ASSERT_GE(port.client.fd(), 0);
    EXPECT_TRUE(readable(fd));
    EXPECT_EQ(*port.server->on_readable(), State::kConnected);
    EXPECT_EQ(port.server->fd(), fd) << "a loop registers it once";
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(connect_to_path()) << "one client in a server's life";
    port.negotiate();
}

TEST_F(ListeningServerTest, LeavesNoSocketBehind) {
    {
        auto server = listen();
        ASSERT_TRUE(server.ok());
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ListeningServerTest, ATakenPathIsRefusedAndLeftAlone) {
    auto first = listen();
    ASSERT_TRUE(first.ok());
    auto second = listen();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, EADDRINUSE);
    EXPECT_NE(second.error().sentence.find("rm "), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(ListeningServerTest, ALongPathIsRefused) {
    path = directory / std::string(100, 'x');
    auto server = listen();
    ASSERT_FALSE(server.ok());
    EXPECT_EQ(server.error().code, ENAMETOOLONG);
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
