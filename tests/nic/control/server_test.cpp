// Tests of the control channel's sessions and sockets: partial lines, bounds, several clients,
// back-pressure.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "nic/control/device_log.hpp"
#include "nic/control/server.hpp"
#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic {
namespace {

using nlohmann::json;

constexpr const char* kPing = "{\"do\":\"ping\"}\n";
constexpr const char* kPong = "{\"ok\":true,\"version\":\"1\"}\n";

class ControlSession : public testing::Test {
  protected:
    ControlSession()
        : cable({[] { return uint64_t{5}; }, nullptr, {}, 1U << 18}), commands(cable, "1") {}

    // Everything there is to send now.
    static std::string take(Session& session, size_t most = ~size_t{0}) {
        auto output = session.output();
        std::string text(output.data(), std::min(most, output.size()));
        if (!text.empty()) session.sent(text.size());
        return text;
    }
    static void feed(Session& session, std::string_view text) {
        ASSERT_LE(text.size(), session.room());
        session.feed(text);
    }
    void fill_log(unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            cable.witness(0).wrote(DmaWitness::Kind::kPayload, i, 1, Delivery{}, 0, 0);
    }

    Cable cable;
    Commands commands;
};

TEST_F(ControlSession, LinesMayComeInAnyPieces) {
    Session session(commands);
    for (const char* at = kPing; *at != 0; ++at) {
        EXPECT_TRUE(session.output().empty());
        feed(session, std::string_view(at, 1));
    }
    EXPECT_EQ(take(session), kPong);
    feed(session, std::string(kPing) + "\n\r\n" + kPing + "{\"do\":");
    EXPECT_EQ(session.room(), 0U);  // it has not read its answer
    EXPECT_EQ(take(session), kPong);
    EXPECT_EQ(take(session), kPong);
    EXPECT_EQ(take(session), "");
    feed(session, "\"ping\"}\r\n");
    EXPECT_EQ(take(session), kPong);
}

TEST_F(ControlSession, ALongLineIsRefusedOnceAndTheNextOneWorks) {
    Session session(commands);
    // The longest that is possible is understood.
    std::string longest = "{\"do\":\"ping\"" + std::string(Session::kMaximumLine - 13, ' ') + "}";
    ASSERT_EQ(longest.size(), Session::kMaximumLine);
    feed(session, longest);
    EXPECT_EQ(session.room(), 1U);
    feed(session, "\n");
    EXPECT_EQ(take(session), kPong);
    for (int i = 0; i < 300; ++i) {
        feed(session, std::string(std::min<size_t>(1000, session.room()), 'x'));
        EXPECT_TRUE(session.output().empty());
        EXPECT_GT(session.room(), 0U);
    }
    feed(session, std::string("x\n") + kPing);
    EXPECT_EQ(json::parse(take(session))["ok"], false);
    EXPECT_EQ(take(session), kPong);
}

TEST_F(ControlSession, AnAnswerIsReadBeforeTheNextIsMade) {
    fill_log(1000);
    Session session(commands);
    feed(session, "{\"do\":\"log\"}\n{\"do\":\"log\"}\n");
    size_t one = session.output().size();
    EXPECT_GT(one, 1000 * sizeof(DmaLogEntry));
    EXPECT_EQ(take(session, 10).size(), 10U);
    EXPECT_EQ(session.output().size(), one - 10);
    EXPECT_EQ(session.room(), 0U);
    EXPECT_EQ(take(session).size(), one - 10);
    EXPECT_EQ(session.output().size(), one);
    EXPECT_EQ(take(session).size(), one);
    EXPECT_GT(session.room(), 0U);
}

// A server on a socket of its own, turned by hand.
class ControlSocket : public ControlSession {
  protected:
    ControlSocket() {
        char folder[] = "/tmp/zcrxlab-control-XXXXXX";
        EXPECT_NE(mkdtemp(folder), nullptr);
        folder_ = folder;
        path_ = folder_ + "/control";
        auto made = ControlServer::listen(path_, commands);
        EXPECT_TRUE(made.ok()) << made.error().sentence;
        server_ = std::move(made).value();
    }
    ~ControlSocket() override {
        server_.reset();
        EXPECT_EQ(rmdir(folder_.c_str()), 0);  // the socket is gone
    }

