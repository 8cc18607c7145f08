// Generation: that what is broken off goes on without a loss, and who is asked first.
#include "cli/coverage/generation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "cli/coverage/kept_attempts.hpp"
#include "harness/base/hex.hpp"
#include "tests/cli/coverage/fake_laboratory.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using enum TestStatus;

constexpr const char* kPath = "io_uring/x.c";
constexpr const char* kText =
    "int f(int a)\n"
    "{\n"
    "\tif (a < 5)\n"
    "\t\tg(a);\n"
    "\treturn a;\n"
    "}\n"
    "\n"
    "int h(int a)\n"
    "{\n"
    "\tguard(mutex)(&m);\n"
    "\ti(a);\n"
    "\treturn a && k(a);\n"
    "}\n";

const std::string kHead = "written for 7.3.4 0123abcd\n";

// With a kernel in which "receive" notices what is wrong in f(), and "refill" what is in h() or was
// built by itself, but nobody that h() does not call i().
class GenerationTest : public testing::Test {
  protected:
    GenerationTest() {
        options_.generate = {kPath};
        options_.at_once = 1;
        laboratory_.tree[kPath] = kText;
        laboratory_.compiler = [](const std::string& text) -> Result<std::string> {
            if (text.find("a <= 5") != std::string::npos) return std::string(kText);
            return text;
        };
        laboratory_.runner = [this](const ScenarioRun& order) -> Result<RunSummary> {
            if (left_ != 0 && --left_ == 0) return Error{ECANCELED, "Interrupted."};
            return run_of({{"other", kPassed},
                           {"receive", is_broken(order, "f") ? kFailed : kPassed},
                           {"refill", is_broken(order, "h") ? kFailed : kPassed}});
        };
    }

    // Whether this run is of a kernel with a mistake in `function`, and asks who notices it.
    bool is_broken(const ScenarioRun& order, const std::string& function) const {
        const std::string who = function == "f" ? "receive" : "refill";
        if (!order.filter.empty() && order.filter.find(who) == std::string::npos) return false;
        const bool built_alone = order.subject.kernel.string().starts_with("/kept/alone-");
        if (order.subject.options.empty() && !built_alone) return false;
        return order.name.starts_with(function + "-") &&
               order.name.find("h-11-call-left-out") == std::string::npos &&
               order.name.find("f-3-comparison") == std::string::npos;
    }

    Result<void> run() {
        Generation generation(options_, laboratory_, folder_.path() / out_,
                              folder_.path() / "lists", scope_);
        auto ran = generation.run();
        const MutationReport report = generation.report();
        attempts_ = report.attempts;
        misfits_ = report.misfits;
        return ran;
    }
    // All that is known, without times.
    std::string known() const {
        Attempts all{"", attempts_};
        for (Attempt& one : all.all) one.run_seconds = one.build_seconds = 0;
        return to_json(all);
    }
    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const Attempt& one : attempts_) all.insert(one.name);
        return all;
    }
    // Of the attempts in the file.
    std::set<std::string> read_back() const {
        std::set<std::string> all;
        const auto kept = attempts_from_json(folder_.read(out_ + "/mutations.json"));
        EXPECT_TRUE(kept);
        if (kept)
            for (const Attempt& one : kept->all) all.insert(one.name);
        return all;
    }
    const Attempt& attempt(const std::string& name) const {
        const auto found = std::ranges::find(attempts_, name, &Attempt::name);
        EXPECT_NE(found, attempts_.end()) << name;
        return *found;
    }

    TemporaryFolder folder_;
    CoverageOptions options_;
    Scope scope_;
    FakeLaboratory laboratory_;
    size_t left_ = 0;  // runs until a person ends it; 0: nobody does
    std::vector<Attempt> attempts_;
    std::vector<std::string> misfits_;
    std::string out_ = "out";
};

