// Sources with all mutants at once: what each number switches, and that none is the source.
#include "kernels/mutations/switched.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zcrxlab {
namespace {

// The body of a function, with the mutants of this kind.
std::string with_all(std::string_view body, Mistake mistake) {
    const std::string source = "int f(void)\n{\n" + std::string(body) + "\n}\n";
    std::vector<Mutant> mutants = mutants_of(source);
    std::erase_if(mutants, [&](const Mutant& mutant) { return mutant.mistake != mistake; });
    std::string text = switched(source, mutants, {}, "x");
    const std::string head = "int f(void)\n{\n";
    text = text.substr(text.find(head) + head.size());
    text.resize(text.size() - 3);
    for (size_t at = 0; (at = text.find("zcrxlab_mutant(", at)) != std::string::npos;)
        text.replace(at, 15, "M(");
    return text;
}

using enum Mistake;

TEST(Switched, StatementsAreLeftOut) {
    EXPECT_EQ(
        with_all("if (a)\nb(c);\nelse\nd();", kCallLeftOut),
        "if (a)\ndo { if (!M(1)) b(c); } while (0);\nelse\ndo { if (!M(2)) d(); } while (0);");
    EXPECT_EQ(with_all("a->b = c;", kAssignmentLeftOut), "do { if (!M(1)) a->b = c; } while (0);");
    EXPECT_EQ(with_all("a += b;", kAssignmentLeftOut), "do { if (!M(1)) a += b; } while (0);");
    EXPECT_EQ(with_all("guard(mutex)(&a);", kLockLeftOut), "guard(mutex)(&a);");
}

// As in a function that is built without the statement.
TEST(Switched, WhatIsNotSetIsNotWhatItWouldHaveBeenSetTo) {
    EXPECT_EQ(with_all("a = b;", kAssignmentLeftOut),
              R"(do { if (!M(1)) a = b; else __asm__ volatile("" : "+m"(a)); } while (0);)");
    EXPECT_EQ(
        with_all("a.b = c == d;", kAssignmentLeftOut),
        R"(do { if (!M(1)) a.b = c == d; else __asm__ volatile("" : "+m"(a.b)); } while (0);)");
}

TEST(Switched, ConditionsAreStillEvaluated) {
    EXPECT_EQ(with_all("if (a)\nb();", kConditionAlways), "if (((a) || M(1)))\nb();");
    EXPECT_EQ(with_all("while (a)\nb();", kConditionNever), "while (((a) && !M(1)))\nb();");
}

TEST(Switched, OperatorsTakeTheirOperands) {
    EXPECT_EQ(with_all("return a < b;", kComparison), "return (M(1) ? (a <= b) : (a < b));");
    EXPECT_EQ(with_all("x = f(a->b[1], *c + 1 < (u64)d << 2);", kComparison),
              "x = f(a->b[1], (M(1) ? (*c + 1 <= (u64)d << 2) : (*c + 1 < (u64)d << 2)));");
    EXPECT_EQ(with_all("return !a && b == c;", kLogic),
              "return (M(1) ? (!a || b == c) : (!a && b == c));");
    EXPECT_EQ(with_all("a += b + c;", kArithmetic),
              "(M(1) ? (a -= (M(2) ? (b - c) : (b + c))) : (a += (M(2) ? (b - c) : (b + c))));");
}

// It binds tighter than what the operator does with it: a u32 that is shifted by 48 is none.
TEST(Switched, ACastBelongsToItsOperand) {
    EXPECT_EQ(with_all("return (u64)a << b;", kArithmetic),
              "return (M(1) ? ((u64)a >> b) : ((u64)a << b));");
    EXPECT_EQ(with_all("return (u64)a + (u64)b;", kArithmetic),
              "return (M(1) ? ((u64)a - (u64)b) : ((u64)a + (u64)b));");
}

TEST(Switched, OperandsEndWithTheirStatement) {
    EXPECT_EQ(with_all("if (a)\n*b += c;\nelse\nd -= e;\nout: f += g;", kArithmetic),
              "if (a)\n(M(1) ? (*b -= c) : (*b += c));\nelse\n(M(2) ? (d += e) : (d -= e));\n"
              "out: (M(3) ? (f -= g) : (f += g));");
}

TEST(Switched, OperatorsOfOneRankGroupFromTheLeft) {
    EXPECT_EQ(
        with_all("return a - b + c;", kArithmetic),
        "return (M(2) ? ((M(1) ? (a + b) : (a - b)) - c) : ((M(1) ? (a + b) : (a - b)) + c));");
}

TEST(Switched, NumbersErrorsAndFlagsAreChosen) {
    EXPECT_EQ(with_all("a[1] = 2;", kOffByOne), "a[(1 + M(1))] = (2 + M(2));");
    EXPECT_EQ(with_all("return -EINVAL;", kErrorIsSuccess), "return (M(1) ? 0 : -EINVAL);");
    EXPECT_EQ(with_all("a(B_C | D_E);", kFlagMissing), "a((M(1) ? 0 : B_C) | (M(2) ? 0 : D_E));");
}

TEST(Switched, KindsNest) {
    const std::string source = "int f(void)\n{\nif (a < 1)\nreturn -EIO;\n}\n";
    const std::string text = switched(source, mutants_of(source), {}, "x");
    EXPECT_NE(text.find("if ((((("), std::string::npos) << text;
    for (const char* number : {"(1)", "(2)", "(3)", "(4)", "(5)"})
        EXPECT_NE(text.find(number), std::string::npos) << number << "\n" << text;
}

TEST(Switched, WhatIsLeftOutKeepsTheNumbersOfTheOthers) {
    const std::string source = "int f(void)\n{\na();\nb();\n}\n";
    const std::string text = switched(source, mutants_of(source), {0}, "x");
    EXPECT_EQ(text.find("zcrxlab_mutant(1)"), std::string::npos);
    EXPECT_NE(text.find("zcrxlab_mutant(2)"), std::string::npos);
}

TEST(Switched, ThereIsABitForEachNumberAndForNone) {
    const std::string source = "int f(void)\n{\na();\nb();\n}\n";
    const std::string text = switched(source, mutants_of(source), {}, "x");
    EXPECT_NE(text.find("DECLARE_BITMAP(mutants_reached, 3)"), std::string::npos) << text;
    EXPECT_NE(text.find("core_param(mutant_x, "), std::string::npos);
    // Below "kernel", whatever the file is called, as the other one.
    EXPECT_NE(text.find("__module_param_call(\"\", reached_x, "), std::string::npos);
    EXPECT_EQ(switch_parameter("x"), "mutant_x");
    EXPECT_EQ(reached_parameter("x"), "reached_x");
}

TEST(Switched, LinesKeepTheirNumbers) {
    const std::string source =
        "#include <a.h>\n\n#include <b.h>\n\nint f(void)\n{\nif (a &&\nb)\nc();\nd();\n}\n";
    const std::string text = switched(source, mutants_of(source), {}, "x");
    const size_t behind = text.find("#line 4\n");
    ASSERT_NE(behind, std::string::npos) << text;
    const std::string rest = text.substr(behind + 8);
    const auto lines = [](std::string_view of) { return std::ranges::count(of, '\n'); };
    EXPECT_EQ(lines(rest), lines(source) - 3);
    EXPECT_EQ(lines(rest.substr(0, rest.find("d()"))), 6);
}

}  // namespace
}  // namespace zcrxlab
