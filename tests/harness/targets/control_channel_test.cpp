// The control channel's client against a device that the tests play, well and badly.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "harness/targets/control_channel.hpp"
#include "harness/targets/nodev_target.hpp"

namespace zcrxlab {
namespace {

// The device's end of a channel: a thread that answers each line with what `answer` returns.
class FakeDevice {
  public:
    explicit FakeDevice(std::function<std::string(const std::string&)> answer) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
        client_ = Fd(ends[0]);
        device_ = Fd(ends[1]);
        thread_ = std::thread([this, answer = std::move(answer)] { serve(answer); });
    }
    ~FakeDevice() {
        ::shutdown(device_.get(), SHUT_RDWR);
        thread_.join();
    }
    ControlChannel channel() { return ControlChannel(std::move(client_)); }
    // Of a device that is to be silent: so long the test takes.
    ControlChannel impatient_channel() {
        ControlChannel impatient = channel();
        impatient.timeout = std::chrono::milliseconds(200);
        return impatient;
    }

  private:
    void serve(const std::function<std::string(const std::string&)>& answer) {
        std::string line;
        char byte = 0;
        while (::read(device_.get(), &byte, 1) == 1) {
            if (byte != '\n') {
                line += byte;
                continue;
            }
            const std::string reply = answer(line);
            if (::send(device_.get(), reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return;
            line.clear();
        }
    }

    Fd client_, device_;
    std::thread thread_;
};

std::string log_bytes(uint64_t first, size_t entries, size_t flows) {
    std::string bytes;
    for (size_t i = 0; i < entries; ++i) {
        DmaLogEntry entry{};
        entry.sequence = first + i;
        entry.address = 0x100000 + i * 4096;
        entry.length = 1448;
        bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    }
    for (size_t i = 0; i < flows; ++i) {
        DmaLogFlow flow{};
        flow.flow = static_cast<uint32_t>(i + 1);
        bytes.append(reinterpret_cast<const char*>(&flow), sizeof flow);
    }
    return bytes;
}

std::string log_answer(uint64_t first, size_t entries, size_t flows) {
    const size_t bytes = entries * sizeof(DmaLogEntry) + flows * sizeof(DmaLogFlow);
    return "{\"ok\":true,\"first\":" + std::to_string(first) +
           ",\"last\":" + std::to_string(first + entries - 1) +
           ",\"newest\":" + std::to_string(entries) +
           ",\"lost\":0,\"entries\":" + std::to_string(entries) +
           ",\"flows\":" + std::to_string(flows) + ",\"bytes\":" + std::to_string(bytes) + "}\n";
}

TEST(ControlChannel, AnAnswerIsALine) {
    FakeDevice device([](const std::string& line) {
        EXPECT_EQ(line, R"({"do":"counters"})");
        return std::string("{\"ok\":true,\"ports\":[]}\n");
    });
    auto channel = device.channel();
    const auto answer = channel.call(R"({"do":"counters"})");
    ASSERT_TRUE(answer) << answer.error().sentence;
    EXPECT_EQ(*answer, R"({"ok":true,"ports":[]})");
}

TEST(ControlChannel, ARefusalKeepsTheDevicesSentence) {
    FakeDevice device([](const std::string&) {
        return std::string("{\"ok\":false,\"error\":\"there is no port 7\"}\n");
    });
    auto channel = device.channel();
    const auto answer = channel.call("{}");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, EREMOTEIO);
    EXPECT_NE(answer.error().sentence.find("there is no port 7"), std::string::npos);
}

TEST(ControlChannel, WhatIsNoAnswerIsAnError) {
    for (const char* wrong :
         {"hello\n", "\n", "[1,2]\n", "{\"ok\":1}\n", "{}\n", "{\"ok\":tru\n"}) {
        FakeDevice device([wrong](const std::string&) { return std::string(wrong); });
        auto channel = device.channel();
        EXPECT_EQ(channel.call("{}").error().code, EPROTO) << wrong;
    }
}

TEST(ControlChannel, SilenceEndsInATimeout) {
    FakeDevice device([](const std::string&) { return std::string(); });
    auto channel = device.impatient_channel();
    EXPECT_EQ(channel.call("{}").error().code, ETIMEDOUT);
}

TEST(ControlChannel, AClosedChannelIsSaidSo) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ControlChannel channel{Fd(ends[0])};
    ::close(ends[1]);
    EXPECT_EQ(channel.call("{}").error().code, EPIPE);
}

TEST(ControlChannel, ACommandIsOneLine) {
    FakeDevice device([](const std::string&) { return std::string("{\"ok\":true}\n"); });
    auto channel = device.channel();
    EXPECT_EQ(channel.call("{}\n{}").error().code, EINVAL);
}

TEST(ControlChannel, TheLogFollowsItsAnswer) {
    FakeDevice device([](const std::string& line) {
        if (line.find("\"log\"") == std::string::npos) return std::string("{\"ok\":true}\n");
        EXPECT_NE(line.find("\"after\":41"), std::string::npos) << line;
        return log_answer(42, 3, 2) + log_bytes(42, 3, 2);
    });
    auto channel = device.channel();
    const auto log = channel.log(41);
    ASSERT_TRUE(log) << log.error().sentence;
    EXPECT_EQ(log->first, 42U);
    EXPECT_EQ(log->last, 44U);
    ASSERT_EQ(log->writes.entries.size(), 3U);
    EXPECT_EQ(log->writes.entries[2].sequence, 44U);
    EXPECT_EQ(log->writes.entries[2].address, 0x102000U);
    ASSERT_EQ(log->writes.flows.size(), 2U);
    EXPECT_EQ(log->writes.flows[1].flow, 2U);
    // The stream is in step again.
    EXPECT_TRUE(channel.call("{}"));
}

TEST(ControlChannel, ALogThatIsCutOffIsATimeout) {
    FakeDevice device([](const std::string&) {
        std::string bytes = log_bytes(1, 2, 0);
        bytes.pop_back();
        return log_answer(1, 2, 0) + bytes;
    });
    auto channel = device.impatient_channel();
    EXPECT_EQ(channel.log(0).error().code, ETIMEDOUT);
}

TEST(LogAnswer, NumbersMustFitEachOther) {
    EXPECT_TRUE(parse_log_answer(log_answer(1, 2, 3)));
    for (
        const char* wrong :
        {R"({"ok":true})",
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":1,"flows":0,"bytes":57})",
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":-1,"flows":0,"bytes":56})",
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":"1","flows":0,"bytes":56})",
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":1.5,"flows":0,"bytes":56})",
         // 56 * E overflows to 0.
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":2305843009213693952,"flows":0,"bytes":0})",
         R"({"ok":true,"first":1,"last":2,"newest":2,"lost":0,"entries":99999999,"flows":0,"bytes":5599999944})"}) {
        const auto answer = parse_log_answer(wrong);
        ASSERT_FALSE(answer) << wrong;
        EXPECT_EQ(answer.error().code, EPROTO);
    }
    EXPECT_EQ(parse_log_answer(R"({"ok":false,"error":"no"})").error().code, EREMOTEIO);
}

TEST(LogBytes, MustBeAsManyAsAnnounced) {
    LogAnnouncement announced;
    announced.entries = 1;
    const std::vector<std::byte> bytes(sizeof(DmaLogEntry));
    EXPECT_TRUE(parse_log_bytes(announced, bytes));
    EXPECT_FALSE(parse_log_bytes(announced, std::span(bytes).first(55)));
    announced.flows = 1;
    EXPECT_FALSE(parse_log_bytes(announced, bytes));
}

std::string asked_json(uint64_t number) {
    return R"({"number":)" + std::to_string(number) +
           R"(,"port":1,"kind":"dma","queue":"transmit queue 3","descriptor":17,"address":4096,)"
           R"("what":"a buffer is not mapped"})";
}

std::string forbidden_json(uint64_t newest, uint64_t lost, const std::string& asked) {
    return R"({"ok":true,"newest":)" + std::to_string(newest) + R"(,"lost":)" +
           std::to_string(lost) + R"(,"asked":[)" + asked + "]}";
}

TEST(ForbiddenAnswer, IsReadWhole) {
    const auto list = parse_forbidden_answer(forbidden_json(9, 0, asked_json(9)), 8);
    ASSERT_TRUE(list.ok()) << list.error().sentence;
    ASSERT_EQ(list->asked.size(), 1U);
    const ForbiddenAsked& asked = list->asked[0];
    EXPECT_EQ(asked.number, 9U);
    EXPECT_EQ(asked.port, 1U);
    EXPECT_EQ(asked.kind, "dma");
    EXPECT_EQ(asked.queue, "transmit queue 3");
    EXPECT_EQ(asked.descriptor, 17U);
    EXPECT_EQ(asked.address, 4096U);
    EXPECT_EQ(asked.what, "a buffer is not mapped");
    const auto bare = parse_forbidden_answer(
        forbidden_json(1, 0, R"({"number":1,"port":0,"kind":"register","queue":"","what":"w"})"),
        0);
    ASSERT_TRUE(bare.ok()) << bare.error().sentence;
    EXPECT_FALSE(bare->asked[0].descriptor || bare->asked[0].address);
    EXPECT_TRUE(parse_forbidden_answer(forbidden_json(0, 0, ""), 0).ok());
    EXPECT_TRUE(parse_forbidden_answer(forbidden_json(9, 0, ""), UINT64_MAX).ok());
    EXPECT_TRUE(parse_forbidden_answer(forbidden_json(9, 2, asked_json(9)), 6).ok());
}

TEST(ForbiddenAnswer, WhatDoesNotFitIsNone) {
    for (const std::string& json :
         {std::string(R"({"ok":true})"), forbidden_json(9, 0, ""),
          forbidden_json(9, 1, asked_json(8)), forbidden_json(9, 0, asked_json(9)),
          forbidden_json(7, 0, asked_json(8)),
          forbidden_json(9, 0, asked_json(8) + "," + asked_json(8)), forbidden_json(9, 9, ""),
          forbidden_json(8, 0, "1"), forbidden_json(8, 0, "{}"),
          forbidden_json(8, 0, R"({"number":8,"port":2,"kind":"dma","queue":"","what":"w"})"),
          forbidden_json(8, 0, R"({"number":8,"port":0,"kind":"dma","queue":7,"what":"w"})"),
          forbidden_json(8, 0, R"({"number":8,"port":0,"kind":"dma","queue":"","what":""})"),
          forbidden_json(
              8, 0, R"({"number":8,"port":0,"kind":"dma","queue":"","what":"w","address":-1})"),
          forbidden_json(8, 0,
                         R"({"number":8,"port":0,"kind":"dma","queue":"","what":")" +
                             std::string(1001, 'x') + R"("})")}) {
        const auto list = parse_forbidden_answer(json, 7);
        ASSERT_FALSE(list.ok()) << json;
        EXPECT_EQ(list.error().code, EPROTO);
    }
    EXPECT_EQ(parse_forbidden_answer(R"({"ok":false,"error":"no"})", 0).error().code, EREMOTEIO);
}