TEST_F(GenerationTest, TriesEach) {
    ASSERT_TRUE(run());
    EXPECT_EQ(attempts_.size(), mutants_of(kText).size());
    EXPECT_EQ(attempt("f-3-comparison").set_aside, "The compiler makes the same code of it.");
    EXPECT_EQ(attempt("h-11-call-left-out").set_aside, "");
    EXPECT_EQ(attempt("f-4-call-left-out").verdict.test, "receive");
    EXPECT_EQ(attempt("h-12-logic").verdict.test, "refill");
    EXPECT_EQ(attempt("h-10-lock-left-out").verdict.test, "refill");
    EXPECT_FALSE(attempt("h-11-call-left-out").verdict.noticed);
    EXPECT_EQ(attempt("h-12-logic").source, kPath);
    EXPECT_EQ(attempt("h-12-logic").function, "h");
    EXPECT_EQ(attempt("h-12-logic").line, 12U);
    EXPECT_EQ(attempt("h-12-logic").rule, "logic");
    EXPECT_NE(folder_.read("out/patches/h-12-logic.patch").find("+\treturn a || k(a);"),
              std::string::npos);
    // The guard had to be built.
    EXPECT_EQ(laboratory_.built, (std::vector<std::string>{"the kernel as it is",
                                                           "the kernel with mistakes to switch on",
                                                           "the kernel with h-10-lock-left-out"}));
}

// Those of the same function before those of the whole source, and then all.
TEST_F(GenerationTest, WhoNoticedOtherMistakesIsAskedFirst) {
    ASSERT_TRUE(run());
    std::set<std::string> asked_about, noticed_by;
    for (const ScenarioRun& order : laboratory_.runs) {
        const auto found = std::ranges::find(attempts_, order.name, &Attempt::name);
        if (found == attempts_.end() || !asked_about.insert(order.name).second) continue;
        std::string first = fmt::format("{}", fmt::join(noticed_by, ":"));
        if (noticed_by.size() == 2 && found->function == "h") first = "refill:receive";
        EXPECT_EQ(order.filter, first) << order.name;
        if (found->verdict.noticed) noticed_by.insert(found->verdict.test);
    }
    EXPECT_EQ(noticed_by.size(), 2U);
}

class GenerationReachTest : public GenerationTest {
  protected:
    // The scenario `test` came by the mistakes of these bits.
    void comes_by(const std::string& test, const std::string& bits) {
        ASSERT_TRUE(laboratory_.reached.add(R"({"test": ")" + test +
                                            R"(", "object": "reached_x", "hex": ")" + hex_of(bits) +
                                            "\"}"));
    }
    static uint64_t bit_of(const std::string& name) {
        const std::vector<Mutant> all = mutants_of(kText);
        const auto found = std::ranges::find(all, name, &Mutant::name);
        EXPECT_NE(found, all.end()) << name;
        return uint64_t{1} << (found - all.begin() + 1);
    }
    static std::string hex(uint64_t bits) { return fmt::format("{:x}", bits); }
    std::set<std::string> asked_about(const std::string& name) const {
        std::set<std::string> filters;
        for (const ScenarioRun& order : laboratory_.runs)
            if (order.name == name) filters.insert(order.filter);
        return filters;
    }
};

TEST_F(GenerationReachTest, WhoDoesNotComeByAMistakeIsNotAskedAboutIt) {
    comes_by("receive", hex(bit_of("f-4-call-left-out")));
    comes_by("refill", hex(bit_of("h-12-logic")));
    comes_by("other", hex(bit_of("h-12-logic")));
    ASSERT_TRUE(run());
    EXPECT_EQ(asked_about("f-4-call-left-out"), std::set<std::string>{"receive"});
    for (const std::string& filter : asked_about("h-12-logic"))
        EXPECT_TRUE(filter == "other:refill" || filter == "refill") << filter;
    EXPECT_TRUE(attempt("h-12-logic").verdict.noticed);
    // A kernel with this one alone does not tell who comes by it.
    EXPECT_TRUE(asked_about("h-10-lock-left-out").contains(""));
    // Nobody came by the others: they count as not noticed, but where they are no other code.
    EXPECT_EQ(asked_about("h-11-call-left-out"), std::set<std::string>{});
    EXPECT_TRUE(attempt("h-11-call-left-out").unreached);
    EXPECT_FALSE(attempt("h-11-call-left-out").verdict.noticed);
    EXPECT_EQ(attempt("f-3-comparison").set_aside, "The compiler makes the same code of it.");
    for (const ScenarioRun& order : laboratory_.runs)
        EXPECT_EQ(order.tells_reach, order.name == "unpatched");
}

