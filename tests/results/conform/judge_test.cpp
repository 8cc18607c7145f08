// The judge of a receiver: each mistake is red for its own reason, and what cannot be judged is not
// green.
#include "results/conform/judge.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "results/conform/promises.hpp"
#include "results/conform/stalling_bugs.hpp"

namespace zcrxlab {
namespace {

constexpr uint16_t kPort = 40000, kPortAfterwards = 40002;

// A round in which a receiver did everything right.
ConformRound right(std::string_view name) {
    ConformRound round{.situation = find_situation(name)};
    const uint64_t bytes = round.situation->bytes;
    PeerAccount peer;
    peer.streams = {{.port = kPort, .sent = bytes, .end = SeenEnd::kClosed}};
    round.kernel.not_counted.clear();
    round.kernel.by_stream[kPort] = bytes;
    round.kernel.bytes = round.situation->refusal == Refusal::kNothing ? bytes : 0;
    if (round.situation->afterwards) {
        peer.streams.push_back({.port = kPortAfterwards,
                                .afterwards = true,
                                .sent = kAfterwardsBytes,
                                .end = SeenEnd::kClosed});
        round.kernel.by_stream[kPortAfterwards] = kAfterwardsBytes;
        round.kernel.bytes += kAfterwardsBytes;
    }
    round.kernel.queues = {{.pieces = 300,
                            .given_back = 300,
                            .unreadable = 0,
                            .most_in_ring = 200,
                            .ring_entries = 256,
                            .area_buffers = 4096,
                            .cq_entries = 512}};
    if (round.situation->must_be_copied) round.kernel.copied = 40;
    if (round.situation->fills_cq) round.kernel.cq_full = 3;
    if (round.situation->closes_window) peer.held_back = 1;
    if (round.situation->empties_area) round.kernel.queues[0].starved = 1;
    if (round.situation->crosses_queues) round.kernel.errors[-EFAULT] = 1;
    if (round.situation->one_by_one != 0)
        peer.growth = Growth{280, 1 << 20, (1 << 20) + 4096, 9, 10};
    round.queues = round.situation->queues;
    round.program = {.told = true};
    round.peer = peer;
    return round;
}

// What is said of a round that is right but for this.
ConformVerdict verdict_of(std::string_view name, const std::function<void(ConformRound&)>& spoil,
                          Check check = Check::kNone) {
    ConformRound round = right(name);
    spoil(round);
    return judge(round, check);
}

testing::AssertionResult is_red(const ConformVerdict& verdict, std::string_view words) {
    if (verdict.status != TestStatus::kFailed)
        return testing::AssertionFailure() << "not red: " << verdict.sentence;
    if (verdict.sentence.find(words) == std::string::npos)
        return testing::AssertionFailure() << "says " << verdict.sentence;
    return testing::AssertionSuccess();
}

TEST(Judge, WhoDoesRightPassesEverywhere) {
    for (const Situation& situation : situations()) {
        const ConformVerdict verdict = judge(right(situation.name), Check::kNone);
        EXPECT_EQ(verdict.status, TestStatus::kPassed) << situation.name << verdict.sentence;
        EXPECT_EQ(verdict.sentence, "");
    }
}

TEST(Judge, WhatWasNotJudgedIsNoSuccess) {
    RunSummary run;
    run.ending = Ending::kFinished;
    const auto add = [&run](TestStatus status) { run.tests.push_back({.status = status}); };
    add(TestStatus::kPassed);
    add(TestStatus::kSkipped);
    EXPECT_EQ(conform_exit_code(run), kExitPassed);
    add(TestStatus::kBlocked);
    EXPECT_EQ(conform_exit_code(run), kExitSkipped);
    add(TestStatus::kFailed);
    EXPECT_EQ(conform_exit_code(run), kExitFailed);
}

TEST(Judge, ThePromisesAreThoseOfTheContract) {
    std::ifstream file(std::string(ZCRXLAB_SOURCE_DIR) + "/docs/contract.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const Promise& promise : promises())
        EXPECT_NE(page.find("| `" + std::string(promise.identifier) + "` | " +
                            std::string(promise.text) + " |"),
                  std::string::npos)
            << promise.identifier;
    EXPECT_EQ(text_of_promise("no.such"), "no.such");
}

TEST(Judge, TheRefillRing) {
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.queues[0].given_back = 812; }),
                       "512 of them gave back what it did not hold. The kernel promises: an entry "
                       "with a bad area"));
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.queues[0].unreadable = 2; }),
                       "2 entries of the refill ring named an area or a buffer"));
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.queues[0].most_in_ring = 300; }),
                       "300 entries in a refill ring of 256 at once, so 44"));
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.queues[0].given_back = 10; }),
                       "never gave back 290 of 300"));
    // A batch that it still holds is none.
    EXPECT_EQ(verdict_of("plain", [](auto& r) { r.kernel.queues[0].given_back = 240; }).status,
              TestStatus::kPassed);
}

