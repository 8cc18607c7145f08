// Which releases have a bug: branches, candidates, branches that ended, and what is not known.
#include "kernels/bugs/standing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

using enum Standing;

FixedBug fixed_in_three_places() {
    return {.id = "bug",
            .title = "t",
            .user_sees = "u",
            .since = "6.15",
            .branches = {{.fixed = "6.18.16"}, {.fixed = "6.19.6"}},
            .mainline = "7.0",
            .complete = true,
            .source = "s"};
}

Standing of(const FixedBug& bug, std::string_view version) {
    return standing_of(bug, stated_release(version, "")).standing;
}

TEST(Standing, EachBranchHasItsOwnFix) {
    const FixedBug bug = fixed_in_three_places();
    EXPECT_EQ(of(bug, "6.18.15"), kAffected);
    EXPECT_EQ(of(bug, "6.18.16"), kFixed);
    EXPECT_EQ(of(bug, "6.19"), kAffected);
    EXPECT_EQ(of(bug, "6.19.5"), kAffected);
    EXPECT_EQ(of(bug, "6.19.6"), kFixed);
    EXPECT_EQ(of(bug, "7.0"), kFixed);
    EXPECT_EQ(of(bug, "7.3.4"), kFixed);
    EXPECT_EQ(of(bug, "8.1.2"), kFixed);
    EXPECT_EQ(standing_of(bug, Version{{6, 18, 20}, {}}).because, "fixed in 6.18.16");
}

TEST(Standing, ABranchThatEndedWithoutTheFixHasTheBug) {
    const FixedBug bug = fixed_in_three_places();
    EXPECT_EQ(of(bug, "6.15.11"), kAffected);
    EXPECT_EQ(of(bug, "6.17.13"), kAffected);
    EXPECT_EQ(standing_of(bug, Version{{6, 17, 13}, {}}).because,
              "no release of 6.17.y with the fix is known");
}

TEST(Standing, WhereTheListOfBranchesIsNotCompleteThatIsNotKnown) {
    FixedBug bug = fixed_in_three_places();
    bug.complete = false;
    EXPECT_EQ(of(bug, "6.17.13"), kNotKnown);
    EXPECT_EQ(of(bug, "6.18.15"), kAffected);
    bug.branches.push_back({.had = "6.17.8"});
    EXPECT_EQ(of(bug, "6.17.8"), kAffected);
    EXPECT_EQ(of(bug, "6.17.9"), kNotKnown);
}

TEST(Standing, BetweenTheLastBadAndTheFirstGoodReleaseItIsNotKnown) {
    FixedBug bug = fixed_in_three_places();
    bug.branches = {{.fixed = "7.3.4", .had = "7.3-rc7"}};
    bug.mainline = "7.4";
    EXPECT_EQ(of(bug, "7.3-rc3"), kAffected);
    EXPECT_EQ(of(bug, "7.3-rc7"), kAffected);
    EXPECT_EQ(of(bug, "7.3"), kNotKnown);
    EXPECT_EQ(of(bug, "7.3.3"), kNotKnown);
    EXPECT_EQ(of(bug, "7.3.4"), kFixed);
    EXPECT_EQ(of(bug, "7.4"), kFixed);
}

TEST(Standing, OlderThanTheBug) {
    const FixedBug bug = fixed_in_three_places();
    EXPECT_EQ(of(bug, "6.14.11"), kNeverHad);
    EXPECT_EQ(of(bug, "6.1.140"), kNeverHad);
    // The first candidate of the release that brought it has it.
    EXPECT_EQ(of(bug, "6.15-rc1"), kAffected);
}

TEST(Standing, WithoutABeginningOnlyWhatIsOlderThanTheFeatureIsClear) {
    FixedBug bug = fixed_in_three_places();
    bug.since = "";
    bug.complete = false;
    EXPECT_EQ(of(bug, "6.14.11"), kNeverHad);
    EXPECT_EQ(of(bug, "6.16.3"), kNotKnown);
    bug.driver = "gve";
    EXPECT_EQ(of(bug, "6.14.11"), kNotKnown);
}

TEST(Standing, CandidatesOfTheReleaseWithTheFix) {
    FixedBug bug = fixed_in_three_places();
    EXPECT_EQ(of(bug, "7.0-rc1"), kNotKnown);
    EXPECT_EQ(of(bug, "7.0-rc7"), kNotKnown);
    EXPECT_EQ(of(bug, "7.1-rc1"), kFixed);
    bug.mainline = "7.0-rc3";
    EXPECT_EQ(of(bug, "7.0-rc2"), kAffected);
    EXPECT_EQ(of(bug, "7.0-rc3"), kFixed);
    EXPECT_EQ(of(bug, "7.0"), kFixed);
}

TEST(Standing, ABranchThatThereIsNot) {
    EXPECT_EQ(of(fixed_in_three_places(), "6.20.1"), kNotKnown);
    EXPECT_EQ(of(fixed_in_three_places(), "4.19.300"), kNotKnown);
}

TEST(Standing, AMakersOwnKernelIsNotKnown) {
    const BugStanding found =
        standing_of(fixed_in_three_places(), stated_release("6.17.0-8-generic", ""));
    EXPECT_EQ(found.standing, kNotKnown);
    EXPECT_NE(found.because.find("--kernel 6.17.0"), std::string::npos) << found.because;
    EXPECT_FALSE(found.because.ends_with('.'));
}

}  // namespace
}  // namespace zcrxlab
