// Fault rules as the driver netdevsim takes them, and those that it cannot take.
#include <gtest/gtest.h>

#include <cerrno>

#include "harness/targets/netdevsim_rule.hpp"

namespace zcrxlab {
namespace {

std::string line_of(const FaultRule& rule, bool standing = false) {
    const auto translated = netdevsim_rule(rule, 1, standing);
    return translated ? translated->line : "error: " + translated.error().sentence;
}

TEST(NetdevsimRule, EveryParameterHasItsWord) {
    const auto rule = netdevsim_rule({.what = FaultKind::kSplitLate,
                                      .port = 1,
                                      .bytes = 3,
                                      .match = {.protocol = FaultProtocol::kTcp,
                                                .payload = true,
                                                .queue = 2,
                                                .family = FaultFamily::kIpv6,
                                                .source_port = 80,
                                                .destination_port = 81,
                                                .skip = 4,
                                                .every = 5,
                                                .probability = 0.25,
                                                .seed = 14511081705270849137U,
                                                .count = 6}},
                                     4);
    ASSERT_TRUE(rule) << rule.error().sentence;
    EXPECT_EQ(rule->port, 1U);
    EXPECT_EQ(rule->line,
              "add id=4 what=split_late bytes=3 protocol=6 payload=1 queue=2 family=6 sport=80 "
              "dport=81 skip=4 every=5 probability=250000 seed=14511081705270849137 count=6");
}

TEST(NetdevsimRule, TheLongestLineFitsOrIsRefused) {
    for (FaultRule rule : {default_rule(FaultKind::kSplitEarly), default_rule(FaultKind::kDelay),
                           default_rule(FaultKind::kWrongQueue)}) {
        if (rule.bytes) rule.bytes = static_cast<uint32_t>(fault_range::kBytes.high);
        if (rule.frames) rule.frames = static_cast<uint32_t>(fault_range::kFrames.high);
        if (rule.milliseconds) rule.milliseconds = 600'000;
        if (rule.to) rule.to = 65535;
        rule.match = {.protocol = FaultProtocol::kIcmp,
                      .payload = true,
                      .queue = 65535,
                      .family = FaultFamily::kIpv6,
                      .source_port = 65535,
                      .destination_port = 65535,
                      .skip = UINT64_MAX,
                      .every = fault_range::kEvery.high,
                      .probability = 0.999999,
                      .seed = UINT64_MAX,
                      .count = UINT64_MAX - 1};
        const auto longest = netdevsim_rule(rule, 64, true);
        ASSERT_TRUE(longest) << longest.error().sentence;
        EXPECT_LE(longest->line.size(), kMaximumNetdevsimLine) << longest->line;
        if (rule.what != FaultKind::kDelay) continue;
        const auto too_long = netdevsim_rule(rule, INT32_MAX, true);
        ASSERT_FALSE(too_long) << too_long->line.size();
        EXPECT_EQ(too_long.error().code, ENOTSUP);
        EXPECT_NE(too_long.error().sentence.find("256 bytes"), std::string::npos)
            << too_long.error().sentence;
    }
}

TEST(NetdevsimRule, StandingRulesSaySo) {
    EXPECT_EQ(line_of({.what = FaultKind::kDrop}, true), "add id=1 what=drop standing=1");
}

TEST(NetdevsimRule, DefaultsAreThoseOfTheKind) {
    EXPECT_EQ(line_of({.what = FaultKind::kCorrupt}), "add id=1 what=corrupt bytes=0");
    EXPECT_EQ(line_of({.what = FaultKind::kDelay}), "add id=1 what=delay frames=8 milliseconds=20");
    EXPECT_EQ(line_of({.what = FaultKind::kWrongQueue}), "add id=1 what=wrong_queue to=0");
    EXPECT_EQ(line_of({.what = FaultKind::kLinkFlap}), "add id=1 what=link_flap milliseconds=100");
    EXPECT_EQ(line_of({.what = FaultKind::kLinkFlap, .milliseconds = 7}),
              "add id=1 what=link_flap milliseconds=7");
}

TEST(NetdevsimRule, IcmpIsANumberForEachFamily) {
    const auto icmp = [](std::optional<FaultFamily> family) {
        return line_of({.match = {.protocol = FaultProtocol::kIcmp, .family = family}});
    };
    EXPECT_EQ(icmp(FaultFamily::kIpv4), "add id=1 what=drop protocol=1 family=4");
    EXPECT_EQ(icmp(FaultFamily::kIpv6), "add id=1 what=drop protocol=58 family=6");
    EXPECT_NE(icmp({}).find("\"icmp\" with \"family\" 4 or 6"), std::string::npos) << icmp({});
}

struct Refused {
    FaultRule rule;
    int code;
    const char* says;
};
constexpr Refused kRefused[] = {
    {{.what = FaultKind::kReorder, .frames = 2}, ENOTSUP, "\"frames\" of reorder is 2"},
    {{.what = FaultKind::kSplitLate, .bytes = 75}, ENOTSUP, "\"bytes\" of split_late is 75"},
    {{.match = {.probability = 0.0000001}}, ENOTSUP, "\"probability\" is 1e-07"},
    {{.match = {.probability = 0.9999999}}, ENOTSUP, "\"probability\" is 0.9999999"},
    {{.what = FaultKind::kHalfPacket}, ENOTSUP, "\"what\" is half_packet"},
    {{.what = FaultKind::kStuckPacket}, ENOTSUP, "\"what\" is stuck_packet"},
    {{.what = FaultKind::kEmptyBuffer}, ENOTSUP, "\"what\" is empty_buffer"},
    {{.what = FaultKind::kBufferError}, ENOTSUP, "\"what\" is buffer_error"},
    {{.what = FaultKind::kOvertaken}, ENOTSUP, "\"what\" is overtaken"},
    {{.what = FaultKind::kHeaderError}, ENOTSUP, "\"what\" is header_error"},
    {{.what = FaultKind::kForeignTag}, ENOTSUP, "\"what\" is foreign_tag"},
    // What no device takes.
    {{.port = 2}, EINVAL, "\"port\" in a rule of drop is 2"},
    {{.bytes = 1}, EINVAL, "no \"bytes\" in a rule of drop"},
    {{.match = {.every = 0}}, EINVAL, "\"every\" in \"match\" is 0"},
};

TEST(NetdevsimRule, WhatItCannotDoIsNamed) {
    for (const Refused& row : kRefused) {
        const auto rule = netdevsim_rule(row.rule, 1);
        ASSERT_FALSE(rule) << row.says << " became " << rule->line;
        EXPECT_EQ(rule.error().code, row.code) << rule.error().sentence;
        EXPECT_NE(rule.error().sentence.find(row.says), std::string::npos) << rule.error().sentence;
    }
}

TEST(NetdevsimRule, WhatItCanJustDoIsTaken) {
    EXPECT_EQ(line_of({.what = FaultKind::kSplitLate, .bytes = 74}),
              "add id=1 what=split_late bytes=74");
    EXPECT_EQ(line_of({.what = FaultKind::kSplitEarly, .bytes = 262144}),
              "add id=1 what=split_early bytes=262144");
    EXPECT_EQ(line_of({.match = {.probability = 0}}), "add id=1 what=drop probability=0");
    EXPECT_EQ(line_of({.match = {.probability = 0.000001}}), "add id=1 what=drop probability=1");
}

}  // namespace
}  // namespace zcrxlab
