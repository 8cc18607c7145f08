// The kinds of faults: their names and defaults.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/faults/fault_rule.hpp"

namespace zcrxlab {
namespace {

TEST(FaultRule, EachKindHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const FaultKind kind : fault_kinds()) {
        EXPECT_TRUE(names.insert(fault_name(kind)).second) << fault_name(kind);
        EXPECT_EQ(default_rule(kind).what, kind);
    }
    EXPECT_EQ(names.size(), 20U);
    EXPECT_EQ(fault_name(FaultKind::kLoseInterrupt), "lose_interrupt");
}

TEST(FaultRule, KindsHaveTheirDefaults) {
    EXPECT_EQ(default_rule(FaultKind::kDelay),
              (FaultRule{.what = FaultKind::kDelay, .frames = 8, .milliseconds = 20}));
    EXPECT_EQ(default_rule(FaultKind::kReorder),
              (FaultRule{.what = FaultKind::kReorder, .frames = 1, .milliseconds = 20}));
    EXPECT_EQ(default_rule(FaultKind::kCorrupt),
              (FaultRule{.what = FaultKind::kCorrupt, .bytes = 0}));
    EXPECT_EQ(default_rule(FaultKind::kSplitEarly),
              (FaultRule{.what = FaultKind::kSplitEarly, .bytes = 8}));
    EXPECT_EQ(default_rule(FaultKind::kSplitLate),
              (FaultRule{.what = FaultKind::kSplitLate, .bytes = 8}));
    EXPECT_EQ(default_rule(FaultKind::kWrongQueue),
              (FaultRule{.what = FaultKind::kWrongQueue, .to = 0}));
    EXPECT_EQ(default_rule(FaultKind::kLinkFlap),
              (FaultRule{.what = FaultKind::kLinkFlap, .milliseconds = 100}));
    EXPECT_EQ(default_rule(FaultKind::kBufferError),
              (FaultRule{.what = FaultKind::kBufferError, .buffer = 1}));
    for (const FaultKind kind :
         {FaultKind::kDrop, FaultKind::kDuplicate, FaultKind::kNoSplit, FaultKind::kNoBuffer,
          FaultKind::kLoseInterrupt, FaultKind::kReset, FaultKind::kHalfPacket,
          FaultKind::kStuckPacket, FaultKind::kEmptyBuffer, FaultKind::kOvertaken,
          FaultKind::kHeaderError, FaultKind::kForeignTag})
        EXPECT_EQ(default_rule(kind), FaultRule{.what = kind});
}

TEST(FaultRule, WhatIsGivenStays) {
    EXPECT_EQ(
        with_defaults({.what = FaultKind::kDelay, .port = 1, .frames = 3, .match = {.skip = 9}}),
        (FaultRule{.what = FaultKind::kDelay,
                   .port = 1,
                   .frames = 3,
                   .milliseconds = 20,
                   .match = {.skip = 9}}));
}

}  // namespace
}  // namespace zcrxlab
