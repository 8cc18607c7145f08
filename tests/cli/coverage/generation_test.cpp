// Generation: that what is broken off goes on without a loss, and who is asked first.
#include "cli/coverage/generation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/coverage/kept_attempts.hpp"
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

// With a kernel in which "receive" notices what is wrong in f(), and "refill" what is in h() or was
// built by itself, but nobody that h() does not call i().
class GenerationTest : public testing::Test {
  protected:
    GenerationTest() {
        options_.generate = {kPath};
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
        const bool built_alone = order.subject.kernel == "/built/bzImage";
        if (order.subject.options.empty() && !built_alone) return false;
        return order.name.starts_with(function + "-") &&
               order.name.find("h-11-call-left-out") == std::string::npos;
    }

    Result<void> run() {
        Generation generation(options_, laboratory_, folder_.path());
        auto ran = generation.run();
        attempts_ = generation.attempts();
        return ran;
    }
    // All that is known, without times.
    std::string known() const {
        Attempts all{"", attempts_, {}};
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
        const auto kept = attempts_from_json(folder_.read("mutations.json"));
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
    FakeLaboratory laboratory_;
    size_t left_ = 0;  // runs until a person ends it; 0: nobody does
    std::vector<Attempt> attempts_;
};

TEST_F(GenerationTest, TriesEach) {
    ASSERT_TRUE(run());
    EXPECT_EQ(attempts_.size(), mutants_of(kText).size());
    EXPECT_EQ(attempt("f-3-comparison").set_aside, "The compiler makes the same code of it.");
    EXPECT_EQ(attempt("f-4-call-left-out").verdict.test, "receive");
    EXPECT_EQ(attempt("h-12-logic").verdict.test, "refill");
    EXPECT_EQ(attempt("h-10-lock-left-out").verdict.test, "refill");
    EXPECT_FALSE(attempt("h-11-call-left-out").verdict.noticed);
    EXPECT_EQ(attempt("h-12-logic").source, kPath);
    EXPECT_EQ(attempt("h-12-logic").function, "h");
    EXPECT_EQ(attempt("h-12-logic").line, 12U);
    EXPECT_NE(folder_.read("patches/h-12-logic.patch").find("+\treturn a || k(a);"),
              std::string::npos);
    // The guard had to be built.
    EXPECT_EQ(laboratory_.built, (std::vector<std::string>{"the kernel as it is",
                                                           "the kernel with mistakes to switch on",
                                                           "the kernel with h-10-lock-left-out"}));
}

TEST_F(GenerationTest, WhoNoticedAMistakeInTheFunctionIsAskedFirst) {
    ASSERT_TRUE(run());
    std::map<std::string, std::string> first_filter;
    for (const ScenarioRun& order : laboratory_.runs)
        first_filter.emplace(order.name, order.filter);
    EXPECT_EQ(first_filter["f-3-condition-always"], "");
    EXPECT_EQ(first_filter["f-3-condition-never"], "receive");
    EXPECT_EQ(first_filter["f-4-call-left-out"], "receive");
    EXPECT_EQ(first_filter["h-10-lock-left-out"], "");
    EXPECT_EQ(first_filter["h-12-logic"], "refill");
}

TEST_F(GenerationTest, WhoNoticedItInAnEarlierCallIsAskedFirst) {
    options_.sample = 1;
    while (names().empty() || !attempts_[0].verdict.noticed || attempts_[0].function != "f") {
        attempts_.clear();
        ++options_.run.vm.seed;
        std::filesystem::remove(folder_.path() / "mutations.json");
        ASSERT_TRUE(run());
    }
    options_.sample = 0;
    laboratory_.runs.clear();
    ASSERT_TRUE(run());
    for (const ScenarioRun& order : laboratory_.runs)
        EXPECT_TRUE(!order.name.starts_with("f-") || order.filter == "receive") << order.name;
}

// Whichever run a person ends, another call goes on there, and the end is the same.
TEST_F(GenerationTest, BrokenOffNothingIsLostAndNothingTriedTwice) {
    ASSERT_TRUE(run());
    const std::string whole = known();
    const size_t runs = laboratory_.runs.size();
    ASSERT_GT(runs, 20U);
    for (size_t end = 1; end <= runs; ++end) {
        std::filesystem::remove(folder_.path() / "mutations.json");
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
        // The source as it is, and the one with all; no mistake by itself.
        EXPECT_EQ(laboratory_.compiled.size(), 2U) << end;
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

TEST_F(GenerationTest, WhatWasFoundOfAnotherSourceSaysNothing) {
    ASSERT_TRUE(run());
    laboratory_.tree[kPath] += "\n";
    const auto ran = run();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().code, EEXIST);
}

}  // namespace
}  // namespace zcrxlab
