// How long work still takes is said once something is done, and not too often.
#include "harness/base/time_left.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zcrxlab {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

TEST(TimeLeft, IsInWordsThatAPersonReads) {
    EXPECT_EQ(time_in_words(0.2), "1 s");
    EXPECT_EQ(time_in_words(120), "120 s");
    EXPECT_EQ(time_in_words(121), "3 min");
    EXPECT_EQ(time_in_words(7200), "120 min");
    EXPECT_EQ(time_in_words(9000), "2.5 h");
}

TEST(TimeLeft, GoesOnAsFastAsBefore) {
    EXPECT_EQ(time_left(3, 9, 90), "about 3 min left");
    EXPECT_EQ(time_left(8, 9, 80), "about 10 s left");
    EXPECT_EQ(time_left(0, 9, 5), "") << "nothing is known yet";
    EXPECT_EQ(time_left(9, 9, 90), "");
    EXPECT_EQ(time_left(10, 9, 90), "") << "one was done again";
}

TEST(TimeLeft, IsToldNowAndThen) {
    std::vector<std::string> lines;
    WorkProgress work("scenarios", [&](const std::string& line) { lines.push_back(line); });
    const auto begin = steady_clock::now();
    work.tell(0, 100, begin);
    work.tell(5, 100, begin + seconds(9));
    EXPECT_TRUE(lines.empty());
    work.tell(10, 100, begin + seconds(10));
    work.tell(11, 100, begin + seconds(11));
    work.tell(40, 100, begin + seconds(20));
    work.tell(100, 100, begin + seconds(60));
    EXPECT_EQ(lines, (std::vector<std::string>{"10 of 100 scenarios, about 90 s left",
                                               "40 of 100 scenarios, about 30 s left"}));
}

TEST(TimeLeft, WhatWasThereBeforeTookNoTime) {
    std::vector<std::string> lines;
    WorkProgress work("runs", [&](const std::string& line) { lines.push_back(line); });
    const auto begin = steady_clock::now();
    work.tell(50, 100, begin);
    work.tell(60, 100, begin + seconds(10));
    EXPECT_EQ(lines, std::vector<std::string>{"60 of 100 runs, about 40 s left"});
}

}  // namespace
}  // namespace zcrxlab