TEST(ControlChannel, ForbiddenRequestsAreReadToTheNewestOfTheFirstAnswer) {
    // Two in an answer, and the driver goes on asking.
    uint64_t newest = 5;
    FakeDevice device([&](const std::string& line) {
        const uint64_t after = std::stoull(line.substr(line.find("\"after\":") + 8));
        const std::string answer =
            forbidden_json(newest, 0, asked_json(after + 1) + "," + asked_json(after + 2)) + "\n";
        newest += 3;
        return answer;
    });
    const auto list = device.channel().forbidden(0);
    ASSERT_TRUE(list.ok()) << list.error().sentence;
    EXPECT_EQ(list->asked.size(), 6U);
    EXPECT_EQ(list->newest, 6U);  // where to go on
    EXPECT_EQ(list->asked.back().number, 6U);
}

TEST(ControlChannel, AMissingPathIsNamed) {
    const auto channel = ControlChannel::open("/no/such/channel");
    ASSERT_FALSE(channel);
    EXPECT_EQ(channel.error().code, ENOENT);
    EXPECT_NE(channel.error().sentence.find("ZCRXLAB_CONTROL"), std::string::npos);
}

TEST(NodevTarget, HasLoopbackAndNothingElse) {
    NodevTarget target;
    EXPECT_EQ(target.name(), "nodev");
    EXPECT_EQ(target.endpoints().local_v4, "127.0.0.1");
    EXPECT_EQ(target.endpoints().peer_v6, "::1");
    EXPECT_TRUE(target.endpoints().interface.empty());
    EXPECT_FALSE(target.abilities().dma_log);
    EXPECT_EQ(target.take_dma_log().error().code, ENOTSUP);
    EXPECT_EQ(target.inject({}).error().code, ENOTSUP);
}

TEST(Environment, SaysWhatIsMissing) {
    ::unsetenv("ZCRXLAB_TARGET");
    EXPECT_EQ(target_from_environment().error().code, EINVAL);
    ::setenv("ZCRXLAB_TARGET", "toaster", 1);
    EXPECT_NE(target_from_environment().error().sentence.find("toaster"), std::string::npos);
    ::setenv("ZCRXLAB_TARGET", "nodev", 1);
    auto target = target_from_environment();
    ASSERT_TRUE(target);
    EXPECT_EQ((*target)->name(), "nodev");
    ::setenv("ZCRXLAB_TARGET", "gve", 1);
    ::unsetenv("NETIF");
    EXPECT_NE(target_from_environment().error().sentence.find("NETIF"), std::string::npos);
    ::unsetenv("ZCRXLAB_TARGET");
}

}  // namespace
}  // namespace zcrxlab
