// Who is asked first: of the same function, of the same source, and not who fails slowly.
#include "cli/coverage/noticers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zcrxlab {
namespace {

Attempt noticed_by(const std::string& test, const std::string& function, double seconds = 1) {
    Attempt attempt{.name = "x", .source = "x.c", .function = function};
    attempt.verdict.noticed = true;
    attempt.verdict.test = test;
    attempt.verdict.seconds = seconds;
    return attempt;
}

const Attempt kMistake{.name = "y", .source = "x.c", .function = "f"};

using Scenarios = std::vector<std::string>;

TEST(Noticers, TheFunctionComesBeforeTheSource) {
    Noticers noticers;
    EXPECT_EQ(noticers.asked_first(kMistake, "", {}), Scenarios{});
    for (const char* test : {"often", "often", "once"}) noticers.remember(noticed_by(test, "g"));
    for (const char* test : {"earlier", "last"}) noticers.remember(noticed_by(test, "f"));
    EXPECT_EQ(noticers.asked_first(kMistake, "", {}),
              (Scenarios{"last", "earlier", "often", "once"}));
    EXPECT_EQ(noticers.asked_first(kMistake, "gve", {}), Scenarios{});
    EXPECT_EQ(noticers.asked_first(kMistake, "", {{"once", "nobody"}}), Scenarios{"once"});
}

TEST(Noticers, WhoNoticedNothingIsNotAsked) {
    Noticers noticers;
    Attempt missed = noticed_by("receive", "f");
    missed.verdict.noticed = false;
    noticers.remember(missed);
    noticers.remember(noticed_by("", "f"));
    EXPECT_EQ(noticers.asked_first(kMistake, "", {}), Scenarios{});
}

TEST(Noticers, WhoTakesLongToFailIsAskedLast) {
    Noticers noticers;
    noticers.remember(noticed_by("waits", "f", 100));
    noticers.remember(noticed_by("waits", "f", 1));
    noticers.remember(noticed_by("quick", "g"));
    EXPECT_EQ(noticers.asked_first(kMistake, "", {}), (Scenarios{"quick", "waits"}));
    for (int number = 0; number < 7; ++number)
        noticers.remember(noticed_by("quick." + std::to_string(number), "g"));
    const Scenarios few = noticers.asked_first(kMistake, "", {});
    EXPECT_EQ(few.size(), 8U);
    EXPECT_EQ(std::ranges::count(few, "waits"), 0);
}

}  // namespace
}  // namespace zcrxlab
