// Tests of fault rules: what matches, which of the matching are hit, and that it is always the
// same.
#include <gtest/gtest.h>

#include "nic/wire/faults.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

ParsedHeaders headers_of(const FrameShape& shape) {
    return parse_headers(build_frame(shape).bytes);
}

FrameShape with_payload() {
    FrameShape shape;
    shape.payload = stream_bytes(0, 10);
    return shape;
}

// Which of the packets 1 .. `count` a rule hits.
std::vector<int> hits(const FaultMatch& match, int count) {
    Faults faults;
    FaultRule rule;
    rule.match = match;
    EXPECT_TRUE(faults.add(rule).ok());
    ParsedHeaders headers = headers_of(with_payload());
    std::vector<int> hit;
    for (int i = 1; i <= count; ++i) {
        if (faults.evaluate(0, headers, 0)) hit.push_back(i);
    }
    EXPECT_EQ(faults.entries()[0].seen, static_cast<uint64_t>(count));
    EXPECT_EQ(faults.entries()[0].hits, hit.size());
    return hit;
}

TEST(Faults, SkipEveryAndCount) {
    EXPECT_EQ(hits({}, 3), (std::vector<int>{1, 2, 3}));
    FaultMatch match;
    match.skip = 2;
    EXPECT_EQ(hits(match, 5), (std::vector<int>{3, 4, 5}));
    match.every = 3;
    EXPECT_EQ(hits(match, 12), (std::vector<int>{5, 8, 11}));
    match.count = 2;
    EXPECT_EQ(hits(match, 12), (std::vector<int>{5, 8}));
    match.count = 0;
    EXPECT_EQ(hits(match, 12), (std::vector<int>{}));
}

TEST(Faults, ProbabilityIsSeededAndRepeats) {
    FaultMatch match;
    match.probability = 0.1;
    match.seed = 42;
    std::vector<int> first = hits(match, 10000);
    EXPECT_GT(first.size(), 850U);
    EXPECT_LT(first.size(), 1150U);
    EXPECT_EQ(hits(match, 10000), first);
    match.seed = 43;
    EXPECT_NE(hits(match, 10000), first);
    match.probability = 0;
    EXPECT_TRUE(hits(match, 1000).empty());
    // The same on every machine: SplitMix64 with this seed.
    match.seed = 1;
    match.probability = 0.01;
    EXPECT_EQ(hits(match, 400), (std::vector<int>{99, 161, 266, 341, 390}));
}

TEST(Faults, RulesOfTwoKindsWithOneSeedAreIndependent) {
    Faults faults;
    FaultRule rule;
    rule.match.probability = 0.5;
    ASSERT_TRUE(faults.add(rule).ok());
    rule.what = FaultKind::kDuplicate;
    ASSERT_TRUE(faults.add(rule).ok());
    ParsedHeaders headers = headers_of(with_payload());
    for (int i = 0; i < 1000; ++i) faults.evaluate(0, headers, 0);
    EXPECT_GT(faults.entries()[1].hits, 150U);
    EXPECT_LT(faults.entries()[1].hits, 350U);
}

TEST(Faults, MatchesByEachField) {
    FrameShape shape = with_payload();
    auto hit = [&](const FaultMatch& match, unsigned port = 0, uint16_t queue = 3) {
        Faults faults;
        FaultRule rule;
        rule.match = match;
        EXPECT_TRUE(faults.add(rule).ok());
        bool acted = bool(faults.evaluate(port, headers_of(shape), queue));
        EXPECT_EQ(faults.entries()[0].seen, acted ? 1U : 0U);
        return acted;
    };
    FaultMatch match;
    EXPECT_TRUE(hit(match));
    EXPECT_FALSE(hit(match, 1));
    match.queue = 3;
    EXPECT_TRUE(hit(match));
    EXPECT_FALSE(hit(match, 0, 2));
    match = {};
    match.family = FaultFamily::kIpv6;
    EXPECT_FALSE(hit(match));
    shape.family = 6;
    EXPECT_TRUE(hit(match));
    match.protocol = FaultProtocol::kTcp;
    EXPECT_TRUE(hit(match));
    match.protocol = FaultProtocol::kUdp;
    EXPECT_FALSE(hit(match));
    match = {};
    match.source_port = 40000;
    EXPECT_TRUE(hit(match));
    match.destination_port = 5202;
    EXPECT_FALSE(hit(match));
    match.destination_port = 5201;
    EXPECT_TRUE(hit(match));
    match.payload = true;
    EXPECT_TRUE(hit(match));
    match.payload = false;
    EXPECT_FALSE(hit(match));
    shape.payload.clear();
    EXPECT_TRUE(hit(match));
    shape.protocol = 58;
    EXPECT_FALSE(hit(match));  // has no ports
}

