// Random lists, fingerprints and smaller lists, without a kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "vm/fuzz/fingerprint.hpp"
#include "vm/fuzz/model.hpp"
#include "vm/fuzz/smaller.hpp"

namespace zcrxlab {
namespace {

constexpr uint64_t kLists = 300;

ActionList parsed(std::string_view text) {
    Result<ActionList> list = actions_from_text(text);
    EXPECT_TRUE(list) << (list ? "" : list.error().sentence);
    return list ? *std::move(list) : ActionList{};
}

TEST(Model, MakesListsThatTheParserTakes) {
    for (const bool device : {false, true})
        for (uint64_t number = 0; number < kLists; ++number) {
            const ActionList list = random_list({.seed = 7, .device = device}, number);
            const Result<ActionList> again = actions_from_text(to_text(list));
            ASSERT_TRUE(again) << again.error().sentence << "\n" << to_text(list);
            EXPECT_EQ(*again, list);
        }
}

TEST(Model, MakesTheSameListsOfTheSameSeed) {
    EXPECT_EQ(random_list({.seed = 3}, 41), random_list({.seed = 3}, 41));
    std::set<std::string> texts;
    for (uint64_t number = 0; number < kLists; ++number)
        for (const uint64_t seed : {3, 4}) {
            ActionList list = random_list({.seed = seed}, number);
            list.comments.clear();
            texts.insert(to_text(list));
        }
    EXPECT_GT(texts.size(), 2 * kLists - 5);
}

// What the known bugs of older kernels take is among them.
TEST(Model, ReachesWhatOldKernelsDoWrong) {
    bool burst = false, huge = false, mixed = false, refused = false, exhausted = false;
    for (uint64_t number = 0; number < kLists; ++number) {
        const ActionList list = random_list({.seed = 1}, number);
        bool queued = false;
        for (const Action& action : list.actions) {
            queued = queued || action.has("queued");
            burst = burst || (queued && action.verb == Verb::kArm);
            huge = huge || action.number("area") > uint64_t{4} << 30;
            mixed = mixed || action.word("cqes") == "mixed";
            refused = refused || action.expected() == EINVAL;
            exhausted = exhausted || action.word("final") == "ENOMEM";
        }
    }
    EXPECT_TRUE(burst && huge && mixed && refused && exhausted);
}

// The numbers of a list: what its requests come to, by its own bytes and limits.
struct Promised {
    uint64_t requests = 0, finals = 0;
};

TEST(Model, PromisesWhatTheContractPromises) {
    bool counted = false, limited = false, cancelled = false, held = false, refused = false,
         unfired = false;
    for (uint64_t number = 0; number < 10 * kLists; ++number) {
        const ActionList list = random_list({.seed = 11}, number);
        std::map<std::string, Promised> streams;
        std::map<std::string, uint64_t> sent, limit, since, received;
        std::map<std::string, uint64_t> area;       // by ifq
        std::map<std::string, bool> never, copied;  // by thread
        for (const Action& action : list.actions) {
            Promised& stream = streams[action.name];
            const auto settle = [&, name = action.name](uint64_t bytes) {
                received[name] = bytes;
                if (limit[name] == 0) return;
                const uint64_t reached = (bytes - since[name]) / limit[name];
                since[name] += reached * limit[name];
                streams[name].requests += reached;
                streams[name].finals += reached;
            };
            switch (action.verb) {
                case Verb::kRegister:
                    area[action.name] = action.number("area");
                    break;
                case Verb::kSend:
                    sent[action.name] += action.number("bytes");
                    break;
                case Verb::kArm:
                    ++stream.requests;
                    limit[action.name] = action.number("limit");
                    since[action.name] = received[action.name];
                    limited = limited || action.has("limit");
                    break;
                case Verb::kCancel:
                    ++stream.finals;
                    break;
                case Verb::kPolicy:
                    never[action.thread] = action.word("returns") == "never";
                    break;
                case Verb::kWait:
                    if (action.number("bytes") > 0) copied[action.thread] = true;
                    if (action.has("bytes")) settle(action.number("bytes"));
                    if (action.yes("eof")) {
                        settle(sent[action.name]);
                        ++stream.finals;
                    }
                    break;
                case Verb::kCount:
                    counted = true;
                    cancelled = cancelled || (stream.finals > 0 && limit[action.name] == 0);
                    EXPECT_EQ(action.number("requests"), stream.requests) << to_text(list);
                    EXPECT_EQ(action.number("finals"), stream.finals) << to_text(list);
                    EXPECT_EQ(action.number("least"), (received[action.name] + 4095) / 4096);
                    break;
                case Verb::kBuffers:
                    if (!action.has("entries")) {
                        held = true;
                        EXPECT_TRUE(never[action.thread]);
                        EXPECT_EQ(action.number("held"), area[action.name] / 4096);
                    }
                    break;
                case Verb::kRefuse:
                    refused = true;
                    EXPECT_GT(action.expected(), 0);
                    break;
                case Verb::kEvents:
                    if (action.expected() == EINVAL && !copied[action.thread]) unfired = true;
                    break;
                default:
                    break;
            }
        }
    }
    EXPECT_TRUE(counted && limited && cancelled && held && refused && unfired);
}

// What a list has beside its first thread.
struct Beside {
    bool thread = false, process = false, killed = false, reaped = false, forked = false;
    bool exported = false, shared_by_thread = false, shared_by_process = false;
    bool outlives_exporter = false;
    size_t rings_closed = 0;
};

Beside beside_in(const ActionList& list) {
    Beside seen;
    for (const Action& action : list.actions) {
        seen.thread |= action.verb == Verb::kThread;
        seen.process |= action.verb == Verb::kProcess;
        seen.killed |= action.verb == Verb::kKill;
        seen.reaped |= action.verb == Verb::kReap;
        seen.forked |= action.verb == Verb::kFork;
        seen.exported |= action.verb == Verb::kExport;
        seen.shared_by_thread |= action.verb == Verb::kImport && action.thread == "t";
        seen.shared_by_process |= action.verb == Verb::kImport && action.thread == "p";
        seen.outlives_exporter |= action.verb == Verb::kConnect && seen.rings_closed > 0;
        seen.rings_closed += action.verb == Verb::kClose ? 1 : 0;
    }
    return seen;
}

TEST(Model, HasOthersBesideTheFirstThread) {
    for (const bool device : {false, true}) {
        size_t alone = 0;
        Beside all;
        for (uint64_t number = 0; number < kLists; ++number) {
            const Beside seen = beside_in(random_list({.seed = 2, .device = device}, number));
            alone += seen.thread || seen.process || seen.forked || seen.exported ? 0 : 1;
            all.thread |= seen.thread && !seen.exported;
            all.shared_by_thread |= seen.shared_by_thread;
            all.shared_by_process |= seen.shared_by_process && seen.killed;
            all.outlives_exporter |= seen.outlives_exporter;
            all.killed |= seen.process && seen.killed;
            all.reaped |= seen.process && seen.reaped;
            all.forked |= seen.forked && seen.killed;
        }
        EXPECT_GT(alone, kLists / 2) << "most lists are about one thread";
        EXPECT_TRUE(all.thread && all.shared_by_thread && all.shared_by_process &&
                    all.outlives_exporter && all.killed && all.reaped && all.forked);
    }
}

// A child has copies of the peer's sockets, and a RST comes only once nobody has them open.
TEST(Model, EndsNoStreamWithAResetWhileAChildLives) {
    for (uint64_t number = 0; number < 10 * kLists; ++number) {
        const ActionList list = random_list({.seed = 4}, number);
        bool reset = false, child = false;
        for (const Action& action : list.actions) {
            const bool born = action.verb == Verb::kProcess || action.verb == Verb::kFork;
            EXPECT_FALSE(born && reset) << to_text(list);
            child = (child || born) && action.verb != Verb::kKill && action.verb != Verb::kReap;
            const bool resets = action.word("how") == "reset" && action.thread.empty();
            EXPECT_FALSE(resets && child) << to_text(list);
            reset |= resets;
        }
    }
}

// Others take buffers of a shared area: nothing may be promised about how many are where.
TEST(Model, PromisesNothingOfASharedArea) {
    for (uint64_t number = 0; number < 10 * kLists; ++number) {
        const ActionList list = random_list({.seed = 6}, number);
        if (!beside_in(list).exported) continue;
        for (const Action& action : list.actions) {
            EXPECT_NE(action.verb, Verb::kBuffers) << to_text(list);
            EXPECT_NE(action.verb, Verb::kCapacity) << to_text(list);
            EXPECT_NE(action.verb, Verb::kAwait) << to_text(list);
        }
    }
}

TEST(Model, ChangesAListBehindTheSameBeginning) {
    const ModelOptions options{.seed = 5};
    size_t longer = 0;
    for (uint64_t number = 0; number < 100; ++number) {
        const Origin origin = changed(options, {{0, 5, 7}}, number);
        const ActionList list = list_of(options, origin);
        const ActionList before = random_list(options, 7);
        ASSERT_TRUE(actions_from_text(to_text(list)));
        // Only what stands behind the first difference was chosen anew.
        size_t same = 0;
        while (same < std::min(list.actions.size(), before.actions.size()) &&
               list.actions[same] == before.actions[same])
            ++same;
        longer += same > 2 ? 1 : 0;
        EXPECT_EQ(origin_from_text(list.comments.front()), origin);
        EXPECT_EQ(list_of(options, origin), list);
        EXPECT_EQ(origin_from_text(to_text(changed(options, origin, 3))),
                  changed(options, origin, 3));
    }
    EXPECT_GT(longer, 50U);
}

TEST(Model, TakesNoOriginThatIsNone) {
    const std::string choices_go_back =
        "random list 1 of seed 2; from choice 5 on list 1 of seed 1; from choice 4 on list 1 of "
        "seed 1";
    for (const char* text :
         {"", "random list ", "random list 1", "random list 1 of seed ", "random list 1 of seed 2;",
          "random list 1 of seed 2; from choice 5 on list 1", "a burst larger than the area",
          choices_go_back.c_str(), "random list 99999999999999999999999 of seed 1"})
        EXPECT_TRUE(origin_from_text(text).empty()) << text;
    EXPECT_EQ(origin_from_text("random list 41 of seed 3"), (Origin{{0, 3, 41}}));
}

TEST(Fingerprint, HasNoNumbers) {
    const std::string first = fingerprint_of(
        "\"wait s1 bytes=60000\" did not hold in time: stream 1 has 16384 of the 60000 bytes that "
        "the peer's socket took, data waits in its socket, armed, last final result 0");
    EXPECT_EQ(first, fingerprint_of(
                         "\"wait s2 bytes=7\" did not hold in time: stream 2 has 0 of the 7 bytes "
                         "that the peer's socket took, data waits in its socket, armed, last final "
                         "result 0\nmore"));
    EXPECT_NE(first, fingerprint_of(
                         "\"wait s2 bytes=7\" did not hold in time: stream 2 has 0 of the 7 bytes "
                         "that the peer's socket took, not armed, last final result -ENOMEM"));
    EXPECT_EQ(fingerprint_of("scenarios/actions/stage.cpp:12: A CQE came"), "A CQE came");
    EXPECT_EQ(
        fingerprint_of("scenarios/actions/stage.cpp:12: Failed\nI2 (x (y)) does not hold: 2 there"),
        "I2: # there");
    EXPECT_EQ(fingerprint_of("I1 (x) does not hold: byte 0x1f at 77"), "I1: byte # at #");
    EXPECT_EQ(fingerprint_of(""), "");
}

TEST(Fingerprint, OfASplatIsItsFrames) {
    const std::string console =
        "[    1.0] boot\n[    2.0] BUG: kernel NULL pointer dereference, address: 0000\n"
        "[    2.1] RIP: 0010:io_zcrx_put+0x12/0x80\n[    2.2]  io_one+0x1/0x2\n"
        "[    2.2]  io_two+0x1/0x2 [mod]\n[    2.2]  io_three+0x1/0x2\n";
    EXPECT_EQ(splat_fingerprint(console),
              "BUG: kernel NULL pointer dereference, ad in io_zcrx_put < io_one < io_two");
    EXPECT_EQ(splat_fingerprint("all is well +0x1/0x2\n"), "");
}

TEST(Fingerprint, NamesFoldersThatDiffer) {
    const std::string name = folder_name("I1 (every byte/../) x");
    EXPECT_EQ(name.find_first_of("/. ()"), std::string::npos) << name;
    EXPECT_NE(name, folder_name("I1 (every byte/../) y"));
}

constexpr std::string_view kList = R"(ring r sq=8 cq=16
register q ring=r area=64KiB rq=8
connect s ifq=q mss=1000
send s bytes=1000
send s bytes=59000
wait s queued=60000
arm s
wait s bytes=60000
)";

TEST(Smaller, LeavesNothingThatHangsInTheAir) {
    const ActionList list = parsed(kList);
    for (const size_t length : {1, 2, 4, 8})
        for (const ActionList& candidate : without_parts(list, length)) {
            EXPECT_TRUE(check_names(candidate)) << to_text(candidate);
            EXPECT_LT(candidate.actions.size(), list.actions.size());
        }
    // Without the connection there is nothing to send.
    const auto candidates = without_parts(list, 1);
    const ActionList two = parsed("ring r sq=8 cq=16\nregister q ring=r area=64KiB rq=8\n");
    EXPECT_NE(std::ranges::find(candidates, two), candidates.end());
}

TEST(Smaller, WaitsForNoMoreThanWasSent) {
    for (const ActionList& candidate : without_parts(parsed(kList), 1)) {
        uint64_t sent = 0;
        for (const Action& action : candidate.actions) {
            if (action.verb == Verb::kSend) sent += action.number("bytes");
            if (action.verb == Verb::kWait) {
                EXPECT_LE(action.number("bytes"), sent);
                EXPECT_LE(action.number("queued"), sent);
            }
        }
    }
}

TEST(Smaller, SimplifiesArgumentsAndThreads) {
    const auto candidates = simpler_arguments(parsed("thread t\nt: ring r cq=16\njoin t\n"));
    EXPECT_NE(std::ranges::find(candidates, parsed("ring r cq=16\n")), candidates.end());
    EXPECT_NE(std::ranges::find(candidates, parsed("thread t\nt: ring r\njoin t\n")),
              candidates.end());
    EXPECT_NE(std::ranges::find(candidates, parsed("thread t\nt: ring r cq=8\njoin t\n")),
              candidates.end());
}

TEST(Smaller, LeavesOutAllThatMayBeLeftOut) {
    const auto candidates = simpler_arguments(parsed(kList));
    const ActionList bare = parsed(R"(ring r
register q ring=r
connect s ifq=q
send s bytes=1000
send s bytes=59000
wait s
arm s
wait s
)");
    EXPECT_NE(std::ranges::find(candidates, bare), candidates.end());
}

TEST(Smaller, SimplifiesFaults) {
    const auto candidates =
        simpler_arguments(parsed(R"(fault {"match":{"every":9,"protocol":"tcp"},"what":"drop"})"));
    for (const char* text :
         {R"(fault {"what":"drop"})", R"(fault {"match":{"every":9},"what":"drop"})",
          R"(fault {"match":{"every":4,"protocol":"tcp"},"what":"drop"})"})
        EXPECT_NE(std::ranges::find(candidates, parsed(text)), candidates.end()) << text;
}

TEST(Smaller, TakesAllThatHelpsAtOnce) {
    const ActionList list = parsed(kList);
    const ActionList together =
        merged(list, {parsed("ring r cq=16\nregister q ring=r area=64KiB rq=8\nconnect s ifq=q "
                             "mss=1000\nsend s bytes=59000\nwait s queued=59000\narm s\nwait s "
                             "bytes=59000\n"),
                      parsed("ring r sq=8 cq=16\nregister q ring=r area=32KiB\nconnect s ifq=q "
                             "mss=1000\nsend s bytes=1000\nsend s bytes=59000\nwait s "
                             "queued=60000\narm s\nwait s bytes=60000\n")});
    EXPECT_EQ(together,
              parsed("ring r cq=16\nregister q ring=r area=32KiB\nconnect s ifq=q mss=1000\nsend s "
                     "bytes=59000\nwait s queued=59000\narm s\nwait s bytes=59000\n"));
    EXPECT_EQ(merged(list, {}), list);
}

TEST(Smaller, Hurries) {
    const ActionList fast = hurried(parsed(kList), 1500);
    EXPECT_EQ(fast.actions.back().number("within"), 1500U);
    EXPECT_EQ(hurried(fast, 9), fast);
    // No list waits for less than it did: that would fail on any kernel.
    for (const ActionList& candidate : simpler_arguments(fast))
        for (const Action& action : candidate.actions)
            EXPECT_TRUE(!action.has("within") || action.number("within") == 1500U);
}

TEST(Smaller, EndsWhereNothingIsLeft) {
    EXPECT_TRUE(without_parts(parsed("pause\n"), 1).empty());
    EXPECT_TRUE(simpler_arguments(parsed("pause\n")).empty());
    EXPECT_LT(weight_of(parsed("ring r cq=8\n")), weight_of(parsed("ring r cq=16\n")));
    EXPECT_LT(weight_of(parsed("ring r\n")), weight_of(parsed("ring r\npause\n")));
}

}  // namespace
}  // namespace zcrxlab
