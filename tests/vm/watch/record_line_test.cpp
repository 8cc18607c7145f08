// What a person is told of records, in whatever order they come.
#include "vm/watch/record_line.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

const Watch::Time kStart{};

std::string line_after(Watch& watch, const Record& record) {
    watch.record(record, kStart + std::chrono::milliseconds(1500));
    return line_of(record, watch);
}

TEST(RecordLine, ABootAndAnEnd) {
    Watch watch({}, kStart);
    EXPECT_EQ(line_after(watch, {RecordType::kHello, R"({"kernel":"7.3.4"})"}),
              "booted 7.3.4 in 1.5 s");
    EXPECT_EQ(line_after(watch, {RecordType::kTestStarted, R"({"name":"a.b"})"}), "");
    const Record ended{RecordType::kTestEnded, R"({"name":"a.b","status":"passed","seconds":1})"};
    EXPECT_NE(line_after(watch, ended).find("a.b"), std::string::npos);
}

// It came up, perhaps, and nobody knows when.
TEST(RecordLine, AHelloBehindAPanicIsNoBoot) {
    Watch watch({}, kStart);
    watch.console_line("[    1.0] Kernel panic - not syncing: x", kStart);
    ASSERT_EQ(watch.state(), VmState::kPanicked);
    EXPECT_EQ(line_after(watch, {RecordType::kHello, R"({"kernel":"7.3.4"})"}), "");
}

TEST(RecordLine, ANotice) {
    EXPECT_EQ(notice_of({RecordType::kNotice, R"({"text":"t"})"}), "t");
    for (const char* text : {"", "[]", "{}", R"({"text":1})", R"({"text":null})"})
        EXPECT_EQ(notice_of({RecordType::kNotice, text}), "") << text;
}

}  // namespace
}  // namespace zcrxlab