TEST(Faults, CorruptNeedsPayload) {
    Faults faults;
    FaultRule rule;
    rule.what = FaultKind::kCorrupt;
    ASSERT_TRUE(faults.add(rule).ok());
    EXPECT_FALSE(faults.evaluate(0, headers_of({}), 0));
    EXPECT_TRUE(faults.evaluate(0, headers_of(with_payload()), 0));
}

TEST(Faults, AllCountTheFirstThatHitsActs) {
    Faults faults;
    FaultRule rule;
    rule.match.every = 2;
    EXPECT_EQ(*faults.add(rule), 1U);
    rule.match.every = 1;
    rule.what = FaultKind::kNoSplit;
    EXPECT_EQ(*faults.add(rule), 2U);
    ParsedHeaders headers = headers_of(with_payload());
    EXPECT_EQ(faults.evaluate(0, headers, 0).rule, 2U);
    EXPECT_EQ(faults.evaluate(0, headers, 0).rule, 1U);
    EXPECT_EQ(faults.entries()[1].seen, 2U);
    EXPECT_EQ(faults.entries()[1].hits, 1U);
}

TEST(Faults, IdsAreNeverUsedTwice) {
    Faults faults;
    EXPECT_EQ(*faults.add({}), 1U);
    EXPECT_EQ(*faults.add({}), 2U);
    EXPECT_TRUE(faults.remove(2).ok());
    EXPECT_EQ(faults.remove(2).error().code, ENOENT);
    EXPECT_EQ(*faults.add({}), 3U);
    faults.clear();
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(*faults.add({}), 4U);
}

TEST(Faults, StandingRulesOutliveClearAndBeginAnew) {
    Faults faults;
    FaultRule drop;
    drop.what = FaultKind::kDrop;
    drop.match.probability = 0.5;
    EXPECT_EQ(*faults.add(drop, true), 1U);
    EXPECT_EQ(*faults.add({}), 2U);
    const auto draws = [&faults] {
        std::vector<bool> hits;
        for (int i = 0; i < 64; ++i)
            hits.push_back(bool(faults.evaluate(0, headers_of(with_payload()), 0)));
        return hits;
    };
    EXPECT_TRUE(faults.remove(2).ok());
    const std::vector<bool> first = draws();
    EXPECT_EQ(*faults.add({}), 3U);
    faults.clear();
    ASSERT_EQ(faults.entries().size(), 1U);
    EXPECT_EQ(faults.entries()[0].seen, 0U);
    EXPECT_EQ(draws(), first);
    EXPECT_TRUE(faults.remove(1).ok());
}

TEST(Faults, ThereIsABound) {
    Faults faults;
    for (size_t i = 0; i < Faults::kMaximumRules; ++i) ASSERT_TRUE(faults.add({}).ok());
    EXPECT_EQ(faults.add({}).error().code, ENOSPC);
}

// Passing packets over by the dozen must hit the same packets as one by one.
TEST(Faults, PassOverCountsLikeOneByOne) {
    ParsedHeaders headers = headers_of(with_payload());
    for (uint64_t skip : {0, 1, 7, 30}) {
        for (uint64_t every : {1, 2, 5, 40}) {
            Faults single;
            Faults dozens;
            FaultRule rule;
            rule.match.skip = skip;
            rule.match.every = every;
            ASSERT_TRUE(single.add(rule).ok());
            ASSERT_TRUE(dozens.add(rule).ok());
            std::vector<int> expected;
            std::vector<int> seen;
            for (int i = 0; i < 240; ++i) {
                if (single.evaluate(0, headers, 0)) expected.push_back(i);
            }
            for (int i = 0; i < 240; i += 12) {
                if (dozens.pass_over(0, headers, 0, 12)) continue;
                for (int j = i; j < i + 12; ++j) {
                    if (dozens.evaluate(0, headers, 0)) seen.push_back(j);
                }
            }
            EXPECT_EQ(seen, expected) << skip << " " << every;
            EXPECT_EQ(dozens.entries()[0].seen, 240U);
        }
    }
}

TEST(Faults, PassOverDoesNotCareForOthersRules) {
    Faults faults;
    FaultRule rule;
    rule.match.destination_port = 1;
    ASSERT_TRUE(faults.add(rule).ok());
    ParsedHeaders headers = headers_of(with_payload());
    EXPECT_TRUE(faults.pass_over(0, headers, 0, 40));
    EXPECT_EQ(faults.entries()[0].seen, 0U);
    rule.match = {};
    ASSERT_TRUE(faults.add(rule).ok());
    EXPECT_FALSE(faults.pass_over(0, headers, 0, 40));
    EXPECT_TRUE(faults.pass_over(1, headers, 0, 40));
}

}  // namespace
}  // namespace zcrxlab::nic