    Fd connect() {
        Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::copy(path_.begin(), path_.end(), address.sun_path);
        EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        return fd;
    }
    // Runs the server until it has nothing to do.
    void turn() {
        for (int i = 0; i < 10000 && ready(server_->fd()); ++i) server_->on_readable();
    }
    static bool ready(int fd) {
        pollfd one{fd, POLLIN, 0};
        return poll(&one, 1, 0) == 1;
    }
    static void say(const Fd& fd, std::string_view text) {
        ASSERT_EQ(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    static std::string hear(const Fd& fd) {
        std::string all;
        char buffer[65536];
        for (;;) {
            ssize_t count = recv(fd.get(), buffer, sizeof(buffer), 0);
            if (count <= 0) return all;
            all.append(buffer, static_cast<size_t>(count));
        }
    }

    std::string folder_;
    std::string path_;
    std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlSocket, SeveralClientsAtOnce) {
    Fd first = connect();
    Fd second = connect();
    say(first, "{\"do\":");
    say(second, kPing);
    turn();
    EXPECT_EQ(hear(first), "");
    EXPECT_EQ(hear(second), kPong);
    say(first, "\"ping\"}\n");
    turn();
    EXPECT_EQ(hear(first), kPong);
    EXPECT_EQ(server_->clients(), 2U);
    first.reset();
    second.reset();
    turn();
    EXPECT_EQ(server_->clients(), 0U);
    EXPECT_FALSE(ready(server_->fd()));
}

TEST_F(ControlSocket, NothingToDoIsNotReadable) {
    Fd client = connect();
    turn();
    EXPECT_FALSE(ready(server_->fd()));
    say(client, kPing);
    EXPECT_TRUE(ready(server_->fd()));
    turn();
    EXPECT_FALSE(ready(server_->fd()));
}

TEST_F(ControlSocket, ASlowReaderGetsItAllAndHoldsUpNobody) {
    fill_log(100000);
    Fd slow = connect();
    Fd quick = connect();
    say(slow, "{\"do\":\"log\"}\n{\"do\":\"ping\"}\n");
    turn();
    say(slow, kPing);  // it may ask on, but is not read while it is owed bytes
    EXPECT_FALSE(ready(server_->fd()));
    say(quick, kPing);
    turn();
    EXPECT_EQ(hear(quick), kPong);
    std::string all;
    for (int i = 0; i < 1000; ++i) {
        std::string part = hear(slow);
        all += part;
        turn();
        if (part.empty() && all.ends_with(std::string(kPong) + kPong)) break;
    }
    size_t end = all.find('\n');
    json line = json::parse(all.substr(0, end));
    EXPECT_EQ(line["entries"], Commands::kMaximumLogEntries);
    EXPECT_EQ(all.size(), end + 1 + line["bytes"].get<size_t>() + 2 * std::string(kPong).size());
}

TEST_F(ControlSocket, AClientThatLeavesWhileItIsOwedBytes) {
    fill_log(100000);
    Fd client = connect();
    say(client, "{\"do\":\"log\"}\n");
    turn();
    client.reset();
    turn();
    EXPECT_EQ(server_->clients(), 0U);
}

TEST_F(ControlSocket, TooManyClientsAreTurnedAway) {
    std::vector<Fd> clients;
    for (size_t i = 0; i < ControlServer::kMaximumClients; ++i) {
        clients.push_back(connect());
        turn();
    }
    Fd one_more = connect();
    turn();
    EXPECT_EQ(json::parse(hear(one_more))["ok"], false);
    clients.pop_back();
    turn();
    Fd another = connect();
    say(another, kPing);
    turn();
    EXPECT_EQ(hear(another), kPong);
}

TEST_F(ControlSocket, OnlyItsOwnerMayConnect) {
    struct stat info {};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    EXPECT_EQ(ControlServer::listen(path_, commands).error().code, EADDRINUSE);
    EXPECT_EQ(ControlServer::listen(std::string(200, 'x'), commands).error().code, ENAMETOOLONG);
}

TEST(DeviceLogFile, SamplesWhatRepeatsAndStopsAtItsSize) {
    Fd file(memfd_create("log", 0));
    auto size = [&] { return lseek(file.get(), 0, SEEK_END); };
    DeviceLog log(Fd(dup(file.get())), 200000);
    for (int i = 0; i < 3000; ++i) log.write({7, 1, "dropped", "why", 0});
    EXPECT_EQ(log.left_out(), 1998U);
    off_t before = size();
    for (int i = 0; i < 2000; ++i) log.write({7, 1, "fault drop", "TCP", 3});
    EXPECT_EQ(log.left_out(), 1998U);  // faults are never left out
    std::string text(static_cast<size_t>(size()), '\0');
    ASSERT_EQ(pread(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(text.substr(0, text.find('\n')), R"({"t":7,"port":1,"what":"dropped","text":"why"})");
    std::string fault = text.substr(static_cast<size_t>(before));
    EXPECT_EQ(fault.substr(0, fault.find('\n')),
              R"({"t":7,"port":1,"what":"fault drop","text":"TCP","rule":3})");
    for (int i = 0; i < 2000; ++i) log.write({7, 1, "fault drop", "TCP", 3});
    off_t full = size();
    EXPECT_LE(full, 200000 + 100);
    log.write({7, 1, "mark", "\xff", 0});
    EXPECT_EQ(size(), full);
}

}  // namespace
}  // namespace zcrxlab::nic