// What the features of a kernel depend on concerns those that need them.
TEST_F(GenerationReachTest, WhatOnlyTheProbeComesByIsAskedOfAll) {
    comes_by("", hex(bit_of("f-4-call-left-out") | bit_of("h-12-logic")));
    comes_by("refill", hex(bit_of("h-12-logic")));
    ASSERT_TRUE(run());
    EXPECT_TRUE(asked_about("f-4-call-left-out").contains(""));
    EXPECT_TRUE(attempt("f-4-call-left-out").verdict.noticed);
    EXPECT_EQ(asked_about("h-12-logic"), std::set<std::string>{"refill"});
}

TEST_F(GenerationTest, WhoNoticedItInAnEarlierCallIsAskedFirst) {
    options_.sample = 1;
    while (names().empty() || !attempts_[0].verdict.noticed || attempts_[0].function != "f") {
        attempts_.clear();
        ++options_.run.vm.seed;
        std::filesystem::remove(folder_.path() / "out/mutations.json");
        ASSERT_TRUE(run());
    }
    options_.sample = 0;
    laboratory_.runs.clear();
    ASSERT_TRUE(run());
    std::set<std::string> asked_about;
    for (const ScenarioRun& order : laboratory_.runs) {
        if (!order.name.starts_with("f-") || !asked_about.insert(order.name).second) continue;
        EXPECT_TRUE(order.filter.starts_with("receive")) << order.name << " " << order.filter;
    }
}

// Whichever run a person ends, another call goes on there, and the end is the same.
TEST_F(GenerationTest, BrokenOffNothingIsLostAndNothingTriedTwice) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    const size_t runs = laboratory_.runs.size();
    ASSERT_GT(runs, 20U);
    for (size_t end = 1; end <= runs; ++end) {
        std::filesystem::remove(folder_.path() / "out/mutations.json");
        left_ = end;
        const auto ran = run();
        ASSERT_FALSE(ran) << end;
        EXPECT_EQ(ran.error().code, ECANCELED);
        const std::set<std::string> before = names();
        laboratory_.runs.clear();
        laboratory_.compiled.clear();
        ASSERT_TRUE(run()) << end;
        EXPECT_EQ(known(), whole) << end;
        for (const ScenarioRun& order : laboratory_.runs)
            EXPECT_FALSE(before.contains(order.name)) << order.name << " was tried before " << end;
        for (const Mutant& mutant : mutants_of(kText))
            if (before.contains(mutant.name)) {
                EXPECT_EQ(std::ranges::count(laboratory_.compiled, mutated(kText, mutant)), 0)
                    << mutant.name << " was compiled before " << end;
            }
    }
}

TEST_F(GenerationTest, ASampleBrokenOffLosesNothingOfAnother) {
    options_.sample = 3;
    options_.run.vm.seed = 1;
    ASSERT_TRUE(run());
    const std::set<std::string> one = names();
    EXPECT_EQ(one.size(), 3U);
    options_.run.vm.seed = 2;
    for (left_ = 2; !run(); left_ = 8) {
        for (const std::string& name : one) EXPECT_TRUE(names().contains(name)) << name;
        const auto kept = read_back();
        for (const std::string& name : one) EXPECT_TRUE(kept.contains(name)) << name;
    }
    EXPECT_GT(names().size(), 3U);
}

