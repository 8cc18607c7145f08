// Kernels and the fixed bugs that they have, in doctor's words.
#include "cli/doctor/bugs_of_kernels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {
namespace {

FixedBug a_bug(std::string_view id, std::string_view fixed, std::string_view mainline) {
    return {.id = id,
            .title = "t",
            .user_sees = "u",
            .since = "6.15",
            .branches = {{.fixed = fixed}},
            .mainline = mainline,
            .complete = true,
            .source = "s"};
}

ExaminedKernel a_kernel(std::string name) {
    return {name, stated_release(name, "")};
}

std::vector<FixedBug> two_bugs() {
    return {a_bug("a-leak", "6.17.3", "6.18"), a_bug("a-stall", "6.18.9", "6.19")};
}

TEST(BugsOfKernels, AreToldOfThisMachineAndOfKernelsThatShareThem) {
    const std::vector<ExaminedKernel> others{a_kernel("6.16.3"), a_kernel("6.17.8"),
                                             a_kernel("6.16.12"), a_kernel("7.3.4")};
    const auto told = examine_bugs(two_bugs(), {}, a_kernel("6.18.5"), others);
    ASSERT_EQ(told.size(), 4u);
    EXPECT_EQ(told[0].health, Diagnosis::Health::kNote);
    EXPECT_EQ(told[0].sentence,
              "this machine's kernel 6.18.5: 1 of 2 fixed bugs of zero-copy receive: a-stall");
    EXPECT_EQ(told[0].cure, "vm/zcrxlab explain a-stall");
    EXPECT_EQ(told[1].sentence,
              "--kernel 6.16.3, 6.16.12: 2 of 2 fixed bugs of zero-copy receive: a-leak, a-stall");
    EXPECT_EQ(told[2].sentence, "--kernel 6.17.8: 1 of 2 fixed bugs of zero-copy receive: a-stall");
    EXPECT_EQ(told[3].health, Diagnosis::Health::kGood);
    EXPECT_EQ(told[3].sentence, "--kernel 7.3.4: none of 2 fixed bugs of zero-copy receive");
    EXPECT_EQ(doctor_exit_code(told), 0);
}

TEST(BugsOfKernels, WhatIsNotKnownIsNotCalledGood) {
    auto bugs = two_bugs();
    bugs[0].complete = false;
    const std::vector<ExaminedKernel> others{a_kernel("6.16.3")};
    const auto told = examine_bugs(bugs, {}, a_kernel("6.17.0-8-generic"), others);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].health, Diagnosis::Health::kNote);
    EXPECT_NE(told[0].sentence.find("6.17.0-8-generic has is not known"), std::string::npos);
    EXPECT_EQ(told[1].sentence,
              "--kernel 6.16.3: 1 of 2 fixed bugs of zero-copy receive: a-stall; "
              "not known of a-leak");
}

TEST(BugsOfKernels, WhatRunsHaveSeenStandsBesideWhatVersionsTell) {
    auto bugs = two_bugs();
    bugs[1].finding = "a-stall";
    const std::vector<Finding> findings{{.id = "a-stall",
                                         .happens = "h",
                                         .source = "s",
                                         .seen_on = "6.16.3, 6.17.8, gve",
                                         .not_on = "6.17.9",
                                         .shown_by = {}}};
    const std::vector<ExaminedKernel> others{a_kernel("6.16.3"), a_kernel("6.17.8"),
                                             a_kernel("6.17.9"), a_kernel("6.17.10")};
    const auto told = examine_bugs(bugs, findings, a_kernel("6.18.5"), others);
    ASSERT_EQ(told.size(), 3u);
    EXPECT_EQ(told[0].sentence,
              "this machine's kernel 6.18.5: 1 of 2 fixed bugs of zero-copy receive: a-stall");
    EXPECT_EQ(told[1].sentence,
              "--kernel 6.16.3: 2 of 2 fixed bugs of zero-copy receive: a-leak, a-stall; seen by "
              "runs: a-stall (6.16.3)");
    EXPECT_EQ(told[2].sentence,
              "--kernel 6.17.8, 6.17.9, 6.17.10: 1 of 2 fixed bugs of zero-copy receive: a-stall; "
              "seen by runs: a-stall (6.17.8); not seen by runs: a-stall (6.17.9)");
}

TEST(BugsOfKernels, NothingIsToldOfAnEmbargoedOne) {
    auto bugs = two_bugs();
    bugs[0].embargoed = true;
    const std::vector<ExaminedKernel> others{a_kernel("6.16.3")};
    for (const Diagnosis& told : examine_bugs(bugs, {}, a_kernel("6.16.3"), others)) {
        EXPECT_EQ(told.sentence.find("a-leak"), std::string::npos);
        EXPECT_NE(told.sentence.find("1 of 1 fixed"), std::string::npos) << told.sentence;
    }
}

}  // namespace
}  // namespace zcrxlab
