// The judge of a receiver whose own client sends: what the client thinks counts, and what the
// kernel and the NIC say, and a client that does not make the situation makes nothing green.
#include "results/conform/judge_client.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>

#include "results/conform/stalling_bugs.hpp"

namespace zcrxlab {
namespace {

// A round in which a receiver did everything right, and its client made what the situation wants.
ConformRound round_with_client(std::string_view name) {
    ConformRound round{.situation = find_situation(name)};
    round.with_client = true;
    const Situation& situation = *round.situation;
    PeerAccount peer;
    peer.clients.resize(1 + (situation.one_by_one != 0 ? kClientRunsOneByOne : 0));
    if (situation.afterwards) peer.clients.push_back({.afterwards = true});
    // Amid this one the program was killed.
    if (situation.kills_program) peer.clients[0].exit = 1;
    if (situation.stops_program) peer.packets_meanwhile = 9000;
    if (situation.one_by_one != 0) peer.growth = Growth{9, 1 << 20, (1 << 20) + 4096, 9, 10};
    round.kernel.not_counted.clear();
    round.kernel.bytes = situation.refusal == Refusal::kNothing ? 100000 : 0;
    round.kernel.queues = {{.pieces = 300,
                            .given_back = 300,
                            .unreadable = 0,
                            .most_in_ring = 200,
                            .ring_entries = 256,
                            .area_buffers = 4096,
                            .cq_entries = 512}};
    if (situation.must_be_copied) round.kernel.copied = 40;
    if (situation.fills_cq) round.kernel.cq_full = 3;
    if (situation.closes_window) peer.held_back = 1;
    if (situation.empties_area) round.kernel.queues[0].starved = 1;
    round.program = {.told = true};
    round.peer = peer;
    return round;
}

using Spoil = std::function<void(ConformRound&)>;

ConformVerdict verdict_with_client(std::string_view name, const Spoil& spoil) {
    ConformRound round = round_with_client(name);
    spoil(round);
    return judge(round, Check::kNone);
}

testing::AssertionResult is(TestStatus status, std::string_view words,
                            const ConformVerdict& verdict) {
    if (verdict.status != status || verdict.sentence.find(words) == std::string::npos)
        return testing::AssertionFailure()
               << "says " << name_of(verdict.status) << ": " << verdict.sentence;
    return testing::AssertionSuccess();
}

testing::AssertionResult is_red(std::string_view words, std::string_view name, const Spoil& spoil) {
    return is(TestStatus::kFailed, words, verdict_with_client(name, spoil));
}

testing::AssertionResult is_blocked(std::string_view words, std::string_view name,
                                    const Spoil& spoil) {
    return is(TestStatus::kBlocked, words, verdict_with_client(name, spoil));
}

testing::AssertionResult is_skipped(std::string_view words, std::string_view name,
                                    const Spoil& spoil) {
    return is(TestStatus::kSkipped, words, verdict_with_client(name, spoil));
}

TEST(JudgeWithClient, WhoDoesRightPassesEverywhere) {
    for (const Situation& situation : situations()) {
        if (!situation.with_client) continue;
        const ConformVerdict verdict = judge(round_with_client(situation.name), Check::kNone);
        EXPECT_EQ(verdict.status, TestStatus::kPassed) << situation.name << verdict.sentence;
        EXPECT_EQ(verdict.sentence, "");
    }
}

TEST(JudgeWithClient, HowTheClientEnded) {
    EXPECT_TRUE(is_red("Its client ended with exit code 1. The kernel promises: bytes arrive",
                       "plain", [](auto& r) { r.peer->clients[0].exit = 1; }));
    EXPECT_TRUE(is_red("Its client was killed by signal 11.", "plain",
                       [](auto& r) { r.peer->clients[0].signal = 11; }));
    EXPECT_TRUE(is_red("Its client had not ended in the time of --client-timeout.", "plain",
                       [](auto& r) { r.peer->clients[0].overdue = true; }));
    EXPECT_TRUE(is_red("Its client, which ran once more afterwards, ended with exit code 2.",
                       "killed", [](auto& r) { r.peer->clients[1].exit = 2; }));
    EXPECT_TRUE(is_red("Its client ended with exit code 4.", "many",
                       [](auto& r) { r.peer->clients[7].exit = 4; }));
}

TEST(JudgeWithClient, WhatTheKernelHadSaidToTheProgramBefore) {
    const auto after = [](int code, bool none_afterwards) {
        return [=](ConformRound& r) {
            r.peer->clients[0].exit = 1;
            r.kernel.errors[-code] = 1;
            r.kernel.requests[40000] = {{-code}, none_afterwards};
        };
    };
    EXPECT_TRUE(
        is_red("exit code 1, and the program armed no request after one had ended with -ENOSPC. "
               "The kernel promises: a full CQ",
               "cq_full", after(ENOSPC, true)));
    EXPECT_TRUE(is_red("and the program armed no request after one had ended with -ENOMEM",
                       "area_empty", after(ENOMEM, true)));
    // A request that was armed again explains nothing.
    for (const int code : {ENOSPC, ENOMEM})
        EXPECT_TRUE(is_red("Its client ended with exit code 1. The kernel promises: bytes arrive",
                           "cq_full", after(code, false)));
    // Nor does one whose program was gone.
    EXPECT_TRUE(is_red("Its client ended with exit code 1.", "cq_full", [&](auto& r) {
        after(ENOSPC, true)(r);
        r.program = {.told = true, .by_itself = true, .exit = 3};
    }));
    EXPECT_TRUE(is_red("and the program had ended before, with exit code 0", "plain", [](auto& r) {
        r.peer->clients[0].exit = 1;
        r.program = {.told = true, .by_itself = true};
    }));
    // Of one connection that is over, nobody is to wait for another.
    EXPECT_EQ(
        verdict_with_client("plain", [](auto& r) { r.program = {.told = true, .by_itself = true}; })
            .status,
        TestStatus::kPassed);
}

TEST(JudgeWithClient, ABugOfTheKernelIsNotTheProgramsMistake) {
    const auto overdue = [](bool has_bug) {
        return [=](ConformRound& r) {
            r.peer->clients[0].overdue = true;
            if (has_bug) r.stalling_bugs = {{"burst-then-silence", "no CQE comes"}};
        };
    };
    EXPECT_TRUE(
        is_blocked("Its client had not ended in the time of --client-timeout. This kernel "
                   "has a bug that stops streams by itself: no CQE comes",
                   "cq_full", overdue(true)));
    EXPECT_TRUE(is_red("Its client had not ended in the time of --client-timeout. The kernel",
                       "cq_full", overdue(false)));
    EXPECT_TRUE(is_red("and the program armed no request", "cq_full", [&](auto& r) {
        overdue(true)(r);
        r.kernel.requests[40000] = {{-ENOSPC}, true};
    }));
}

TEST(JudgeWithClient, AContentClientProvesNoZeroCopy) {
    EXPECT_TRUE(is_red("Nothing at all was received by zero-copy receive.", "plain",
                       [](auto& r) { r.kernel.bytes = 0; }));
    EXPECT_TRUE(is_red("It never gave back 290 of 300 pieces.", "plain",
                       [](auto& r) { r.kernel.queues[0].given_back = 10; }));
    EXPECT_TRUE(is_red("9 times there was no buffer for the NIC", "plain",
                       [](auto& r) { r.kernel.queues[0].starved = 9; }));
    EXPECT_TRUE(is_red("It left 2 connections open whose client had ended them", "slow",
                       [](auto& r) { r.peer->left_open = 2; }));
    EXPECT_TRUE(is_red("it had a processor for 900 ms", "silence", [](auto& r) {
        r.peer->silent_milliseconds = 1000;
        r.peer->busy_milliseconds = 900;
    }));
    EXPECT_TRUE(is_red("1 queues were still taken", "killed", [](auto& r) { r.kernel.left = 1; }));
}

TEST(JudgeWithClient, WhatGrowsWithEachRun) {
    const auto grown = [](const Growth& growth) {
        return [growth](ConformRound& r) { r.peer->growth = growth; };
    };
    EXPECT_TRUE(is_red("In 9 runs of its client its memory grew by 600000 bytes.", "many",
                       grown({9, 0, 600000, 0, 0})));
    EXPECT_TRUE(is_red("After 9 runs of its client it had 5 more files open.", "many",
                       grown({9, 0, 0, 3, 8})));
    EXPECT_EQ(verdict_with_client("many", grown({9, 0, 9 * 65536, 0, 4})).status,
              TestStatus::kPassed);
}

TEST(JudgeWithClient, AClientThatNeverRanTellsNothingOfTheProgram) {
    for (const char* name : {"plain", "queue_taken", "killed"}) {
        EXPECT_TRUE(is_blocked("did not tell how the client ended", name,
                               [](auto& r) { r.peer->clients.clear(); }));
        EXPECT_TRUE(is_blocked("The client could not be started: exit code 127", name,
                               [](auto& r) { r.peer->clients.back().exit = 127; }));
    }
    EXPECT_TRUE(is_blocked("did not tell how the client ended", "killed",
                           [](auto& r) { r.peer->clients.pop_back(); }));
    // What the program does wrong by itself is seen all the same.
    EXPECT_TRUE(is_red("The program was killed by signal 11.", "plain", [](auto& r) {
        r.peer->clients.clear();
        r.program = {.told = true, .by_itself = true, .signal = 11};
    }));
    EXPECT_TRUE(is_red("The program ended with exit code 7.", "plain", [](auto& r) {
        r.peer->error = "The NIC's answer was not understood.";
        r.program = {.told = true, .by_itself = true, .exit = 7};
    }));
}

TEST(JudgeWithClient, WhatTheClientDidNotMakeIsNotPassed) {
    for (const char* name : {"copied", "bad_wire", "link_flap"})
        EXPECT_TRUE(is_blocked("too few packets for 1 of the mistakes", name,
                               [](auto& r) { r.peer->idle_rules = 1; }));
    for (const char* name : {"area_empty", "cq_full", "zero_window", "killed"})
        EXPECT_TRUE(is_blocked("Its client was done before anything could happen", name,
                               [](auto& r) { r.peer->client_was_done = true; }));
    EXPECT_TRUE(is_skipped("had sent all before the window was closed", "zero_window",
                           [](auto& r) { r.peer->held_back = 0; }));
    const auto sent = [](uint64_t packets) {
        return [packets](ConformRound& r) {
            r.peer->packets_meanwhile = packets;
            r.kernel.queues[0].starved = 0;
            r.kernel.cq_full = 0;
        };
    };
    EXPECT_TRUE(is_skipped("area of 4096 buffers has one for each of the 4095 packets",
                           "area_empty", sent(4095)));
    EXPECT_TRUE(is_blocked("never got empty", "area_empty", sent(4096)));
    EXPECT_TRUE(is_skipped("its client sent 511 packets, and its CQ has room for 512", "cq_full",
                           sent(511)));
    EXPECT_TRUE(is_blocked("did not get full", "cq_full", sent(512)));
}

TEST(JudgeWithClient, WhoIsRefusedAQueueServesItsClientOrSaysSo) {
    for (const char* name : {"queue_taken", "old_kernel"}) {
        EXPECT_TRUE(is_red("listens, but does not receive", name,
                           [](auto& r) { r.peer->clients[0].exit = 1; }));
        // It said so, and ended.
        EXPECT_EQ(verdict_with_client(name,
                                      [](auto& r) {
                                          r.peer->clients[0].exit = 1;
                                          r.program = {.told = true, .by_itself = true, .exit = 1};
                                      })
                      .status,
                  TestStatus::kPassed);
    }
}

}  // namespace
}  // namespace zcrxlab
