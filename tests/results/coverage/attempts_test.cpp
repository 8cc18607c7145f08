// Attempts: the score, and that nothing is lost on the way through a file.
#include "results/coverage/attempts.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

Attempt noticed() {
    Attempt attempt{.name = "a-1-logic", .title = "a becomes b"};
    attempt.verdict = {true, "cqe32.fields", "", "I1", "It stopped.", true, true};
    attempt.source = "io_uring/zcrx.c";
    attempt.function = "a";
    attempt.line = 1;
    attempt.at_times = {{"tcp.fin", {1, 1}, {2, 3}}};
    attempt.alone = {1, 2};
    attempt.verdict.seconds = 2.25;
    attempt.build_seconds = 1.5;
    attempt.run_seconds = 2.5;
    return attempt;
}

TEST(Attempts, NothingIsLostInAFile) {
    const Attempts attempts{"zcrx.c",
                            {noticed(),
                             {.name = "b", .set_aside = "It is freed.", .by_hand = true},
                             {.name = "c", .unreached = true}}};
    const auto back = attempts_from_json(to_json(attempts));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(attempts));
    EXPECT_EQ(back->all[0].verdict.said, "It stopped.");
    EXPECT_EQ(back->all[0].alone.runs, 2U);
    EXPECT_EQ(back->all[0].line, 1U);
    ASSERT_EQ(back->all[0].at_times.size(), 1U);
    EXPECT_EQ(back->all[0].at_times[0].without.failed, 2U);
    EXPECT_TRUE(back->all[0].verdict.guest_ended);
    EXPECT_TRUE(back->all[0].verdict.panicked);
    EXPECT_TRUE(back->all[2].unreached);
}

TEST(Attempts, WhatIsEmptyIsNotWritten) {
    EXPECT_EQ(to_json(Attempts{"zcrx.c", {{.name = "c", .unreached = true}, {.name = "d"}}}),
              "{\"terms\": \"zcrx.c\",\n"
              "\"score\": {\"tried\":2,\"noticed\":0,\"at_times\":0,\"unreached\":1,"
              "\"set_aside\":0,\"by_hand\":0,\"not_tried\":0},\n"
              "\"mistakes\": [\n"
              "{\"name\":\"c\",\"unreached\":true},\n"
              "{\"name\":\"d\"}\n]}\n");
    EXPECT_TRUE(attempts_from_json(to_json(Attempts{"zcrx.c", {}})));
}

// Who noticed, and how often, is what another call goes by; the rest says the source.
TEST(Attempts, ARecordHasVerdictsAndNoWords) {
    Attempt missed{.name = "b", .source = "x.c", .line = 2, .setting = "kernel.mutant_x=2"};
    const std::string record =
        to_record({"zcrx.c",
                   {noticed(),
                    missed,
                    {.name = "odd", .problem = "It does not fit."},
                    {.name = "poison", .set_aside = "Freed.", .by_hand = true},
                    {.name = "same", .set_aside = "The compiler makes the same."}}});
    for (const char* words : {"becomes", "It stopped", "run_seconds", "odd", "poison", "function"})
        EXPECT_EQ(record.find(words), std::string::npos) << words;
    const auto back = attempts_from_json(record);
    ASSERT_TRUE(back);
    ASSERT_EQ(back->all.size(), 3U);
    EXPECT_EQ(outcome_of(back->all[0]), Outcome::kNoticed);
    EXPECT_EQ(who_noticed(back->all[0]), "cqe32.fields (I1) in 1 of 2 runs: ");
    EXPECT_EQ(back->all[0].line, 1U);
    EXPECT_EQ(back->all[0].verdict.seconds, 2);
    EXPECT_EQ(back->all[1].setting, "kernel.mutant_x=2");
    EXPECT_EQ(outcome_of(back->all[2]), Outcome::kSetAside);
}

TEST(Attempts, WhatIsNoneOfOursIsRefused) {
    EXPECT_FALSE(attempts_from_json("[]"));
    EXPECT_FALSE(attempts_from_json("{}"));
    EXPECT_FALSE(attempts_from_json("{\"terms\": 1}"));
    const auto odd = attempts_from_json(R"({"terms": "x", "mistakes": [1, {"name": 2}]})");
    ASSERT_TRUE(odd);
    ASSERT_EQ(odd->all.size(), 1U);
    EXPECT_EQ(odd->all[0].name, "");
}

TEST(Attempts, OnlyWhatWasTriedCounts) {
    const std::vector<Attempt> all{noticed(),
                                   {.name = "missed"},
                                   {.name = "far", .unreached = true},
                                   {.name = "once", .at_times = {{"tcp.fin", {0, 3}, {}}}},
                                   {.name = "same", .set_aside = "The compiler makes the same."},
                                   {.name = "poison", .set_aside = "Freed.", .by_hand = true},
                                   {.name = "odd", .problem = "It does not fit."}};
    EXPECT_EQ(to_text(score_of(all)),
              "1 of 4 noticed, 1 more at times, 1 that no scenario comes by; 2 set aside, 1 of "
              "them by hand; 1 not tried");
    EXPECT_EQ(to_text(score_of({noticed()})), "1 of 1 noticed");
}

TEST(Attempts, WhatIsLeftTakesAsLongAsWhatWasTried) {
    EXPECT_EQ(progress_text(0, 9, 0), "tried 0 of 9");
    EXPECT_EQ(progress_text(3, 9, 90), "tried 3 of 9, about 3 min left");
    EXPECT_EQ(progress_text(8, 9, 80), "tried 8 of 9, about 10 s left");
    EXPECT_EQ(progress_text(9, 9, 90), "tried 9 of 9");
}

TEST(Attempts, ALineSaysWhoNoticedAndHow) {
    EXPECT_EQ(line_of(noticed()),
              "noticed      a-1-logic  2 s: a becomes b\n             by cqe32.fields (I1) in "
              "1 of 2 runs: It stopped.\n");
    EXPECT_EQ(line_of({.name = "missed", .title = "x"}), "not noticed  missed  0 s: x\n");
    Attempt elsewhere = noticed();
    elsewhere.verdict.nic = "nodev";
    EXPECT_EQ(who_noticed(elsewhere), "cqe32.fields on nodev (I1) in 1 of 2 runs: It stopped.");
}

TEST(Attempts, WhatShowsAtTimesHasItsRate) {
    EXPECT_EQ(line_of({.name = "a", .title = "x", .at_times = {{"tcp.fin", {0, 3}, {}}}}),
              "at times     a  0 s: x\n             tcp.fin failed, and alone in 0 of 3 runs\n");
    EXPECT_EQ(line_of({.name = "a", .title = "x", .at_times = {{"tcp.fin", {1, 2}, {1, 3}}}}),
              "at times     a  0 s: x\n             tcp.fin failed, and alone in 1 of 2 runs, but "
              "without the mistake in 1 of 3\n");
}

}  // namespace
}  // namespace zcrxlab