// So that a mistake can be made again by its number, whatever was tried beside it.
TEST_F(GenerationTest, ASampleAShareAndASecondCallLeaveTheNumbersAsTheyAre) {
    ASSERT_TRUE(run());
    const std::string number = attempt("h-12-logic").setting;
    EXPECT_TRUE(number.starts_with("kernel.mutant_x=")) << number;
    EXPECT_EQ(attempt("h-10-lock-left-out").setting, "");  // it was built alone
    options_.share = "2/2";
    const std::vector<Mutant> all = mutants_of(kText);
    for (const char* out : {"alone", "alone"}) {
        out_ = out;
        ASSERT_TRUE(run());
        for (size_t i = 0; i < all.size(); ++i)
            if (names().contains(all[i].name) && !attempt(all[i].name).setting.empty()) {
                EXPECT_EQ(attempt(all[i].name).setting, fmt::format("kernel.mutant_x={}", i + 1));
            }
    }
    EXPECT_EQ(attempts_.size(), all.size() / 2);
}

TEST_F(GenerationTest, OnlyFunctionsInScopeHaveMistakes) {
    scope_[kPath] = {"f"};
    ASSERT_TRUE(run());
    EXPECT_TRUE(names().contains("f-4-call-left-out"));
    for (const Attempt& one : attempts_) EXPECT_EQ(one.function, "f");
    // What was found of other functions says nothing about these.
    scope_[kPath] = {"f", "h"};
    EXPECT_EQ(run().error().code, EEXIST);
    scope_[kPath] = {"g"};
    out_ = "none";
    EXPECT_EQ(run().error().code, EINVAL);
    scope_ = {{"io_uring/y.c", {"f"}}};
    ASSERT_TRUE(run());
    EXPECT_EQ(attempts_.size(), mutants_of(kText).size());
}

// As on a kernel that looks closer.
TEST_F(GenerationTest, WhatAnotherCallLeftIsTriedAlone) {
    ASSERT_TRUE(run());
    ASSERT_FALSE(attempt("h-11-call-left-out").verdict.noticed);
    std::set<std::string> left;
    for (const Attempt& one : attempts_)
        if (!one.verdict.noticed && one.set_aside.empty()) left.insert(one.name);
    options_.left_by = {(folder_.path() / out_).string()};
    options_.fragments = {"debug"};
    out_ = "debug";
    ASSERT_TRUE(run());
    EXPECT_EQ(names(), left);
    laboratory_.tree[kPath] += "\n";
    out_ = "other";
    EXPECT_EQ(run().error().code, EEXIST);
    options_.left_by = {(folder_.path() / "nothing").string()};
    EXPECT_EQ(run().error().code, ENOENT);
}

TEST_F(GenerationTest, WhereAllIsKnownNothingIsBuilt) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    laboratory_.built.clear();
    laboratory_.runs.clear();
    ASSERT_TRUE(run());
    EXPECT_TRUE(laboratory_.built.empty());
    EXPECT_TRUE(laboratory_.runs.empty());
    EXPECT_EQ(known(), whole);
}

TEST_F(GenerationTest, SharesAreTheWholeAndNoneIsInTwo) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    std::multiset<std::string> tried;
    std::vector<std::string> shares;
    for (const char* share : {"1/3", "2/3", "3/3"}) {
        options_.share = share;
        out_ = std::string("share-") + share[0];
        ASSERT_TRUE(run());
        EXPECT_LE(attempts_.size(), 3U);
        for (const std::string& name : names()) tried.insert(name);
        shares.push_back((folder_.path() / out_).string());
    }
    options_.join = shares;
    EXPECT_EQ(tried.size(), mutants_of(kText).size());
    options_.share.clear();
    out_ = "joined";
    laboratory_.runs.clear();
    ASSERT_TRUE(run());
    EXPECT_TRUE(laboratory_.runs.empty());
    EXPECT_EQ(known(), whole);
    EXPECT_EQ(read_back().size(), tried.size());
}

// What another call needs to know is in the record, and the source says the rest.
TEST_F(GenerationTest, ARecordIsTakenUpLikeAllThatWasFound) {
    ASSERT_TRUE(run());
    const std::vector<Attempt> whole = attempts_;
    options_.join = {(folder_.path() / "out/record").string()};
    out_ = "joined";
    laboratory_.runs.clear();
    laboratory_.compiled.clear();
    ASSERT_TRUE(run());
    EXPECT_TRUE(laboratory_.runs.empty());
    EXPECT_TRUE(laboratory_.compiled.empty());
    EXPECT_EQ(to_record({"", attempts_}), to_record({"", whole}));
    ASSERT_EQ(attempts_.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i) {
        EXPECT_EQ(attempts_[i].title, whole[i].title);
        EXPECT_EQ(attempts_[i].function, whole[i].function);
        EXPECT_EQ(attempts_[i].rule, whole[i].rule);
    }
}