TEST(Judge, OfWhoIsKilledTheKernelEndsTheConnectionAndNothingWasGivenBack) {
    const auto verdict = verdict_of("killed", [](auto& r) {
        r.peer->streams[0].end = SeenEnd::kShut;
        r.kernel.by_stream[kPort] = 512;
        r.kernel.queues[0].given_back = 0;
        r.kernel.queues[0].unreadable.reset();
    });
    EXPECT_EQ(verdict.status, TestStatus::kPassed) << verdict.sentence;
}

// A round in which a stream of a receiver that waits for the rest stands still.
ConformRound standing_still() {
    ConformRound round = right("area_empty");
    round.kernel.by_stream[kPort] = 512;
    round.peer->streams[0].end = SeenEnd::kOpen;
    round.stalling_bugs = {{"queue-without-buffers-stays-so", "all buffers were held"},
                           {"burst-then-silence", "no CQE comes"}};
    return round;
}

TEST(Judge, ABugOfTheKernelIsNotTheProgramsMistake) {
    const auto is_blocked = [](const ConformRound& round, std::string_view words) {
        const ConformVerdict verdict = judge(round, Check::kNone);
        if (verdict.status == TestStatus::kBlocked &&
            verdict.sentence.find(words) != std::string::npos)
            return testing::AssertionSuccess();
        return testing::AssertionFailure() << name_of(verdict.status) << ": " << verdict.sentence;
    };
    const ConformRound met = standing_still();
    EXPECT_TRUE(is_blocked(met,
                           "1 connections stand still. This kernel has a bug that stops "
                           "streams by itself: all buffers were held"));
    ConformRound full = met;
    full.kernel.queues[0].starved = 0;
    full.kernel.cq_full = 1;
    EXPECT_TRUE(is_blocked(full, "zcrxlab explain burst-then-silence"));
    // It was not met.
    full.kernel.cq_full = 0;
    EXPECT_TRUE(is_red(judge(full, Check::kNone), "left the connection open"));
    // Or the kernel does not have it.
    ConformRound fixed = met;
    fixed.stalling_bugs.clear();
    EXPECT_TRUE(is_red(judge(fixed, Check::kNone), "left the connection open"));
    // What the program did itself is its mistake there as well.
    ConformRound closed = met;
    closed.peer->streams[0].end = SeenEnd::kShut;
    EXPECT_TRUE(is_red(judge(closed, Check::kNone), "closed the connection before the rest"));
    ConformRound unarmed = met;
    unarmed.kernel.requests[kPort] = {{-ENOSPC}, true};
    EXPECT_TRUE(is_red(judge(unarmed, Check::kNone), "armed no request"));
    ConformRound gone = met;
    gone.program = {.told = true, .by_itself = true, .exit = 1};
    EXPECT_TRUE(is_red(judge(gone, Check::kNone), "The program ended with exit code 1."));
    ConformRound keeps = met;
    keeps.kernel.queues[0].given_back = 0;
    EXPECT_TRUE(is_red(judge(keeps, Check::kNone), "It never gave back 300 of 300 pieces."));
}

TEST(Judge, WhatEntriesHaveNamedHasToBeKnownOnce) {
    const auto unreadable = [](auto& r) { r.kernel.queues[0].unreadable.reset(); };
    EXPECT_EQ(verdict_of("plain", unreadable).status, TestStatus::kBlocked);
    EXPECT_EQ(verdict_of("reset", unreadable).status, TestStatus::kPassed);
}

