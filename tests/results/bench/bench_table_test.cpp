// Tables of measurements made of what a guest sends.
#include "results/bench/bench_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

TEST(BenchTables, CellsOfAnyTypeAreShown) {
    BenchTables tables;
    EXPECT_TRUE(tables.take(R"({"table":"t","rows":[{"a":1,"b":"x","c":null,"d":[1,{"e":2}]}]})"));
    EXPECT_EQ(tables.to_text(), "t\n  a b c    d\n  1 x null [1,{\"e\":2}]\n");
    EXPECT_NE(tables.to_json().find("\"e\": 2"), std::string::npos);
}

TEST(BenchTables, WhatIsTooDeepIsNoTable) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    BenchTables tables;
    EXPECT_FALSE(tables.take(R"({"table":"t","rows":[{"a":)" + deep + "}]}"));
    EXPECT_TRUE(tables.empty());
}

// A row that is none leaves nothing of its table behind.
TEST(BenchTables, HalfATableIsNone) {
    BenchTables tables;
    EXPECT_FALSE(tables.take(R"({"table":"t","rows":[{"a":1},2]})"));
    EXPECT_TRUE(tables.empty());
}

}  // namespace
}  // namespace zcrxlab