// Each run waits until another goes on beside it, so that one after the other does not end.
TEST_F(GenerationTest, SeveralAreTriedAtOnceAndFindTheSame) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    const auto alone = laboratory_.runner;
    std::mutex mutex;
    std::condition_variable changed;
    size_t running = 0, most = 0;
    laboratory_.runner = [&](const ScenarioRun& order) {
        if (!order.name.starts_with("unpatched")) {
            std::unique_lock lock(mutex);
            most = std::max(most, ++running);
            changed.notify_all();
            changed.wait_for(lock, std::chrono::seconds(most < 3 ? 60 : 0),
                             [&] { return most >= 3; });
            --running;
        }
        return alone(order);
    };
    options_.at_once = 3;
    out_ = "side-by-side";
    ASSERT_TRUE(run());
    EXPECT_EQ(most, 3U);
    EXPECT_EQ(known(), whole);
    // Each alone in its kernel, which no other lane builds over.
    for (const ScenarioRun& order : laboratory_.runs)
        EXPECT_NE(order.subject.kernel, "/built/bzImage");
}

// What the others were about is kept, or tried again.
TEST_F(GenerationTest, OneThatIsBrokenOffEndsThemAll) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    const size_t runs = laboratory_.runs.size();
    const auto sound = laboratory_.runner;
    options_.at_once = 3;
    for (size_t end = 2; end < runs; end += 5) {
        std::filesystem::remove(folder_.path() / "out/mutations.json");
        std::atomic<size_t> left = end;
        laboratory_.runner = [&](const ScenarioRun& order) -> Result<RunSummary> {
            if (left.fetch_sub(1) == 1) return Error{ECANCELED, "Interrupted."};
            return sound(order);
        };
        const auto ran = run();
        ASSERT_FALSE(ran) << end;
        EXPECT_EQ(ran.error().code, ECANCELED);
        EXPECT_LT(names().size(), mutants_of(kText).size());
        laboratory_.runner = sound;
        ASSERT_TRUE(run()) << end;
        EXPECT_EQ(known(), whole) << end;
    }
}

// Where nobody calls i() on --nic, "refill" does on nodev.
TEST_F(GenerationTest, WhatNobodyNoticesIsAskedOnTheOtherNicsToo) {
    options_.also = {"nodev"};
    const auto on_nic = laboratory_.runner;
    laboratory_.runner = [&](const ScenarioRun& order) {
        const bool broken = order.name.starts_with("h-11-call-left-out");
        if (order.nic != "nodev") return on_nic(order);
        return Result<RunSummary>(run_of({{"refill", broken ? kFailed : kPassed}}));
    };
    ASSERT_TRUE(run());
    EXPECT_EQ(attempt("h-12-logic").verdict.nic, "");
    EXPECT_TRUE(attempt("h-11-call-left-out").verdict.noticed);
    EXPECT_EQ(attempt("h-11-call-left-out").verdict.nic, "nodev");
    // All others are asked there by the way only, of who noticed one before.
    for (const ScenarioRun& order : laboratory_.runs)
        if (order.nic == "nodev" && order.filter.empty()) {
            EXPECT_TRUE(order.name.starts_with("unpatched") ||
                        order.name.starts_with("h-11-call-left-out") ||
                        order.name.starts_with("f-3-comparison"))
                << order.name;
        }
}

