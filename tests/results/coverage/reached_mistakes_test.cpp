// ReachedMistakes: bits as a kernel prints them, and what is none.
#include "results/coverage/reached_mistakes.hpp"

#include <gtest/gtest.h>

#include "harness/base/hex.hpp"

namespace zcrxlab {
namespace {

std::string line(const std::string& test, const std::string& object, const std::string& bits) {
    return R"({"test": ")" + test + R"(", "object": ")" + object + R"(", "hex": ")" + hex_of(bits) +
           "\"}";
}

using Tests = std::set<std::string>;

TEST(ReachedMistakes, BitsAreReadFromTheRight) {
    ReachedMistakes reached;
    ASSERT_TRUE(reached.add(line("receive.one", "reached_zcrx", "2,80000003\n")));
    ASSERT_TRUE(reached.add(line("receive.two", "reached_zcrx", "0,00000001\n")));
    EXPECT_EQ(reached.tests_at("reached_zcrx", 0), (Tests{"receive.one", "receive.two"}));
    for (const size_t number : {1U, 31U, 33U})
        EXPECT_EQ(reached.tests_at("reached_zcrx", number), Tests{"receive.one"}) << number;
    for (const size_t number : {2U, 30U, 32U, 34U, 1000U})
        EXPECT_EQ(reached.tests_at("reached_zcrx", number), Tests{}) << number;
}

TEST(ReachedMistakes, WhatOnlyTheProbeCameByMayConcernAll) {
    ReachedMistakes reached;
    ASSERT_TRUE(reached.add(line("", "reached_zcrx", "3")));
    ASSERT_TRUE(reached.add(line("receive.one", "reached_zcrx", "2")));
    EXPECT_EQ(reached.tests_at("reached_zcrx", 0), std::nullopt);
    EXPECT_EQ(reached.tests_at("reached_zcrx", 1), Tests{"receive.one"});
    EXPECT_EQ(reached.tests_at("reached_other", 1), std::nullopt);
}

TEST(ReachedMistakes, CountsOfGcovArePassedOver) {
    ReachedMistakes reached;
    EXPECT_TRUE(reached.add(line("a", "io_uring/zcrx.gcda", "adcg")));
    EXPECT_EQ(reached.tests_at("io_uring/zcrx.gcda", 0), std::nullopt);
}

TEST(ReachedMistakes, WhatIsNoneIsRefused) {
    ReachedMistakes reached;
    for (const std::string& odd :
         {std::string("[]"), std::string("{}"), line("a", "reached_x", "1g"),
          line("a", "reached_x", "-1"), line("a", "reached_x", std::string(5000, '0')),
          std::string(R"({"test": "a", "object": "reached_x", "hex": "3"})")}) {
        const auto added = reached.add(odd);
        ASSERT_FALSE(added) << odd;
        EXPECT_EQ(added.error().code, EPROTO);
    }
}

}  // namespace
}  // namespace zcrxlab