TEST(Judge, WhatWasNeverTakenIsToldByWhatTheKernelHadSaid) {
    const auto without = [](int code, SeenEnd end, bool none_afterwards = true) {
        return verdict_of("cq_full", [&](auto& r) {
            r.kernel.by_stream[kPort] = 512;
            r.kernel.errors[-code] = 1;
            r.kernel.requests[kPort] = {{-code}, none_afterwards};
            r.peer->streams[0].end = end;
        });
    };
    EXPECT_TRUE(is_red(without(ENOSPC, SeenEnd::kReset),
                       "it took 512, and closed the connection before the rest, as a request ended "
                       "with -ENOSPC. The kernel promises: a full CQ"));
    EXPECT_TRUE(is_red(without(ENOSPC, SeenEnd::kOpen),
                       "left the connection open, and armed no request after one had ended"));
    EXPECT_TRUE(is_red(without(ENOSPC, SeenEnd::kReset, false),
                       "it took 512, and closed the connection before the rest. The kernel"))
        << "it armed another one";
    // Whoever arms again and gives nothing back gets no further.
    for (const bool none_afterwards : {true, false})
        EXPECT_TRUE(
            is_red(without(ENOMEM, SeenEnd::kOpen, none_afterwards), "-ENOMEM is not the end"));
    // What became of another stream's request explains nothing.
    EXPECT_TRUE(is_red(verdict_of("cq_full",
                                  [](auto& r) {
                                      r.kernel.by_stream[kPort] = 512;
                                      r.kernel.requests[kPortAfterwards] = {{-ENOSPC}, true};
                                  }),
                       "Arm a request for each connection"));
    EXPECT_TRUE(is_red(without(EFAULT, SeenEnd::kStuck), "Arm a request for each connection"));
    EXPECT_TRUE(is_red(without(EFAULT, SeenEnd::kShut),
                       "it took 512, and closed the connection before the rest."));
    EXPECT_TRUE(is_red(verdict_of("plain",
                                  [](auto& r) {
                                      r.kernel.by_stream.clear();
                                      r.kernel.bytes = 0;
                                  }),
                       "nothing at all was received by zero-copy receive"));
    EXPECT_TRUE(
        is_red(verdict_of("reset", [](auto& r) { r.kernel.by_stream.erase(kPortAfterwards); }),
               "of a connection afterwards it took 0"));
    EXPECT_TRUE(
        is_red(verdict_of("reset", [](auto& r) { r.peer->streams[1].end = SeenEnd::kRefused; }),
               "since it refused the connection"));
    // A reset of the peer's may cost what was on its way.
    EXPECT_EQ(verdict_of("reset", [](auto& r) { r.kernel.by_stream[kPort] = 1; }).status,
              TestStatus::kPassed);
}

TEST(Judge, WhoEndsBeforeItsPeerIsDone) {
    const auto ended = [](ConformRound& round) {
        round.program = {.told = true, .by_itself = true};
        round.peer->streams[1].end = SeenEnd::kRefused;
    };
    EXPECT_TRUE(is_red(verdict_of("reset", ended),
                       "ended, with exit code 0, before its peer was done: of 65536 bytes of a "
                       "connection afterwards it took 65536. Go on accepting"));
    // Of one connection that is over, nobody is to wait for another.
    EXPECT_EQ(
        verdict_of("plain", [](auto& r) { r.program = {.told = true, .by_itself = true}; }).status,
        TestStatus::kPassed);
}

TEST(Judge, ConnectionsThatAreLeftOpen) {
    EXPECT_TRUE(
        is_red(verdict_of("fin_alone", [](auto& r) { r.peer->streams[0].end = SeenEnd::kOpen; }),
               "left 1 of 2 connections open"));
}

TEST(Judge, BytesAreComparedWhereTheyComeBack) {
    const auto echo = [](ConformRound& round) { round.peer->streams[0].echoed = 1 << 20; };
    EXPECT_EQ(verdict_of("plain", echo, Check::kEcho).status, TestStatus::kPassed);
    for (const auto& [shift, words] :
         {std::pair(std::optional<int64_t>(8), "8 bytes further on: so many were lost"),
          std::pair(std::optional<int64_t>(-8), "8 bytes before: so many came twice"),
          std::pair(std::optional<int64_t>(), "are not those that were sent")}) {
        const auto verdict = verdict_of(
            "plain",
            [&, how = shift](auto& r) {
                echo(r);
                r.peer->streams[0].wrong = WrongByte{77, how};
            },
            Check::kEcho);
        EXPECT_TRUE(is_red(verdict, "from byte 77 on"));
        EXPECT_TRUE(is_red(verdict, words));
    }
    EXPECT_TRUE(is_red(verdict_of(
                           "plain", [](auto&) {}, Check::kEcho),
                       "sent back 0 of 1048576"));
}