// The verdicts would be about the switches.
TEST_F(GenerationTest, AKernelThatTheSwitchesChangeIsRefused) {
    const auto sound = laboratory_.runner;
    bool original_fails = false, fails_alone = true;
    laboratory_.runner = [&](const ScenarioRun& order) {
        auto run = sound(order);
        const bool is_switched = order.subject.kernel == "/kept/switched";
        const bool alone = order.filter == "other";
        if (is_switched ? !alone || fails_alone : original_fails) run->tests[0].status = kFailed;
        return run;
    };
    const auto ran = run();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().code, EIO);
    EXPECT_TRUE(ran.error().sentence.starts_with("other fails on the kernel with mistakes"))
        << ran.error().sentence;
    // It was the machine's load.
    fails_alone = false;
    EXPECT_TRUE(run());
    // The kernel as it is has a bug.
    fails_alone = original_fails = true;
    EXPECT_TRUE(run());
}

TEST_F(GenerationTest, AShareThatIsNoneIsRefused) {
    for (const char* share : {"0/3", "4/3", "1", "1/0", "x/y"}) {
        options_.share = share;
        EXPECT_FALSE(run()) << share;
    }
}

TEST_F(GenerationTest, WhatAPersonSetAsideIsNotTried) {
    folder_.write("lists/io_uring/x.c.list",
                  kHead + "h call-left-out\n| i(a);\n  It does nothing.\n");
    ASSERT_TRUE(run());
    EXPECT_TRUE(attempt("h-11-call-left-out").by_hand);
    EXPECT_EQ(attempt("h-11-call-left-out").set_aside, "It does nothing.");
    for (const ScenarioRun& order : laboratory_.runs) EXPECT_NE(order.name, "h-11-call-left-out");
    EXPECT_TRUE(misfits_.empty());
    // Where the list does not say so any more, it is.
    folder_.write("lists/io_uring/x.c.list", kHead);
    ASSERT_TRUE(run());
    EXPECT_FALSE(attempt("h-11-call-left-out").by_hand);
    EXPECT_TRUE(std::ranges::any_of(laboratory_.runs, [](const ScenarioRun& order) {
        return order.name == "h-11-call-left-out";
    }));
}

TEST_F(GenerationTest, WhatIsFoundOutByARunCanBeSetAsideBehindIt) {
    ASSERT_TRUE(run());
    EXPECT_FALSE(attempt("h-11-call-left-out").verdict.noticed);
    folder_.write("lists/io_uring/x.c.list",
                  kHead + "h call-left-out\n| i(a);\n  It does nothing.\n");
    ASSERT_TRUE(run());
    EXPECT_TRUE(attempt("h-11-call-left-out").by_hand);
}

TEST_F(GenerationTest, AListThatDoesNotFitIsTold) {
    ASSERT_TRUE(run());
    folder_.write("lists/io_uring/x.c.list", kHead +
                                                 "h call-left-out\n| j(a);\n  It is gone.\n"
                                                 "f call-left-out\n| g(a);\n  Nobody could.\n");
    ASSERT_TRUE(run());
    ASSERT_EQ(misfits_.size(), 2U);
    EXPECT_NE(misfits_[0].find("Line 2 is about no call-left-out in h"), std::string::npos);
    EXPECT_NE(misfits_[0].find("(the list was written for 7.3.4)"), std::string::npos);
    EXPECT_NE(misfits_[1].find("Line 5 is about f-4-call-left-out, which receive has noticed"),
              std::string::npos);
    EXPECT_TRUE(attempt("f-4-call-left-out").verdict.noticed);
    folder_.write("lists/io_uring/x.c.list", "nonsense\n");
    EXPECT_FALSE(run());
}

TEST_F(GenerationTest, AListCanBeLookedAtWithoutARun) {
    options_.try_none = true;
    folder_.write("lists/io_uring/x.c.list", kHead + "h call-left-out\n| j(a);\n  It is gone.\n");
    ASSERT_TRUE(run());
    EXPECT_EQ(misfits_.size(), 1U);
    EXPECT_TRUE(laboratory_.built.empty());
    EXPECT_TRUE(laboratory_.runs.empty());
}

TEST_F(GenerationTest, WhatWasFoundOfAnotherSourceSaysNothing) {
    ASSERT_TRUE(run());
    laboratory_.tree[kPath] += "\n";
    const auto ran = run();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().code, EEXIST);
}

}  // namespace
}  // namespace zcrxlab
