// Deck: who gets what, in which order, and what is left.
#include "vm/boot/deck.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

// All that VM `vm` gets until it is told that there is no more.
Names rest_of(Deck& deck, size_t vm) {
    Names names;
    for (std::string name = deck.next(vm); !name.empty(); name = deck.next(vm))
        names.push_back(name);
    return names;
}

TEST(Deck, ALonelyVmGetsAllLongestBoundFirst) {
    Deck deck(1);
    deck.join(0, {{"a", "b", "c", "d"}, {}, {60, 60, 180, 60}, {}});
    EXPECT_EQ(rest_of(deck, 0), (Names{"c", "a", "b", "d"}));
    EXPECT_EQ(deck.all(), (Names{"a", "b", "c", "d"}));
    EXPECT_TRUE(deck.left().empty());
}

TEST(Deck, EachIsDealtOnceAsTheyAsk) {
    Deck deck(2);
    const DealtPlan plan{{"a", "b", "c"}, {}, {}, {}};
    deck.join(0, plan);
    EXPECT_EQ(deck.next(0), "a");
    deck.join(1, plan);
    EXPECT_EQ(deck.next(1), "b");
    EXPECT_EQ(deck.next(1), "c");
    EXPECT_EQ(deck.next(0), "");
    EXPECT_EQ(deck.next(1), "");
}

TEST(Deck, WhatDoesNotFitGoesToWhomItFits) {
    Deck deck(2);
    deck.join(1, {{"a", "b"}, {"a"}, {}, {}});
    EXPECT_EQ(rest_of(deck, 1), Names{"b"});
    deck.join(0, {{"a", "b"}, {}, {}, {}});
    EXPECT_EQ(rest_of(deck, 0), Names{"a"});
}

TEST(Deck, TheLastOneSkipsWhatFitsNobody) {
    Deck deck(2);
    const DealtPlan plan{{"a", "b"}, {"a"}, {}, {}};
    deck.join(0, plan);
    deck.join(1, plan);
    EXPECT_EQ(rest_of(deck, 0), Names{"b"});
    EXPECT_EQ(rest_of(deck, 1), Names{"a"});
}

TEST(Deck, TheFirstIsForWhatNeedsSeveralCpus) {
    Deck deck(2);
    deck.keep_first_for_parallel();
    const DealtPlan plan{{"a", "b", "c"}, {}, {}, {1, 2, 1}};
    deck.join(0, plan);
    EXPECT_EQ(rest_of(deck, 0), Names{"b"});
    deck.join(1, plan);
    EXPECT_EQ(rest_of(deck, 1), (Names{"a", "c"}));
}

TEST(Deck, TheFirstTakesOverWhenItIsAlone) {
    Deck deck(2);
    deck.keep_first_for_parallel();
    const DealtPlan plan{{"a", "b", "c"}, {}, {}, {1, 2, 1}};
    deck.join(0, plan);
    EXPECT_EQ(deck.next(0), "b");
    deck.leave(1);  // lost while it booted
    EXPECT_EQ(rest_of(deck, 0), (Names{"a", "c"}));
}

TEST(Deck, WhatALostVmDidNotGetIsLeftForOthersOrTold) {
    Deck deck(2);
    const DealtPlan plan{{"a", "b", "c"}, {}, {}, {}};
    deck.join(0, plan);
    deck.join(1, plan);
    EXPECT_EQ(deck.next(0), "a");
    deck.leave(0);
    EXPECT_EQ(deck.next(1), "b");
    deck.leave(1);
    EXPECT_EQ(deck.left(), Names{"c"});
}

TEST(Deck, ANameThatAVmDoesNotKnowIsNotForIt) {
    Deck deck(2);
    deck.join(0, {{"a"}, {}, {}, {}});
    deck.join(1, {{"a", "b"}, {}, {}, {}});
    EXPECT_EQ(rest_of(deck, 0), Names{"a"});
    EXPECT_EQ(rest_of(deck, 1), Names{"b"});
}

}  // namespace
}  // namespace zcrxlab