TEST(Judge, WhatIsAroundTheStream) {
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.queues[0].starved = 9; }),
                       "9 times there was no buffer for the NIC, of the 4096 buffers"));
    EXPECT_TRUE(is_red(verdict_of("plain",
                                  [](auto& r) {
                                      r.kernel.queues[0].starved = 9;
                                      r.kernel.queues[0].posted_at_opening = 1024;
                                  }),
                       "of its area; the driver had posted 1024 before any packet."));
    EXPECT_EQ(verdict_of("bad_wire", [](auto& r) { r.kernel.queues[0].starved = 9; }).status,
              TestStatus::kPassed);
    const auto busy = [](uint64_t milliseconds) {
        return verdict_of("silence", [&](auto& r) {
            r.peer->silent_milliseconds = 1000;
            r.peer->busy_milliseconds = milliseconds;
        });
    };
    EXPECT_TRUE(is_red(busy(990), "a processor for 990 ms"));
    EXPECT_EQ(busy(20).status, TestStatus::kPassed);
    EXPECT_TRUE(is_red(verdict_of("plain", [](auto& r) { r.kernel.left = 1; }),
                       "1 queues were still taken"));
}

TEST(Judge, HashesAreComparedWhereTheyComeBackOrArePrinted) {
    const std::string right(64, 'a'), other(64, 'b');
    const auto with = [&](const std::string& answered, const std::vector<std::string>& printed) {
        return verdict_of(
            "plain",
            [&](auto& r) {
                r.peer->streams[0].hash = right;
                r.peer->streams[0].answered = answered;
                r.printed = printed;
            },
            Check::kSha256);
    };
    EXPECT_EQ(with(right, {}).status, TestStatus::kPassed);
    EXPECT_EQ(with("", {other, right}).status, TestStatus::kPassed);
    EXPECT_TRUE(is_red(with(other, {right}), "it answered the SHA-256 " + other));
    EXPECT_TRUE(is_red(with("", {}), "neither answered nor printed the SHA-256, " + right));
    EXPECT_TRUE(is_red(with("", {other}), "It printed 1 others"));
}

TEST(Judge, WhatGrowsWithEachConnection) {
    const auto grown = [](const Growth& growth) {
        return verdict_of("many", [&](auto& r) { r.peer->growth = growth; });
    };
    EXPECT_TRUE(is_red(grown({100, 0, 102500, 0, 0}),
                       "In 100 connections that came and went its memory grew by 102500 bytes"));
    EXPECT_EQ(grown({100, 0, 102400, 0, 50}).status, TestStatus::kPassed);
    EXPECT_TRUE(is_red(grown({100, 5, 4, 0, 51}), "it had 51 more files open"));
    EXPECT_EQ(verdict_of("many", [](auto& r) { r.peer->growth.reset(); }).status,
              TestStatus::kBlocked);
}

TEST(Judge, WhoIsRefusedAQueueSaysSoOrReceivesOtherwise) {
    for (const char* name : {"queue_taken", "old_kernel"}) {
        const auto ended = [&](const ReceiverEnd& end, bool met = false) {
            return verdict_of(name, [&](auto& r) {
                r.program = end;
                if (!met) r.peer.reset();
            });
        };
        EXPECT_EQ(ended({.told = true, .listened = false, .by_itself = true, .exit = 1}).status,
                  TestStatus::kPassed);
        EXPECT_EQ(ended({.told = true}, true).status, TestStatus::kPassed);
        EXPECT_TRUE(is_red(ended({.told = true, .listened = false, .by_itself = true}),
                           "ended with exit code 0"));
        EXPECT_TRUE(is_red(
            ended({.told = true, .listened = false, .by_itself = true, .exit = 139, .signal = 11}),
            "killed by signal 11"));
        EXPECT_TRUE(is_red(ended({.told = true, .listened = false}), "neither ended nor listened"));
        EXPECT_TRUE(
            is_red(verdict_of(name, [](auto& r) { r.peer->streams[0].end = SeenEnd::kOpen; }),
                   "listens, but does not receive"));
        EXPECT_EQ(ended({.told = true}).status, TestStatus::kBlocked);
        // It has found another queue, and what becomes of that is no matter of this situation.
        EXPECT_EQ(verdict_of(name,
                             [](auto& r) {
                                 r.kernel.bytes = 1;
                                 r.peer->streams[0].end = SeenEnd::kOpen;
                             })
                      .status,
                  TestStatus::kBlocked);
    }
    EXPECT_TRUE(is_red(verdict_of("queue_taken",
                                  [](auto& r) {
                                      r.program = {.told = true, .by_itself = true};
                                      r.peer.reset();
                                  }),
                       "a queue that has a memory provider already is EEXIST"));
}

TEST(Judge, WhatNobodyCouldHaveTakenIsNotMissed) {
    for (const char* name : {"killed", "two_queues"}) {
        const auto without_first = [](ConformRound& round) {
            round.kernel.by_stream.erase(kPort);
            round.peer->streams[0].end = SeenEnd::kReset;
        };
        EXPECT_EQ(verdict_of(name, without_first).status, TestStatus::kPassed) << name;
        EXPECT_TRUE(
            is_red(verdict_of(name, [](auto& r) { r.kernel.by_stream.erase(kPortAfterwards); }),
                   "of a connection afterwards it took 0"));
    }
    EXPECT_EQ(verdict_of("killed", [](auto& r) { r.kernel.queues[0].given_back = 10; }).status,
              TestStatus::kPassed);
}

