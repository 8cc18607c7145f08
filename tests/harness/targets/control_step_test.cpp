// Getting in step with a channel on which an earlier user left answers unread.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/targets/control_channel.hpp"

namespace zcrxlab {
namespace {

// Listens at a path, sends `stale` to whom connects, then answers two lines.
class ListeningDevice {
  public:
    ListeningDevice(std::string stale, bool repeats_token) {
        path_ = ::testing::TempDir() + "zcrxlab-control-" + std::to_string(::getpid());
        ::unlink(path_.c_str());
        listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
        if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener_.get(), 1) != 0)
            std::abort();
        thread_ = std::thread([this, stale = std::move(stale), repeats_token] {
            const Fd connection(::accept(listener_.get(), nullptr, nullptr));
            send(connection, stale);
            for (int i = 0; i < 2; ++i) {
                const auto command = nlohmann::json::parse(line(connection), nullptr, false);
                nlohmann::json answer = {{"ok", true}, {"version", "1"}};
                if (repeats_token && command.contains("token")) answer["token"] = command["token"];
                send(connection, answer.dump() + "\n");
            }
        });
    }
    ~ListeningDevice() {
        thread_.join();
        ::unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }

  private:
    static void send(const Fd& fd, const std::string& text) {
        if (!text.empty()) ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
    static std::string line(const Fd& fd) {
        std::string text;
        char byte = 0;
        while (::read(fd.get(), &byte, 1) == 1 && byte != '\n') text += byte;
        return text;
    }

    std::string path_;
    Fd listener_;
    std::thread thread_;
};

void expect_in_step(const std::string& stale) {
    ListeningDevice device(stale, true);
    auto channel = ControlChannel::open(device.path());
    ASSERT_TRUE(channel) << channel.error().sentence;
    const auto answer = channel->call(R"({"do":"x"})");
    ASSERT_TRUE(answer) << answer.error().sentence;
    EXPECT_EQ(*answer, R"({"ok":true,"version":"1"})");
}

TEST(ControlStep, OnAQuietChannel) {
    expect_in_step("");
}

TEST(ControlStep, PastAnAnswerThatNobodyRead) {
    expect_in_step("{\"ok\":true,\"version\":\"1\",\"token\":\"somebody else's\"}\n");
}

TEST(ControlStep, PastTheMiddleOfALog) {
    std::string stale(5000, '\xff');
    for (size_t i = 0; i < stale.size(); i += 7) stale[i] = '\n';
    expect_in_step(stale + "\n");
}

TEST(ControlStep, NeverWithADeviceThatOnlySays) {
    ListeningDevice device("", false);
    const auto channel = ControlChannel::open(device.path(), std::chrono::milliseconds(100));
    ASSERT_FALSE(channel);
    EXPECT_EQ(channel.error().code, ETIMEDOUT);
}

}  // namespace
}  // namespace zcrxlab
