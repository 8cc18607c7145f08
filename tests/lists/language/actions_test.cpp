// Action lists: the table, the text format there and back, and every way in which a list is wrong.
#include <gtest/gtest.h>

#include <set>

#include "lists/language/list.hpp"

namespace zcrxlab {
namespace {

constexpr std::string_view kBurst = R"(# a burst larger than the area, then silence
ring r sq=1 cq=8
register q ring=r area=16KiB
connect s ifq=q mss=1000
send s bytes=60000 cut=1000,5,64KiB
wait s queued=60000
arm s
wait s bytes=60000 within=8000
)";

ActionList parsed(std::string_view text) {
    Result<ActionList> list = actions_from_text(text);
    EXPECT_TRUE(list) << (list ? "" : list.error().sentence);
    return list ? *std::move(list) : ActionList{};
}

std::string refusal(std::string_view text) {
    const Result<ActionList> list = actions_from_text(text);
    return list ? "" : list.error().sentence;
}

TEST(ActionForms, AreInTheOrderOfTheEnum) {
    size_t number = 0;
    for (const VerbForm& form : verb_forms()) {
        EXPECT_EQ(static_cast<size_t>(form.verb), number++) << form.word;
        EXPECT_EQ(find_form(form.word), &form);
    }
    EXPECT_EQ(number, static_cast<size_t>(Verb::kPause) + 1);
}

TEST(ActionForms, HaveDefaultsThatCanBeWritten) {
    for (const VerbForm& form : verb_forms()) {
        std::set<std::string_view> names;
        for (const Parameter& parameter : form.parameters) {
            EXPECT_TRUE(names.insert(parameter.name).second) << form.word << " " << parameter.name;
            if (parameter.fallback.empty()) continue;
            std::string line = "ring r\nregister q ring=r\nconnect s ifq=q\nexport b ifq=q\n";
            line += "fork p\nthread t\n";
            line += std::string(form.word) + " ";
            constexpr std::string_view kNames[] = {"", "r", "q", "s", "b", "p", "t"};
            if (form.subject != Thing::kNothing)
                line += form.makes ? "fresh" : kNames[static_cast<size_t>(form.subject)];
            for (const Parameter& other : form.parameters) {
                if (!other.required) continue;
                line += " " + std::string(other.name) + "=";
                if (other.kind == ValueKind::kName)
                    line += kNames[static_cast<size_t>(other.thing)];
                else
                    line += other.kind == ValueKind::kWord ? words_of(other).front() : "1";
            }
            line += " " + std::string(parameter.name) + "=" + std::string(parameter.fallback);
            EXPECT_EQ(refusal(line), "") << line;
        }
    }
}

TEST(ActionText, ComesBackAsItWas) {
    const ActionList list = parsed(kBurst);
    EXPECT_EQ(to_text(list), kBurst);
    EXPECT_EQ(parsed(to_text(list)), list);
    ASSERT_EQ(list.actions.size(), 7U);
    EXPECT_EQ(list.actions[1].number("area"), 16384U);
    EXPECT_EQ(list.actions[1].word("memory"), "anonymous");
    EXPECT_EQ(list.actions[3].numbers("cut"), (std::vector<uint64_t>{1000, 5, 65536}));
    EXPECT_EQ(list.actions[6].number("bytes"), 60000U);
    EXPECT_FALSE(list.actions[6].has("final"));
}

TEST(ActionText, HasOneFormForEqualLists) {
    EXPECT_EQ(to_text(parsed("ring r   cq=0x10 sq=1024 # small\n\n")), "ring r sq=1KiB cq=16\n");
}

TEST(ActionText, KeepsAFaultRuleAsItIs) {
    const std::string rule = R"({"what":"drop","match":{"every":3}, "note":"# 1"})";
    const ActionList list = parsed("fault " + rule + "\n");
    EXPECT_EQ(list.actions.at(0).text, rule);
    EXPECT_EQ(parsed(to_text(list)), list);
}

TEST(ActionText, HasThreads) {
    const ActionList list = parsed("thread t\nt: ring r\njoin t\n");
    EXPECT_EQ(list.actions[1].thread, "t");
    EXPECT_EQ(to_text(list), "thread t\nt: ring r\njoin t\n");
}

TEST(ActionText, HasProcesses) {
    const std::string text =
        "ring r\nregister q ring=r memory=memfd rq_memory=kernel\nexport b ifq=q\nprocess p\n"
        "p: ring rp\np: import qp ring=rp box=b\nreap p\n";
    EXPECT_EQ(to_text(parsed(text)), text);
    EXPECT_EQ(refusal("process p\np: ring r\nkill p"), "");
    const auto says = [](std::string_view list, std::string_view expected) {
        EXPECT_NE(refusal(list).find(expected), std::string::npos)
            << list << " gives: " << refusal(list);
    };
    says("ring r\nprocess p\np: register q ring=r", "is in another process");
    says("process p\np: ring r\nregister q ring=r", "is in another process");
    says(
        "ring r\nregister q ring=r\nexport b ifq=q\nprocess p\np: ring s\n"
        "p: import i ring=s box=b",
        "only a copy of the memory");
    says(
        "ring r\nregister q ring=r memory=memfd rq_memory=kernel\nprocess p\nexport b ifq=q\n"
        "p: ring s\np: import i ring=s box=b",
        "is in another process");
    says("process p\nreap p\np: ring r", "the process p has ended before");
    says("process p\nreap p\nreap p", "there is no process p");
    says("fork p\nreap p", "does nothing until it is killed");
    says("process p\np: process q", "is for the first thread");
    says("process p\nthread p", "is taken");
}

TEST(ActionText, SaysWhatIsWrongAndWhere) {
    const auto says = [](std::string_view text, std::string_view expected) {
        EXPECT_NE(refusal(text).find(expected), std::string::npos)
            << text << " gives: " << refusal(text);
    };
    says("ring r\nrung q", "Line 2: there is no action \"rung\"; there are ring, register");
    says("ring", "ring needs the name of a ring");
    says("ring r cq=many", "a number is like 4096");
    says("ring r cq=70000", "between 1 and 65536");
    says("ring r cq=99999999999999999999", "a number is like");
    says("ring r cq=17179869184GiB", "too large");
    says("ring r cqes=64", "there are 32|mixed|16");
    says("ring r cq=8 cq=8", "twice");
    says("ring r colour=red", "there are sq=, cq=");
    says("ring r expect=EFUN", "no errno");
    says("ring r\nregister q", "register needs ring=");
    says("register q ring=r", "there is no ring r");
    says("ring r\nring r", "there is a ring r already");
    says("ring r\nclose r\nsubmit r", "there is no ring r");
    says("ring r\narm r", "there is no stream r");
    says("t: ring r", "there is no thread t");
    says("thread t\nring r\nt: submit r", "belongs to another thread");
    says("thread t\njoin t\nt: ring r", "has ended before");
    says("fault", "needs its text");
    says("ring r\x01", "control characters");
    std::string long_list;
    for (size_t i = 0; i <= kMostActions; ++i) long_list += "pause\n";
    says(long_list, "more than 2000 actions");
}

TEST(ActionValues, CanBeChanged) {
    Action action = parsed("ring r cq=8").actions.at(0);
    action.set("sq", 4);
    action.set("expect", "EINVAL");
    EXPECT_EQ(to_text(action), "ring r sq=4 cq=8 expect=EINVAL");
    EXPECT_EQ(action.expected(), EINVAL);
    action.remove("cq");
    action.set("sq", 2);
    EXPECT_EQ(to_text(action), "ring r sq=2 expect=EINVAL");
}

TEST(ActionValues, NameErrnos) {
    EXPECT_EQ(*errno_from_name("ENOSPC"), ENOSPC);
    EXPECT_EQ(*errno_from_name("success"), 0);
    EXPECT_EQ(*errno_from_name("any"), kAnyErrno);
    EXPECT_FALSE(errno_from_name(""));
    EXPECT_FALSE(errno_from_name("errno 4711"));
}

TEST(ActionManual, NamesEveryVerb) {
    const std::string manual = actions_manual();
    for (const VerbForm& form : verb_forms())
        EXPECT_NE(manual.find("    " + std::string(form.word)), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
