// A program's run in the order of time: three clocks on one.
#include <gtest/gtest.h>

#include "results/exec/exec_trace.hpp"
#include "results/timeline/timeline.hpp"

namespace zcrxlab {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1000 * kMillisecond;
// When the program started: of the guest, and of this machine.
constexpr HostMoment kBegan{100 * kSecond, 1'700'000'000 * kSecond};
constexpr const char* kStarted = R"({"event":"started","pid":105,"monotonic":5000000000})";
constexpr const char* kPieces =
    R"({"event":"zcrx-time","seconds":1.5,"counts":{"piece":"{ common_pid: server [107], )"
    R"(ifq: 1, ok: 1 } hitcount: 3 len: 9000\n","returned":"{ ifq: 1 } hitcount: 1 refs: 2\n"}})";

DmaLogEntry write_at(int64_t nanoseconds, uint64_t sequence, uint8_t port = 0) {
    DmaLogEntry entry{};
    entry.sequence = sequence;
    entry.port = port;
    entry.kind = DmaKind::kPayload;
    entry.length = 4096;
    entry.queue = 3;
    entry.written = static_cast<uint32_t>(nanoseconds / 1000);
    return entry;
}

Frame syn_at(int64_t nanoseconds) {
    Frame frame;
    frame.nanoseconds = static_cast<uint64_t>(nanoseconds);
    frame.text = "a SYN";
    frame.family = 4;
    frame.source_port = 40000;
    frame.destination_port = 8080;
    frame.syn = true;
    return frame;
}

TEST(ExecTrace, PutsThreeClocksOnOne) {
    ExecTrace trace;
    trace.kernel_log(R"({"lines":["[    4.000000] before","[    6.000000] after","no time"]})");
    trace.program(kStarted, kBegan);
    trace.program(kPieces, {});
    trace.program(R"({"event":"ended","exit":7,"seconds":2})",
                  {kBegan.monotonic + 2 * kSecond, kBegan.wall + 2 * kSecond});
    DmaWrites log;
    log.entries = {write_at(kBegan.monotonic + 600 * kMillisecond, 1),
                   write_at(kBegan.monotonic + 601 * kMillisecond, 2, 1),
                   write_at(kBegan.monotonic + 602 * kMillisecond, 3)};
    trace.device(log);
    trace.driver({}, 0);
    Recording recording;
    recording.frames = {syn_at(kBegan.wall + 500 * kMillisecond)};
    const auto events = trace.events(recording.frames, ZcrxReport());
    auto tests = read_trace(trace_lines(events, "./server"));
    ASSERT_TRUE(tests) << tests.error().sentence;
    recording.tests = std::move(*tests);
    const auto timelines =
        timelines_of(recording, nullptr, [](const std::string&) { return true; });
    ASSERT_EQ(timelines.size(), 1U);
    const Timeline& timeline = timelines[0];
    EXPECT_EQ(timeline.test, "./server");
    EXPECT_TRUE(timeline.failures.empty());

    std::string told;
    for (const Item& item : timeline.items)
        told += std::to_string(item.at / kMillisecond) + " " + timeline.lanes[item.lane].brief +
                ": " + item.text.substr(0, 40) + "\n";
    EXPECT_EQ(told,
              "0 thread 105: the program was started\n"
              "500 wire: a SYN\n"
              "500 thread 105: stream 1 was opened over IPv4 from port \n"
              "600 device: port 0 wrote 4096 bytes to 0x0: DMA writ\n"
              "602 device: port 0 wrote 4096 bytes to 0x0: DMA writ\n"
              "602 device: the device logged 2 DMA writes of 0 flow\n"
              "1000 kernel: level 6: after\n"
              "1500 thread 107: server has received 9000 bytes in 3 piec\n"
              "1500 thread 105: the kernel has taken 2 pieces back so fa\n"
              "2000 thread 105: the program exited with 7\n"
              "2000 device: the device was asked what its driver had\n");
}

TEST(ExecTrace, StretchesTheTimeOfAGuestWhoseClockIsFast) {
    ExecTrace trace;
    trace.program(kStarted, kBegan);
    trace.program(R"({"event":"ended","exit":0,"seconds":40})",
                  {kBegan.monotonic + 4 * kSecond, 0});
    const auto events = trace.events({}, ZcrxReport());
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].nanoseconds, 5U * kSecond);
    EXPECT_EQ(events[1].nanoseconds, 9U * kSecond);
}

TEST(ExecTrace, ASynThatIsSentAgainIsNoOtherConnection) {
    ExecTrace trace;
    trace.program(kStarted, kBegan);
    Frame other = syn_at(kBegan.wall + 3 * kSecond);
    other.sequence = 77;
    const auto events = trace.events(
        {syn_at(kBegan.wall + kSecond), syn_at(kBegan.wall + 2 * kSecond), other}, ZcrxReport());
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[1].nanoseconds, 6U * kSecond);
    EXPECT_EQ(std::get<ConnectionOpened>(events[2].body).stream, 2U);
}

TEST(ExecTrace, SaysHowManyWritesItLeftOut) {
    ExecTrace trace;
    trace.program(kStarted, kBegan);
    DmaWrites log;
    for (uint64_t i = 0; i < 20'010; ++i) log.entries.push_back(write_at(kBegan.monotonic, i));
    log.lost = 5;
    trace.device(log);
    trace.driver({}, 0);
    const auto events = trace.events({}, ZcrxReport());
    const auto tests = read_trace(trace_lines(events, "x"));
    ASSERT_TRUE(tests);
    EXPECT_EQ(tests->front().left_out, 15U);
    EXPECT_FALSE(tests->front().whole());
}

TEST(ExecTrace, IsEmptyWithoutAStart) {
    ExecTrace trace;
    trace.program(kPieces, {});
    trace.program(R"({"event":"started","monotonic":-1})", kBegan);
    trace.kernel_log(R"({"lines":["[    4.000000] panic"]})");
    EXPECT_TRUE(trace.events({syn_at(kSecond)}, ZcrxReport()).empty());
}

}  // namespace
}  // namespace zcrxlab
