// A moment comes back as it was, and differs from each other one.
#include "vm/guest/moment.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TEST(Moment, ComesBackAsItWas) {
    const auto now = moment_now();
    ASSERT_TRUE(now);
    const auto back = moment_from_text(to_text(*now));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(back->time.tv_sec, now->time.tv_sec);
    EXPECT_EQ(back->time.tv_nsec, now->time.tv_nsec);
    EXPECT_EQ(back->entropy, now->entropy);
    EXPECT_NE(moment_now()->entropy, now->entropy);
}

TEST(Moment, RefusesWhatIsNone) {
    const std::string whole = to_text(Moment{});
    EXPECT_TRUE(moment_from_text(whole));
    for (const std::string& text : {std::string(), whole.substr(0, whole.size() - 2), whole + "0",
                                    "x" + whole, "0 1000000000 " + whole.substr(4)})
        EXPECT_FALSE(moment_from_text(text)) << text;
    std::string odd = whole;
    odd[10] = 'g';
    EXPECT_FALSE(moment_from_text(odd));
}

}  // namespace
}  // namespace zcrxlab
