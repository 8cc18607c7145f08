// Items, lanes and failures; what is folded; the text.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/timeline/fold.hpp"
#include "results/timeline/render.hpp"
#include "tests/results/timeline/told_trace.hpp"

namespace zcrxlab {
namespace {

std::vector<std::string> lanes_of(const Timeline& timeline) {
    std::vector<std::string> names;
    for (const Lane& lane : timeline.lanes) names.push_back(lane.name);
    return names;
}

TEST(Timeline, HasALaneForEachRingAndThread) {
    const Timeline timeline = told_story();
    EXPECT_EQ(lanes_of(timeline),
              (std::vector<std::string>{"device", "kernel log", "ring of ifq 1, eth0 queue 1",
                                        "thread 312", "thread 313", "runner, before and after"}));
    for (const Item& item : timeline.items) {
        if (item.kind == ItemKind::kData) {
            EXPECT_EQ(timeline.lanes[item.lane].brief, "ring 1");
            ASSERT_NE(item.thread, Item::kNoLane);
            EXPECT_EQ(timeline.lanes[item.thread].brief, "thread 312");
        }
        if (item.kind == ItemKind::kSent) {
            EXPECT_EQ(timeline.lanes[item.lane].brief, "thread 313");
        }
    }
    EXPECT_TRUE(std::ranges::is_sorted(timeline.items, {}, &Item::at));
}

TEST(Timeline, ThreadsOfOlderTracesAreNotToldApart) {
    RecordedTest test = told_test();
    for (Event& event : test.events) event.thread = 0;
    EXPECT_EQ(lanes_of(timeline_of(test, {}, nullptr)).back(), "threads, not told apart");
}

TEST(Timeline, WhatTheDeviceWroteStandsInFrontOfItsCqe) {
    const Timeline timeline = told_story();
    size_t writes = 0;
    for (const Item& item : timeline.items) {
        if (item.kind == ItemKind::kWrite) ++writes;
        if (item.kind == ItemKind::kData) --writes;
        EXPECT_LE(writes, 1U);
    }
    EXPECT_EQ(writes, 0U);
}

TEST(Timeline, AKernelMessageStandsWhereItWasWritten) {
    const Timeline timeline = told_story();
    const auto message = std::ranges::find(timeline.items, ItemKind::kKernel, &Item::kind);
    ASSERT_NE(message, timeline.items.end());
    EXPECT_EQ(message->at, 2'000'000);
    EXPECT_EQ(message->text, "level 6: gve eth0: Device link is up.");
}

TEST(Timeline, AFailureIsAtTheEventThatBroke) {
    const Timeline timeline = told_story({.twice = 10});
    ASSERT_TRUE(timeline.judged);
    ASSERT_FALSE(timeline.failures.empty());
    const auto overlap = std::ranges::find(timeline.failures, "I3", &Breach::name);
    ASSERT_NE(overlap, timeline.failures.end());
    const Item& item = timeline.items[overlap->item];
    EXPECT_EQ(item.kind, ItemKind::kData);
    EXPECT_NE(item.text.find("stream position 40960"), std::string::npos) << item.text;
    EXPECT_NE(overlap->sentence.find("live ranges overlap"), std::string::npos);
    EXPECT_TRUE(told_story().failures.empty());
}

TEST(Timeline, WhatIsCutIsNotJudged) {
    RecordedTest test = told_test({.twice = 10});
    test.left_out = 5;
    const Timeline timeline = timeline_of(test, {}, nullptr);
    EXPECT_FALSE(timeline.judged);
    EXPECT_TRUE(timeline.failures.empty());
}

TEST(Timeline, WhatTheScenarioFoundItselfIsAtTheEnd) {
    const TestResult verdict{
        .name = "receive.told",
        .status = TestStatus::kKnown,
        .seconds = 1,
        .message = "Known issue x: y.\nfile.cpp:3: Value of: a\nIt claims: b."};
    const Timeline timeline = timeline_of(told_test(), {}, &verdict);
    ASSERT_EQ(timeline.failures.size(), 1U);
    EXPECT_EQ(timeline.failures[0].item, timeline.items.size() - 1);
    EXPECT_EQ(timeline.failures[0].name, "");
    EXPECT_EQ(timeline.failures[0].sentence, "file.cpp:3: Value of: a");
}

std::vector<bool> shown(const Timeline& timeline) {
    std::vector<bool> shown(timeline.items.size(), false);
    size_t reached = 0;
    for (const Fold& fold : folds_of(timeline)) {
        EXPECT_EQ(fold.from, reached) << "every item is in one fold";
        EXPECT_LT(fold.from, fold.to);
        if (!fold.folded) shown[fold.from] = true;
        reached = fold.to;
    }
    EXPECT_EQ(reached, timeline.items.size());
    return shown;
}

TEST(Fold, WhatRepeatsIsFolded) {
    const Timeline timeline = told_story({.packets = 1000});
    const std::vector<bool> all = shown(timeline);
    EXPECT_GT(timeline.items.size(), 4000U);
    EXPECT_LT(std::ranges::count(all, true), 40);
    for (size_t i = 0; i < all.size(); ++i)
        if (timeline.items[i].kind == ItemKind::kSetup ||
            timeline.items[i].kind == ItemKind::kCheck) {
            EXPECT_TRUE(all[i]) << timeline.items[i].text;
        }
}

TEST(Fold, WhatIsNextToAFailureIsShown) {
    const Timeline timeline = told_story({.packets = 1000, .twice = 500});
    const std::vector<bool> all = shown(timeline);
    ASSERT_FALSE(timeline.failures.empty());
    for (const Breach& failure : timeline.failures)
        for (size_t i = failure.item - 5; i <= std::min(all.size() - 1, failure.item + 5); ++i)
            EXPECT_TRUE(all[i]);
}

TEST(Fold, AFewAreNoRun) {
    const std::vector<bool> all = shown(told_story({.packets = 2}));
    EXPECT_EQ(std::ranges::count(all, false), 0);
}

TEST(Text, TellsATest) {
    const std::string text = to_text(told_story({.packets = 100}), {});
    EXPECT_EQ(text.substr(0, text.find('\n')), "receive.told: 313 events, 100 DMA writes");
    EXPECT_NE(text.find("\n       0.000 ms  ring 1      ifq 1 was registered on eth0 queue 1"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("98 data of"), std::string::npos) << text;
    EXPECT_NE(text.find("; ring 1: "), std::string::npos) << text;
    EXPECT_LT(std::ranges::count(text, '\n'), 60) << text;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        EXPECT_LE(end - at, 100U) << text.substr(at, end - at);
        at = end + 1;
    }
    EXPECT_GT(std::ranges::count(to_text(told_story({.packets = 100}), {.everything = true}), '\n'),
              410);
}

TEST(Text, MarksTheFailure) {
    const Timeline timeline = told_story({.packets = 100, .twice = 50});
    const std::string text = to_text(timeline, {.around_failure = true});
    const size_t at = text.find("  >>>>>>>>>>>>>  I3 is broken here: live ranges overlap");
    ASSERT_NE(at, std::string::npos) << text;
    // The line in front of it is the CQE.
    const size_t line = text.rfind(" ms  ", at);
    EXPECT_NE(text.substr(line, at - line).find("completed with 4096"), std::string::npos) << text;
    EXPECT_NE(text.find("... "), std::string::npos);
    EXPECT_EQ(text.find("stream position 8192 "), std::string::npos) << "that is far away";
    EXPECT_EQ(summary_of({timeline}),
              "1 test, 313 events, 1 without a verdict; not as promised:\n"
              "    receive.told\n");
}

TEST(Text, ToldFromACutTraceSaysSo) {
    RecordedTest test = told_test();
    test.left_out = 3897;
    const TestResult verdict{.name = "receive.told", .status = TestStatus::kPassed, .seconds = 0.5};
    const std::string text = to_text(timeline_of(test, {}, &verdict), {.width = 200});
    EXPECT_NE(text.find("receive.told: passed, 0.50 s; "), std::string::npos);
    EXPECT_NE(text.find("3,897 events are missing"), std::string::npos) << text;
    EXPECT_EQ(to_text(Timeline{}, {}), "one trace: 0 events\n");
}

TEST(Text, NamesTestsWithoutATrace) {
    RunSummary results;
    results.tests = {{.name = "receive.told", .status = TestStatus::kPassed},
                     {.name = "registration.fails",
                      .status = TestStatus::kSkipped,
                      .message = "There is no fail-nth.\nMore."}};
    Timeline timeline = told_story({});
    timeline.test = "receive.told";
    const auto all = [](const std::string&) { return true; };
    const auto untraced = tests_without({timeline}, &results, all);
    ASSERT_EQ(untraced.size(), 1U);
    EXPECT_EQ(text_of_untraced(untraced),
              "1 test without a trace:\n    registration.fails: skipped: There is no fail-nth.\n");
    EXPECT_TRUE(text_of_untraced({}).empty());
    EXPECT_TRUE(tests_without({timeline}, &results, [](const std::string& name) {
                    return name == "receive.told";
                }).empty());
    EXPECT_TRUE(tests_without({timeline}, nullptr, all).empty());
    EXPECT_NE(to_page({timeline}, "title", untraced).find("registration.fails"), std::string::npos);
}

TEST(Page, TextsCannotBreakOutOfIt) {
    const std::string page = to_page(
        {told_story({.note = "</script><script>document.title='broken'</script>/*SCRIPT*/"})},
        "<b>title</b>");
    size_t ends = 0;
    for (size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++ends;
    EXPECT_EQ(ends, 3U) << "the data, one timeline and the script";
    EXPECT_EQ(page.find("<b>"), std::string::npos);
    EXPECT_EQ(page.find("http:"), std::string::npos);
    EXPECT_EQ(page.find("https:"), std::string::npos);
    EXPECT_EQ(page.find("src="), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