TEST(Judge, WhatWasNotMadeIsNotPassed) {
    const auto status = [](std::string_view name, const std::function<void(ConformRound&)>& how) {
        return verdict_of(name, how).status;
    };
    EXPECT_EQ(status("two_queues", [](auto& r) { r.queues = 1; }), TestStatus::kSkipped);
    EXPECT_EQ(status("two_queues", [](auto& r) { r.kernel.errors.clear(); }), TestStatus::kBlocked);
    EXPECT_EQ(status("zero_window", [](auto& r) { r.peer->held_back = 0; }), TestStatus::kBlocked);
    const auto with_area = [&](uint64_t pages) {
        return status("area_empty", [&](auto& r) {
            r.kernel.queues[0].starved = 0;
            r.kernel.queues[0].area_buffers = pages;
        });
    };
    EXPECT_EQ(with_area(4096), TestStatus::kBlocked);
    EXPECT_EQ(with_area(1 << 16), TestStatus::kSkipped);
}

TEST(Judge, HowTheProgramEnded) {
    const auto ended = [](const std::function<void(ReceiverEnd&)>& how) {
        return verdict_of("plain", [&](auto& r) {
            r.program = {.told = true};
            how(r.program);
            r.peer.reset();
            r.kernel.registered = {{-EEXIST, 1}};
        });
    };
    EXPECT_TRUE(is_red(ended([](auto& e) {
                           e.by_itself = true;
                           e.exit = 1;
                       }),
                       "exit code 1. Registering a queue failed with -EEXIST"));
    EXPECT_TRUE(is_red(ended([](auto& e) {
                           e.by_itself = true;
                           e.signal = 11;
                       }),
                       "killed by signal 11"));
    EXPECT_TRUE(is_red(ended([](auto& e) { e.listened = false; }), "did not listen on its port"));
    EXPECT_TRUE(is_red(ended([](auto& e) {
                           e.by_itself = true;
                           e.listened = false;
                       }),
                       "without having listened"));
    for (const auto& how : std::initializer_list<std::function<void(ReceiverEnd&)>>{
             [](auto& e) { e.refused = "no such file"; }, [](auto& e) { e.timed_out = true; },
             [](auto& e) { e.by_itself = true; }, [](auto&) {}})
        EXPECT_EQ(ended(how).status, TestStatus::kBlocked);
}

TEST(Judge, WhatCouldNotBeJudgedIsBlocked) {
    for (const auto& spoil : std::initializer_list<std::function<void(ConformRound&)>>{
             [](auto& r) { r.peer->error = "There is no control channel."; },
             [](auto& r) { r.kernel.not_counted = "no probes"; },
             [](auto& r) { r.kernel.copied = 0; },
             [](auto& r) { r.kernel.queues[0].given_back.reset(); },
             [](auto& r) { r.kernel.queues[0].most_in_ring.reset(); },
             [](auto& r) { r.kernel.queues[0].ring_entries.reset(); }}) {
        const ConformVerdict verdict = verdict_of("copied", spoil);
        EXPECT_EQ(verdict.status, TestStatus::kBlocked) << verdict.sentence;
        EXPECT_TRUE(verdict.sentence.ends_with('.')) << verdict.sentence;
    }
    // Whoever asks for control operations cannot be followed.
    EXPECT_EQ(verdict_of("plain",
                         [](auto& r) {
                             r.kernel.queues[0].unreadable.reset();
                             r.kernel.queues[0].flushes = true;
                         })
                  .status,
              TestStatus::kPassed);
}

TEST(Judge, ACqThatCannotGetFullIsSkipped) {
    const auto sized = [](std::optional<uint64_t> cq, std::optional<uint64_t> pages) {
        return verdict_of("cq_full", [&](auto& r) {
            r.kernel.cq_full = 0;
            r.kernel.queues[0].cq_entries = cq;
            r.kernel.queues[0].area_buffers = pages;
        });
    };
    EXPECT_EQ(sized(4096, 4096).status, TestStatus::kSkipped);
    EXPECT_EQ(sized(512, 4096).status, TestStatus::kBlocked);
    EXPECT_EQ(sized({}, 4096).status, TestStatus::kBlocked);
}

}  // namespace
}  // namespace zcrxlab
