// The console is cut into lines, and a kernel in trouble is noticed.
#include "vm/watch/console.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zcrxlab {
namespace {

TEST(ConsoleSigns, PanicsAndOopsesAreSeen) {
    EXPECT_EQ(sign_of("[    2.1] Kernel panic - not syncing: sysrq triggered crash"),
              ConsoleSign::kPanic);
    EXPECT_EQ(sign_of("[    1.0] Kernel panic - not syncing: VFS: Unable to mount root fs"),
              ConsoleSign::kPanic);
    EXPECT_EQ(sign_of("[    2.0] ---[ end Kernel panic - not syncing: Fatal exception ]---"),
              ConsoleSign::kPanic);
    EXPECT_EQ(sign_of("[    2.0] Oops: 0002 [#1] SMP NOPTI"), ConsoleSign::kOops);
    EXPECT_EQ(sign_of("[    2.0] Oops: general protection fault, maybe for address 0x1: 0000 [#1]"),
              ConsoleSign::kOops);
}

TEST(ConsoleSigns, OrdinaryLinesAreNot) {
    EXPECT_EQ(sign_of(""), ConsoleSign::kNothing);
    EXPECT_EQ(sign_of("[    0.0] Command line: console=ttyS0 panic=-1 oops=panic"),
              ConsoleSign::kNothing);
    EXPECT_EQ(sign_of("[    3.0] WARNING: CPU: 0 PID: 1 at io_uring/zcrx.c:1"),
              ConsoleSign::kNothing);
}

TEST(ConsoleLinesTest, LinesComeWholeHoweverTheyArrive) {
    std::vector<std::string> lines;
    ConsoleLines console([&](const std::string& line) { lines.push_back(line); });
    for (char c : std::string("one\r\ntwo\n\nrest")) console.feed(std::string(1, c));
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", ""}));
    EXPECT_EQ(console.tail(), "one\ntwo\n\nrest\n");
}

TEST(ConsoleLinesTest, OnlyTheLastLinesAreKept) {
    ConsoleLines console;
    for (int i = 0; i < 1000; ++i) console.feed(std::to_string(i) + "\n");
    const std::string tail = console.tail();
    EXPECT_EQ(tail.substr(0, 4), "960\n");
    EXPECT_EQ(tail.substr(tail.size() - 4), "999\n");
}

TEST(ConsoleLinesTest, AnEndlessLineIsCut) {
    size_t lines = 0;
    ConsoleLines console([&](const std::string& line) {
        ++lines;
        EXPECT_LE(line.size(), ConsoleLines::kLongest);
    });
    console.feed(std::string(10 * ConsoleLines::kLongest, 'x'));
    EXPECT_EQ(lines, 10U);
}

}  // namespace
}  // namespace zcrxlab
