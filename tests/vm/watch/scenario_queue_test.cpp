// ScenarioQueue: who gets what, in which order, and what is left.
#include "vm/watch/scenario_queue.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

// All that VM `vm` gets until it is told that there is no more.
Names rest_of(ScenarioQueue& scenario_queue, size_t vm) {
    Names names;
    for (std::string name = scenario_queue.next(vm); !name.empty(); name = scenario_queue.next(vm))
        names.push_back(name);
    return names;
}

TEST(ScenarioQueue, ALonelyVmGetsAllLongestBoundFirst) {
    ScenarioQueue scenario_queue(1);
    scenario_queue.join(0, {{"a", "b", "c", "d"}, {}, {60, 60, 180, 60}, {}});
    EXPECT_EQ(rest_of(scenario_queue, 0), (Names{"c", "a", "b", "d"}));
    EXPECT_EQ(scenario_queue.all(), (Names{"a", "b", "c", "d"}));
    EXPECT_TRUE(scenario_queue.left().empty());
}

TEST(ScenarioQueue, WhereTheFirstFailureEndsItQuickOnesComeFirst) {
    ScenarioQueue scenario_queue(1);
    scenario_queue.put_quick_first();
    scenario_queue.join(0, {{"a", "b", "c", "d"}, {}, {180, 60, 300, 60}, {}});
    EXPECT_EQ(rest_of(scenario_queue, 0), (Names{"b", "d", "a", "c"}));
}

TEST(ScenarioQueue, EachIsDealtOnceAsTheyAsk) {
    ScenarioQueue scenario_queue(2);
    const ScenarioOffer plan{{"a", "b", "c"}, {}, {}, {}};
    scenario_queue.join(0, plan);
    EXPECT_EQ(scenario_queue.next(0), "a");
    scenario_queue.join(1, plan);
    EXPECT_EQ(scenario_queue.next(1), "b");
    EXPECT_EQ(scenario_queue.next(1), "c");
    EXPECT_EQ(scenario_queue.next(0), "");
    EXPECT_EQ(scenario_queue.next(1), "");
}

TEST(ScenarioQueue, WhatIsAskedForAgainComesLast) {
    ScenarioQueue scenario_queue(1);
    scenario_queue.join(0, {{"a", "b"}, {}, {}, {}});
    EXPECT_EQ(scenario_queue.next(0), "a");
    scenario_queue.again("a");
    scenario_queue.again("b");  // which nobody got
    scenario_queue.again("x");
    EXPECT_EQ(rest_of(scenario_queue, 0), (Names{"b", "a"}));
    scenario_queue.again("b");
    EXPECT_EQ(scenario_queue.left(), Names{"b"}) << "nobody asks any more";
}

TEST(ScenarioQueue, WhatDoesNotFitGoesToWhomItFits) {
    ScenarioQueue scenario_queue(2);
    scenario_queue.join(1, {{"a", "b"}, {"a"}, {}, {}});
    EXPECT_EQ(rest_of(scenario_queue, 1), Names{"b"});
    scenario_queue.join(0, {{"a", "b"}, {}, {}, {}});
    EXPECT_EQ(rest_of(scenario_queue, 0), Names{"a"});
}

TEST(ScenarioQueue, TheLastOneSkipsWhatFitsNobody) {
    ScenarioQueue scenario_queue(2);
    const ScenarioOffer plan{{"a", "b"}, {"a"}, {}, {}};
    scenario_queue.join(0, plan);
    scenario_queue.join(1, plan);
    EXPECT_EQ(rest_of(scenario_queue, 0), Names{"b"});
    EXPECT_EQ(rest_of(scenario_queue, 1), Names{"a"});
}

TEST(ScenarioQueue, TheFirstIsForWhatNeedsSeveralCpus) {
    ScenarioQueue scenario_queue(2);
    scenario_queue.keep_first_for_parallel();
    const ScenarioOffer plan{{"a", "b", "c"}, {}, {}, {1, 2, 1}};
    scenario_queue.join(0, plan);
    EXPECT_EQ(rest_of(scenario_queue, 0), Names{"b"});
    scenario_queue.join(1, plan);
    EXPECT_EQ(rest_of(scenario_queue, 1), (Names{"a", "c"}));
}

TEST(ScenarioQueue, TheFirstTakesOverWhenItIsAlone) {
    ScenarioQueue scenario_queue(2);
    scenario_queue.keep_first_for_parallel();
    const ScenarioOffer plan{{"a", "b", "c"}, {}, {}, {1, 2, 1}};
    scenario_queue.join(0, plan);
    EXPECT_EQ(scenario_queue.next(0), "b");
    scenario_queue.leave(1);  // lost while it booted
    EXPECT_EQ(rest_of(scenario_queue, 0), (Names{"a", "c"}));
}

TEST(ScenarioQueue, WhatALostVmDidNotGetIsLeftForOthersOrTold) {
    ScenarioQueue scenario_queue(2);
    const ScenarioOffer plan{{"a", "b", "c"}, {}, {}, {}};
    scenario_queue.join(0, plan);
    scenario_queue.join(1, plan);
    EXPECT_EQ(scenario_queue.next(0), "a");
    scenario_queue.leave(0);
    EXPECT_EQ(scenario_queue.next(1), "b");
    scenario_queue.leave(1);
    EXPECT_EQ(scenario_queue.left(), Names{"c"});
}

TEST(ScenarioQueue, ANameThatAVmDoesNotKnowIsNotForIt) {
    ScenarioQueue scenario_queue(2);
    scenario_queue.join(0, {{"a"}, {}, {}, {}});
    scenario_queue.join(1, {{"a", "b"}, {}, {}, {}});
    EXPECT_EQ(rest_of(scenario_queue, 0), Names{"a"});
    EXPECT_EQ(rest_of(scenario_queue, 1), Names{"b"});
}

}  // namespace
}  // namespace zcrxlab
