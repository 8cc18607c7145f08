// Smaller lists, without a kernel.
#include "lists/shrink/smaller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "lists/verbs/row/row.hpp"

namespace zcrxlab {
namespace {

ActionList parsed(std::string_view text) {
    Result<ActionList> list = actions_from_text(text);
    EXPECT_TRUE(list) << (list ? "" : list.error().sentence);
    return list ? *std::move(list) : ActionList{};
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

// An urgent byte is one of the stream's.
TEST(Smaller, WaitsForUrgentBytes) {
    const ActionList list = parsed(
        "ring r\nregister q ring=r\nconnect s ifq=q\nsend s bytes=9\nurgent s\narm s\n"
        "wait s bytes=10\npause\n");
    const auto candidates = without_parts(list, 1);
    ActionList without_pause = list;
    without_pause.actions.pop_back();
    EXPECT_NE(std::ranges::find(candidates, without_pause), candidates.end());
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

// An action of each verb with all numbers that it can have, behind what it needs.
std::string line_with_numbers(const VerbForm& form) {
    constexpr std::string_view kNames[] = {"", "r", "q", "s", "b", "p", "t"};
    std::string line(form.word);
    if (form.subject != Thing::kNothing)
        line +=
            form.makes ? " fresh" : " " + std::string(kNames[static_cast<size_t>(form.subject)]);
    if (form.text) line += R"( {"what":"drop"})";
    for (const Parameter& parameter : form.parameters) {
        const bool number = parameter.kind == ValueKind::kNumber;
        if (!parameter.required && !number) continue;
        line += " " + std::string(parameter.name) + "=";
        if (parameter.kind == ValueKind::kName)
            line += kNames[static_cast<size_t>(parameter.thing)];
        else
            line += number ? std::to_string(std::min<uint64_t>(parameter.most, 4096))
                           : std::string(words_of(parameter).front());
    }
    return line;
}

// What a verb's row says of the shrinker, and nothing else, becomes smaller.
TEST(Smaller, LowersTheNumbersOfTheVerbsThatSaySo) {
    for (const VerbForm& form : verb_forms()) {
        const ActionList list = parsed(
            "ring r\nregister q ring=r\nconnect s ifq=q\nexport b ifq=q\nsend s "
            "bytes=1MiB\nprocess p\nthread t\n" +
            line_with_numbers(form) + "\n");
        const Action& whole = list.actions.back();
        bool lowered = false;
        for (const ActionList& candidate : simpler_arguments(list)) {
            const Action& action = candidate.actions.back();
            if (action.verb != form.verb || action.arguments.size() != whole.arguments.size())
                continue;
            lowered = lowered || (action != whole && action.text == whole.text);
        }
        const Simpler* simpler = row_of(form.verb).shrinker.how();
        EXPECT_EQ(lowered, simpler != nullptr && simpler->numbers) << form.word;
    }
}

TEST(Smaller, GivesTheFirstThreadTheLinesOfTheVerbsThatSaySo) {
    for (const VerbForm& form : verb_forms()) {
        if (!form.lines) continue;
        const auto candidates =
            simpler_arguments(parsed(std::string(form.word) + " x\nx: ring r cq=16\n"));
        const Simpler* simpler = row_of(form.verb).shrinker.how();
        EXPECT_EQ(std::ranges::find(candidates, parsed("ring r cq=16\n")) != candidates.end(),
                  simpler != nullptr && simpler->hands_over)
            << form.word;
    }
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
