// MutatedSource: which mistakes a compiler sets aside, and which can be switched.
#include "cli/coverage/mutated_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/mutations/switched.hpp"
#include "tests/cli/coverage/fake_laboratory.hpp"

namespace zcrxlab {
namespace {

using Names = std::set<std::string>;

constexpr const char* kMutated = "io_uring/x.c";
constexpr const char* kMutatedText =
    "int f(int a)\n"
    "{\n"
    "\tstatic int b = 1 + 2;\n"
    "\tif (a < b)\n"
    "\t\tg(a,\n"
    "\t\t  b);\n"
    "\tguard(mutex)(&h);\n"
    "\treturn 0;\n"
    "}\n";

class MutatedSourceTest : public testing::Test {
  protected:
    MutatedSourceTest() { laboratory_.tree[kMutated] = kMutatedText; }

    size_t index(const std::string& name) const {
        const auto& all = source_.mutants();
        const auto found = std::ranges::find(all, name, &Mutant::name);
        EXPECT_NE(found, all.end()) << name;
        return static_cast<size_t>(found - all.begin());
    }
    Result<void> compare_all() {
        for (size_t i = 0; i < source_.mutants().size(); ++i)
            if (auto compared = source_.compare(i); !compared) return compared;
        return {};
    }
    Names with(const std::string& reason) const {
        Names names;
        for (size_t i = 0; i < source_.mutants().size(); ++i)
            if (source_.set_aside(i) == reason) names.insert(source_.mutants()[i].name);
        return names;
    }
    Names not_switched() const {
        Names names;
        for (size_t i = 0; i < source_.mutants().size(); ++i)
            if (!source_.is_switched(i)) names.insert(source_.mutants()[i].name);
        return names;
    }

    FakeLaboratory laboratory_;
    MutatedSource source_{laboratory_, kMutated, kMutatedText, mutants_of(kMutatedText)};
};

TEST_F(MutatedSourceTest, WhatIsNoCodeOrTheSameCodeIsSetAside) {
    laboratory_.compiler = [](const std::string& text) -> Result<std::string> {
        if (text.find("a <= b") != std::string::npos) return Error{EIO, "error"};
        if (text.find("g(a") == std::string::npos) return std::string(kMutatedText);
        return text;
    };
    ASSERT_TRUE(compare_all());
    EXPECT_EQ(with("It does not compile."), Names{"f-4-comparison"});
    EXPECT_EQ(with("The compiler makes the same code of it."), Names{"f-5-call-left-out"});
    EXPECT_EQ(laboratory_.written[kMutated], kMutatedText);
    // The source as it is, once.
    EXPECT_EQ(laboratory_.compiled.size(), source_.mutants().size() + 1);
}

TEST_F(MutatedSourceTest, AGuardCannotBeSwitched) {
    ASSERT_TRUE(source_.put_switched());
    EXPECT_EQ(not_switched(), Names{"f-7-lock-left-out"});
    ReachedMistakes reached;
    ASSERT_TRUE(reached.add(R"({"test": "a", "object": "reached_x", "hex": "30"})"));
    EXPECT_EQ(source_.reached_by(index("f-7-lock-left-out"), reached), std::nullopt);
    EXPECT_EQ(source_.reached_by(index("f-4-comparison"), reached), std::set<std::string>{});
    EXPECT_TRUE(source_.is_told_by(reached));
    EXPECT_FALSE(source_.is_told_by({}));
}

TEST_F(MutatedSourceTest, ACompilerThatIsEndedSetsNothingAside) {
    laboratory_.compiler = [](const std::string& text) -> Result<std::string> {
        if (text != kMutatedText) return Error{ECANCELED, "Interrupted."};
        return text;
    };
    const auto compared = compare_all();
    ASSERT_FALSE(compared);
    EXPECT_EQ(compared.error().code, ECANCELED);
    EXPECT_EQ(with("").size(), source_.mutants().size());
}

TEST_F(MutatedSourceTest, WhereAConstantHasToBeNothingIsSwitched) {
    laboratory_.compiler = [](const std::string& text) -> Result<std::string> {
        const size_t line = text.find("static int b");
        if (text.substr(line, text.find('\n', line) - line).find("mutant") != std::string::npos)
            return Error{EIO, "/t/io_uring/x.c:3:2: error: initializer element is not constant\n"};
        return text;
    };
    ASSERT_TRUE(source_.put_switched());
    EXPECT_EQ(not_switched(),
              (Names{"f-3-arithmetic", "f-3-off-by-one", "f-3-off-by-one-2", "f-7-lock-left-out"}));
    EXPECT_EQ(laboratory_.compiled.size(), 2U);
    const std::string number = std::to_string(index("f-4-comparison") + 1);
    EXPECT_NE(laboratory_.written[kMutated].find("zcrxlab_mutant(" + number + ")"),
              std::string::npos);
    EXPECT_EQ(source_.setting(index("f-4-comparison")), "kernel.mutant_x=" + number);
}

TEST_F(MutatedSourceTest, AComplaintAboutAnyLineOfAStatementLeavesItOut) {
    bool first = true;
    laboratory_.compiler = [&](const std::string& text) -> Result<std::string> {
        if (std::exchange(first, false)) return Error{EIO, "/t/io_uring/x.c:6:3: error: no\n"};
        return text;
    };
    ASSERT_TRUE(source_.put_switched());
    EXPECT_EQ(not_switched(), (Names{"f-5-call-left-out", "f-7-lock-left-out"}));
}

TEST_F(MutatedSourceTest, AComplaintAboutNothingOfOursEndsIt) {
    laboratory_.compiler = [](const std::string&) -> Result<std::string> {
        return Error{EIO, "gcc: fatal error: Killed signal terminated program cc1\n"};
    };
    const auto put = source_.put_switched();
    ASSERT_FALSE(put);
    EXPECT_EQ(laboratory_.compiled.size(), 1U);
}

}  // namespace
}  // namespace zcrxlab
