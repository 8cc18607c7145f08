// Random lists, fingerprints and smaller lists, without a kernel.
#include <gtest/gtest.h>

#include <algorithm>
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
    EXPECT_EQ(fingerprint_of("I1 (x) does not hold: byte 0x1f at 77"),
              "I1 (x) does not hold: byte # at #");
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

TEST(Smaller, EndsWhereNothingIsLeft) {
    EXPECT_TRUE(without_parts(parsed("pause\n"), 1).empty());
    EXPECT_TRUE(simpler_arguments(parsed("pause\n")).empty());
    EXPECT_LT(weight_of(parsed("ring r cq=8\n")), weight_of(parsed("ring r cq=16\n")));
    EXPECT_LT(weight_of(parsed("ring r\n")), weight_of(parsed("ring r\npause\n")));
}

}  // namespace
}  // namespace zcrxlab
