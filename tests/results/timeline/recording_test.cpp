// What a run has left is read back, and what is cut or foreign is named.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/trace/trace.hpp"
#include "tests/results/timeline/told_capture.hpp"
#include "tests/results/timeline/told_trace.hpp"

namespace zcrxlab {
namespace {

std::string line_of(const Event& event, const std::string& test) {
    std::string line = to_json(event);
    line.pop_back();
    return line + ",\"test\":\"" + test + "\"}\n";
}

std::string text_of(const std::vector<Event>& events, const std::string& test) {
    std::string text;
    for (const Event& event : events) text += line_of(event, test);
    return text;
}

TEST(Trace, IsReadTestByTest) {
    const std::vector<Event> events = told_trace();
    const auto tests =
        read_trace(text_of(events, "a.b") + text_of(events, "c.d") +
                   line_of({9, Note{"3897 events left out."}}, "c.e") +
                   line_of({9, Note{"12 DMA writes of this list left out."}}, "c.f") + "\n");
    ASSERT_TRUE(tests) << tests.error().sentence;
    ASSERT_EQ(tests->size(), 4U);
    EXPECT_EQ((*tests)[1].name, "c.d");
    ASSERT_EQ((*tests)[1].events.size(), events.size());
    EXPECT_EQ(to_json((*tests)[1].events[7]), to_json(events[7]));
    EXPECT_TRUE((*tests)[1].whole());
    EXPECT_EQ((*tests)[2].left_out, 3897U);
    EXPECT_FALSE((*tests)[2].whole());
    EXPECT_FALSE((*tests)[3].whole());
}

TEST(Trace, TheSameTestTwiceIsTwoTests) {
    const std::string once = text_of(told_trace(), "a.b");
    const auto tests = read_trace(once + once);
    ASSERT_TRUE(tests);
    EXPECT_EQ(tests->size(), 2U);
}

TEST(Trace, WhatIsCutOrForeignIsNamed) {
    const std::string good = text_of(told_trace(), "a.b");
    const auto error = [](const std::string& text) {
        const auto tests = read_trace(text);
        return tests ? "read" : tests.error().sentence;
    };
    EXPECT_EQ(error(""), "it is empty: no scenario of that run came to an end");
    EXPECT_NE(error(good.substr(0, good.size() - 10)).find("the file was cut"), std::string::npos);
    EXPECT_EQ(error("{\"t\":1}\n"), "line 1: an event of the trace lacks the field 'event'");
    EXPECT_EQ(error(good + "\x7f"
                           "ELF\n")
                  .substr(0, 5),
              "line ");
    EXPECT_NE(error("{}\n{\"a\"").find("line 1"), std::string::npos);
    EXPECT_NE(error("{\"t\":9223372036854775808,\"event\":\"Note\",\"text\":\"\"}\n").find("time"),
              std::string::npos);
    EXPECT_NE(error("{\"t\":1,\"event\":\"Note\",\"text\":\"\",\"test\":7}\n").find("name"),
              std::string::npos);
}

TEST(DeviceLog, IsRead) {
    const auto lines = read_device_log(
        "{\"t\":54,\"port\":1,\"what\":\"dropped\",\"text\":\"x\"}\n{\"what\":\"log\"}\n");
    ASSERT_TRUE(lines) << lines.error().sentence;
    ASSERT_EQ(lines->size(), 2U);
    EXPECT_EQ((*lines)[0].port, 1U);
    EXPECT_EQ((*lines)[0].text, "x");
    EXPECT_EQ((*lines)[1].nanoseconds, 54U);
    EXPECT_FALSE(read_device_log("[]\n"));
    EXPECT_FALSE(read_device_log("{\"t\":54}\n"));
    EXPECT_FALSE(read_device_log("{\"t\":54"));
}

TEST(Capture, IsReadAsItWasWritten) {
    const std::string bytes = told_capture();
    const auto capture = read_capture(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(capture) << capture.error().sentence;
    EXPECT_FALSE(capture->cut);
    ASSERT_EQ(capture->frames.size(), 3U);
    const Frame& syn = capture->frames[0];
    EXPECT_TRUE(syn.syn);
    EXPECT_FALSE(syn.ack);
    EXPECT_EQ(syn.family, 4);
    EXPECT_EQ(syn.source_port, 40000);
    EXPECT_NE(syn.text.find("[S] sequence 0 length 0"), std::string::npos) << syn.text;
    const Frame& data = capture->frames[1];
    EXPECT_EQ(data.payload, 4096U);
    EXPECT_EQ(data.sequence, 1U);
    EXPECT_NE(data.text.find("[PA] sequence 1 length 4096"), std::string::npos) << data.text;
    EXPECT_EQ(capture->frames[2].harmed, "fault 3: drop");
}

TEST(Capture, WhatIsCutOrForeignIsNamed) {
    const std::string bytes = told_capture();
    const auto read = [](std::string_view text) {
        return read_capture(std::as_bytes(std::span(text)));
    };
    const auto cut = read(std::string_view(bytes).substr(0, bytes.size() - 6));
    ASSERT_TRUE(cut);
    EXPECT_TRUE(cut->cut);
    EXPECT_EQ(cut->frames.size(), 2U);
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("a text, and a long one at that"));
    std::string wrong = bytes;
    wrong[wrong.size() - 4] ^= 4;
    EXPECT_FALSE(read(wrong));
}

Recording told_recording() {
    Recording recording;
    recording.tests = {told_test()};
    const std::string bytes = told_capture();
    auto capture = read_capture(std::as_bytes(std::span(bytes)));
    EXPECT_TRUE(capture);
    recording.frames = std::move(capture->frames);
    recording.device = {{static_cast<uint64_t>(kToldBegin + kToldData + 200'000 + kDeviceAhead), 0,
                         "fault drop", "TCP"}};
    return recording;
}

TEST(Clocks, TheWireIsPutOnTheGuestsClock) {
    const Recording recording = told_recording();
    const std::vector<Surroundings> all = surroundings_of(recording);
    ASSERT_EQ(all.size(), 1U);
    ASSERT_EQ(all[0].frames.size(), 3U);
    // The fastest way is that of the first segment to its CQE: 400 us, by which all is late.
    EXPECT_EQ(all[0].frames[0].at, kToldBegin + 4'400'000);
    EXPECT_EQ(all[0].frames[1].at, kToldBegin + kToldData + 500'000);
    ASSERT_EQ(all[0].lines.size(), 1U);
    EXPECT_EQ(all[0].lines[0].at, all[0].frames[2].at);

    const std::vector<Timeline> timelines =
        timelines_of(recording, nullptr, [](const std::string&) { return true; });
    ASSERT_EQ(timelines.size(), 1U);
    EXPECT_EQ(timelines[0].lanes[0].name, "wire");
    EXPECT_EQ(std::ranges::count(timelines[0].items, ItemKind::kHarm, &Item::kind), 2);
    EXPECT_TRUE(timelines_of(recording, nullptr, [](const std::string&) { return false; }).empty());
}

TEST(Clocks, WhatIsBetweenTwoTestsBelongsToTheSecond) {
    Recording recording = told_recording();
    RecordedTest earlier{.name = "earlier",
                         .events = {{static_cast<uint64_t>(kToldBegin - 500'000'000), Note{}}}};
    recording.tests.insert(recording.tests.begin(), earlier);
    const std::vector<Surroundings> all = surroundings_of(recording);
    EXPECT_TRUE(all[0].frames.empty());
    EXPECT_EQ(all[1].frames.size(), 3U);
}

TEST(Clocks, WithoutAConnectionNothingIsGuessed) {
    Recording recording = told_recording();
    for (Frame& frame : recording.frames) frame.source_port = 1;
    EXPECT_TRUE(surroundings_of(recording)[0].frames.empty());
    EXPECT_TRUE(surroundings_of(recording)[0].lines.empty());
}

}  // namespace
}  // namespace zcrxlab
