// Unnoticeable: how rows are read, which mistakes they are about, and that ours still are about
// any.
#include "kernels/mutations/unnoticeable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zcrxlab {
namespace {

constexpr const char* kRows =
    "# A comment.\n"
    "written for 7.3.4 0123abcd\n"
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

// A list of these rows.
Result<UnnoticeableList> rows_of(const std::string& rows) {
    return parse_unnoticeable("written for 7.3.4 0123abcd\n" + rows);
}

TEST(Unnoticeable, RowsAreRead) {
    const auto list = parse_unnoticeable(kRows);
    ASSERT_TRUE(list) << list.error().sentence;
    EXPECT_EQ(list->version, "7.3.4");
    EXPECT_EQ(list->checksum, 0x0123abcdU);
    ASSERT_EQ(list->rows.size(), 2U);
    EXPECT_EQ(list->rows[0].function, "f");
    EXPECT_EQ(list->rows[0].mistake, Mistake::kConditionNever);
    EXPECT_EQ(list->rows[0].line, "if (WARN_ON(a) && b)");
    EXPECT_EQ(list->rows[0].reason, "It is never so.");
    EXPECT_EQ(list->rows[1].at, 7U);
}

TEST(Unnoticeable, ARowThatIsNotWholeIsRefused) {
    for (const char* text :
         {"f\n| a\n  b\n", "f nonsense\n| a\n  b\n", "f comparison\n", "f comparison\n| a\n",
          "f comparison\n  b\n", "| a\n", "  b\n", " comparison\n| a\n  b\n",
          "f comparison\n| a\n| b\n  c\n", "f comparison\n|\n  c\n",
          "f comparison\n| a\ng comparison\n| a\n  b\n"})
        EXPECT_FALSE(rows_of(text)) << text;
    EXPECT_EQ(rows_of("# x\nf nonsense\n").error().sentence.substr(0, 7), "Line 3 ");
    EXPECT_TRUE(rows_of(""));
}

TEST(Unnoticeable, AListSaysForWhichKernelItWasWritten) {
    for (const char* text :
         {"", "# x\n", "f comparison\n| a < b\n  c\n", "written for 7.3.4\n", "written for 1\n",
          "written for 7.3.4 123\n", "written for 7.3.4 0123abcg\n", "written for  0123abcd\n"})
        EXPECT_FALSE(parse_unnoticeable(text)) << text;
}

// What rows of a list say, and a part of what is wrong with it; nothing if all is well.
struct Faulty {
    const char* rows;
    const char* fault;
};
constexpr std::array kFaulty{
    Faulty{"f comparison\n| if (a < b) {\n  It is so.\n", nullptr},
    Faulty{"f condition-never\n| if (a < b)\n  It is so.\n", nullptr},
    Faulty{"f logic 1\n| if (a && b && c)\n  It is so.\nf logic 2\n| if (a && b && c)\n  Or so.\n",
           nullptr},
    Faulty{"f call-left-out\n| g(a);\n  It is so.\ng call-left-out\n| g(a);\n  It is so.\n",
           nullptr},
    Faulty{"f call-left-out\n| g(a);\n  It is so.\nf call-left-out\n| g(a);\n  Or not.\n",
           "Line 5 is there for the second time: g(a);"},
    Faulty{"f flag-missing\n| GFP_A | __GFP_B);\n  It is so.\n", nullptr},
    Faulty{"f comparison\n| if (g(a, b < c,\n  It is so.\n", nullptr},
    Faulty{"f comparison\n| } else if (a < b) {\n  It is so.\n", nullptr},
    Faulty{"f logic\n| (!a || b == c)) {\n  It is so.\n", nullptr},
    Faulty{"f comparison\n| g(a < b))) {\n  It is so.\n", nullptr},
    Faulty{"f condition-never\n| } while (a < b);\n  It is so.\n", nullptr},
    Faulty{"f comparison\n| if (a)\n  It is so.\n", "Line 2 is about no comparison"},
    Faulty{"f call-left-out\n| a = g;\n  It is so.\n", "Line 2 is about no call-left-out"},
    Faulty{"f comparison\n| if (a < b)\n  It is so\n", "Line 2 has a reason that is no sentence"},
    Faulty{"f comparison\n| if (a < b)\n  TODO.\n", "Line 2 has a reason that is no sentence"},
};

TEST(Unnoticeable, WhatIsWrongWithAListIsSeenWithoutAnySource) {
    for (const Faulty& one : kFaulty) {
        const auto list = rows_of(one.rows);
        ASSERT_TRUE(list) << one.rows;
        const std::vector<std::string> faults = faults_of(*list);
        EXPECT_EQ(faults.size(), one.fault == nullptr ? 0U : 1U) << one.rows;
        if (one.fault != nullptr && !faults.empty()) {
            EXPECT_NE(faults[0].find(one.fault), std::string::npos) << faults[0];
        }
    }
}

TEST(Unnoticeable, RowsAreAboutMistakesOfTheirFunctionRuleAndLine) {
    const auto list = parse_unnoticeable(kRows);
    ASSERT_TRUE(list);
    std::vector<std::string> named;
    for (const Mutant& mutant : mutants_of(kSource))
        if (const Unnoticeable* row = row_about(list->rows, mutant, kSource))
            named.push_back(mutant.name + ": " + row->reason);
    EXPECT_EQ(named, (std::vector<std::string>{"f-3-condition-never: It is never so.",
                                               "g-10-comparison: It is the same."}));
    EXPECT_TRUE(misfits(list->rows, mutants_of(kSource), kSource).empty());
}

TEST(Unnoticeable, ARowMayBeAboutOneOfSeveralLikeLines) {
    constexpr const char* kLines = "int f(void)\n{\n\tg(a);\n\tif (b)\n\t\tg(a);\n\treturn 0;\n}\n";
    const auto list = rows_of("f call-left-out 2\n| g(a);\n  It is so.\n");
    ASSERT_TRUE(list);
    std::vector<uint32_t> lines;
    for (const Mutant& mutant : mutants_of(kLines))
        if (row_about(list->rows, mutant, kLines) != nullptr) lines.push_back(mutant.line);
    EXPECT_EQ(lines, std::vector<uint32_t>{5});
    const auto third = rows_of("f call-left-out 3\n| g(a);\n  It is so.\n");
    ASSERT_TRUE(third);
    EXPECT_TRUE(faults_of(*third).empty());
    EXPECT_EQ(misfits(third->rows, mutants_of(kLines), kLines).size(), 1U);
}

TEST(Unnoticeable, ARowMayBeAboutOneOfSeveralInALine) {
    constexpr const char* kLine = "int f(void)\n{\n\treturn a && b && c;\n}\n";
    for (const auto& [rule, count] : {std::pair{"logic", 2}, {"logic 1", 1}, {"logic 2", 1}}) {
        const auto list =
            rows_of(std::string("f ") + rule + "\n| return a && b && c;\n  It is so.\n");
        ASSERT_TRUE(list);
        int found = 0;
        for (const Mutant& mutant : mutants_of(kLine))
            if (row_about(list->rows, mutant, kLine) != nullptr) ++found;
        EXPECT_EQ(found, count) << rule;
    }
    for (const char* rule : {"logic 0", "logic x", "logic 1 2", "logic -1"})
        EXPECT_FALSE(rows_of(std::string("f ") + rule + "\n| a && b;\n  It is so.\n")) << rule;
}

TEST(Unnoticeable, ARowAboutNothingIsTold) {
    const auto list = rows_of("f comparison\n| return a < c;\n  x\n");
    ASSERT_TRUE(list);
    EXPECT_EQ(misfits(list->rows, mutants_of(kSource), kSource),
              std::vector<std::string>{
                  "Line 2 is about no comparison in f of this kernel: return a < c;"});
}

}  // namespace
}  // namespace zcrxlab
