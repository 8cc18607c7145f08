// Unnoticeable: how rows are read, which mistakes they are about, and that ours still are about
// any.
#include "kernels/mutations/unnoticeable.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

constexpr const char* kRows =
    "# A comment.\n"
    "\n"
    "f condition-never\n"
    "| if (WARN_ON(a) && b)\n"
    "  It is\n"
    "  never so.\n"
    "g comparison\n"
    "|  return a < b;\n"
    "  It is the same.\n";
constexpr const char* kSource =
    "int f(void)\n{\n\tif (WARN_ON(a) &&\n\t    b)\n\t\treturn 1;\n\treturn a < b;\n}\n"
    "int g(void)\n{\n\treturn a <   b;\n}\n";

TEST(Unnoticeable, RowsAreRead) {
    const auto rows = parse_unnoticeable(kRows);
    ASSERT_TRUE(rows) << rows.error().sentence;
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[0].function, "f");
    EXPECT_EQ((*rows)[0].mistake, Mistake::kConditionNever);
    EXPECT_EQ((*rows)[0].line, "if (WARN_ON(a) && b)");
    EXPECT_EQ((*rows)[0].reason, "It is never so.");
    EXPECT_EQ((*rows)[1].at, 7U);
}

TEST(Unnoticeable, ARowThatIsNotWholeIsRefused) {
    for (const char* text :
         {"f\n| a\n  b\n", "f nonsense\n| a\n  b\n", "f comparison\n", "f comparison\n| a\n",
          "f comparison\n  b\n", "| a\n", "  b\n", " comparison\n| a\n  b\n",
          "f comparison\n| a\n| b\n  c\n", "f comparison\n|\n  c\n",
          "f comparison\n| a\ng comparison\n| a\n  b\n"})
        EXPECT_FALSE(parse_unnoticeable(text)) << text;
    EXPECT_EQ(parse_unnoticeable("\n# x\nf nonsense\n").error().sentence.substr(0, 7), "Line 3 ");
    EXPECT_TRUE(parse_unnoticeable(""));
}

TEST(Unnoticeable, RowsAreAboutMistakesOfTheirFunctionRuleAndLine) {
    const auto rows = parse_unnoticeable(kRows);
    ASSERT_TRUE(rows);
    std::vector<std::string> named;
    for (const Mutant& mutant : mutants_of(kSource))
        if (const Unnoticeable* row = row_about(*rows, mutant, kSource))
            named.push_back(mutant.name + ": " + row->reason);
    EXPECT_EQ(named, (std::vector<std::string>{"f-3-condition-never: It is never so.",
                                               "g-10-comparison: It is the same."}));
    EXPECT_TRUE(misfits(*rows, mutants_of(kSource), kSource).empty());
}

TEST(Unnoticeable, ARowAboutNothingIsTold) {
    const auto rows = parse_unnoticeable("f comparison\n| return a < c;\n  x\n");
    ASSERT_TRUE(rows);
    EXPECT_EQ(misfits(*rows, mutants_of(kSource), kSource),
              std::vector<std::string>{
                  "Line 1 is about no comparison in f of this kernel: return a < c;"});
}

}  // namespace
}  // namespace zcrxlab
