// Mutants: one of each kind, where it may be made, and as a patch that our own reader takes.
#include "kernels/mutations/mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/build/source_patch.hpp"

namespace zcrxlab {
namespace {

// In a function of the kernel's style, whose body begins on line 3.
std::string function_of(std::string_view body) {
    return "int f(void)\n{\n" + std::string(body) + "\n}\n";
}

// The body, changed by each mutant of this kind.
std::vector<std::string> made(std::string_view body, Mistake mistake) {
    const std::string source = function_of(body);
    std::vector<std::string> all;
    for (const Mutant& mutant : mutants_of(source)) {
        if (mutant.mistake != mistake) continue;
        const std::string changed = mutated(source, mutant);
        all.push_back(changed.substr(14, changed.size() - 17));
    }
    return all;
}

using All = std::vector<std::string>;
using enum Mistake;

TEST(Mutants, CallsAreLeftOut) {
    EXPECT_EQ(made("a(b);", kCallLeftOut), All{";"});
    EXPECT_EQ(made("spin_unlock(&a);", kLockLeftOut), All{";"});
    EXPECT_EQ(made("guard(mutex)(&a);", kLockLeftOut), All{";"});
    EXPECT_EQ(made("int a = b(c);", kCallLeftOut), All{});
}

TEST(Mutants, AssignmentsAreLeftOut) {
    EXPECT_EQ(made("a = b;", kAssignmentLeftOut), All{";"});
    EXPECT_EQ(made("a |= b;", kAssignmentLeftOut), All{";"});
    EXPECT_EQ(made("a->b++;", kAssignmentLeftOut), All{";"});
    EXPECT_EQ(made("int a = b;", kAssignmentLeftOut), All{});
}

TEST(Mutants, ConditionsAreStillEvaluated) {
    EXPECT_EQ(made("if (a(b))\nc();", kConditionAlways), All{"if ((a(b)) || 1)\nc();"});
    EXPECT_EQ(made("if (a(b))\nc();", kConditionNever), All{"if ((a(b)) && 0)\nc();"});
    EXPECT_EQ(made("while (a)\nb();", kConditionAlways), All{});
    EXPECT_EQ(made("while (a)\nb();", kConditionNever), All{"while ((a) && 0)\nb();"});
}

TEST(Mutants, OperatorsOfTwoOperandsAreExchanged) {
    EXPECT_EQ(made("return a < b;", kComparison), All{"return a <= b;"});
    EXPECT_EQ(made("return a && b;", kLogic), All{"return a || b;"});
    EXPECT_EQ(made("return a - b;", kArithmetic), All{"return a + b;"});
    EXPECT_EQ(made("return -b;", kArithmetic), All{});
    EXPECT_EQ(made("a += b;", kArithmetic), All{"a -= b;"});
}

TEST(Mutants, NumbersAreOneMore) {
    EXPECT_EQ(made("return a[0];", kOffByOne), All{"return a[(0 + 1)];"});
    EXPECT_EQ(made("int a[4];", kOffByOne), All{});
    EXPECT_EQ(made("switch (a) {\ncase 1: b(); }", kOffByOne), All{});
}

TEST(Mutants, ErrorsAreSuccessWhereTheyAreNotAskedFor) {
    EXPECT_EQ(made("return -EINVAL;", kErrorIsSuccess), All{"return 0;"});
    EXPECT_EQ(made("if (a == -EAGAIN)\nb();", kErrorIsSuccess), All{});
}

TEST(Mutants, FlagsAreMissing) {
    EXPECT_EQ(made("a(GFP_KERNEL | __GFP_ZERO);", kFlagMissing),
              (All{"a(0 | __GFP_ZERO);", "a(GFP_KERNEL | 0);"}));
    EXPECT_EQ(made("a |= B_C;", kFlagMissing), All{"a |= 0;"});
    EXPECT_EQ(made("a = B_C;", kFlagMissing), All{});
}

// Otherwise WARN's lines would make a mistake of what is none.
TEST(Mutants, NoLineMoves) {
    const std::string source = function_of("a(b,\n  c);\nif (d &&\n    e)\nf();");
    const auto mutants = mutants_of(source);
    EXPECT_FALSE(mutants.empty());
    for (const Mutant& mutant : mutants)
        EXPECT_EQ(std::ranges::count(mutated(source, mutant), '\n'),
                  std::ranges::count(source, '\n'))
            << mutant.name;
}

TEST(Mutants, HaveNamesOfTheirOwn) {
    const auto mutants = mutants_of(function_of("return a < b || c < d;"));
    ASSERT_EQ(mutants.size(), 3U);
    EXPECT_EQ(mutants[0].name, "f-3-comparison");
    EXPECT_EQ(mutants[1].name, "f-3-logic");
    EXPECT_EQ(mutants[2].name, "f-3-comparison-2");
}

TEST(Mutants, NothingIsMadeOutsideOfFunctions) {
    EXPECT_TRUE(mutants_of("static int a = 1 + 2;\n#define B(c) d(c, 1)\n").empty());
}

TEST(Mutants, ASampleIsTheSameForASeed) {
    const auto all = mutants_of(function_of("return a + b + c + d + e + f + g + h;"));
    ASSERT_EQ(all.size(), 7U);
    const auto names = [&](size_t count, uint64_t seed) {
        std::vector<std::string> drawn;
        for (const Mutant& mutant : sample_of(all, count, seed)) drawn.push_back(mutant.name);
        return drawn;
    };
    EXPECT_EQ(names(3, 5), names(3, 5));
    EXPECT_EQ(names(3, 5).size(), 3U);
    EXPECT_EQ(names(9, 5).size(), 7U);
    bool differs = false;
    for (uint64_t seed = 0; seed < 10; ++seed) differs |= names(3, seed) != names(3, 5);
    EXPECT_TRUE(differs);
}

TEST(Mutants, APatchIsOneThatWeTake) {
    const std::string source = function_of("a();\nif (b &&\n    c)\nreturn 1;\nd();");
    const auto mutants = mutants_of(source);
    const auto never = std::ranges::find(mutants, kConditionNever, &Mutant::mistake);
    ASSERT_NE(never, mutants.end());
    const std::string patch = patch_of(*never, source, "io_uring/x.c");
    EXPECT_EQ(
        patch,
        "# SPDX-License-Identifier: GPL-2.0\n"
        "io_uring/x.c:4: condition-never in f: \"if (b && c)\" becomes \"if ((b && c) && 0)\"\n"
        "\n"
        "--- a/io_uring/x.c\n"
        "+++ b/io_uring/x.c\n"
        "@@ -1,8 +1,8 @@\n"
        " int f(void)\n"
        " {\n"
        " a();\n"
        "-if (b &&\n"
        "-    c)\n"
        "+if ((b &&\n"
        "+    c) && 0)\n"
        " return 1;\n"
        " d();\n"
        " }\n");
    const auto read = parse_source_patch(patch, "/a/x.patch");
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->sources, std::vector<std::string>{"io_uring/x.c"});
}

}  // namespace
}  // namespace zcrxlab
