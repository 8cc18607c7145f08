// Random lists, without a kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "lists/fuzz/model.hpp"
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {
namespace {

constexpr uint64_t kLists = 300;

TEST(Model, MakesListsThatTheParserTakes) {
    for (const bool device : {false, true})
        for (uint64_t number = 0; number < kLists; ++number) {
            const ActionList list = random_list({.seed = 7, .device = device}, number);
            const Result<ActionList> again = actions_from_text(to_text(list));
            ASSERT_TRUE(again) << again.error().sentence << "\n" << to_text(list);
            EXPECT_EQ(*again, list);
        }
}

// What a verb's row says of the fuzzer, and nothing else, is in random lists.
TEST(Model, MakesTheVerbsThatSaySo) {
    for (const bool device : {false, true}) {
        std::set<Verb> made;
        for (const uint64_t seed : {1, 2, 3})
            for (uint64_t number = 0; number < kLists; ++number)
                for (const Action& action :
                     random_list({.seed = seed, .device = device}, number).actions)
                    made.insert(action.verb);
        for (const VerbForm& form : verb_forms()) {
            const ByFuzzer* fuzzer = row_of(form.verb).fuzzer.how();
            const bool promised =
                fuzzer != nullptr &&
                fuzzer->nic != (device ? ByFuzzer::Nic::kWithout : ByFuzzer::Nic::kWith);
            EXPECT_EQ(made.contains(form.verb), promised)
                << form.word << (device ? " with" : " without") << " a NIC";
        }
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

}  // namespace
}  // namespace zcrxlab
