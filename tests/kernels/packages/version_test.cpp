// Version numbers are read, compared and matched as people mean them.
#include <gtest/gtest.h>

#include "kernels/packages/version.hpp"

namespace zcrxlab {
namespace {

Version version(const std::string& text) {
    return Version::parse(text).value_or(Version{});
}

TEST(Version, ReadsNumbersAndLeavesTheRest) {
    std::string_view rest;
    const auto parsed = Version::parse("7.3.4+deb13-cloud-amd64", &rest);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->text(), "7.3.4");
    EXPECT_EQ(rest, "+deb13-cloud-amd64");
}

TEST(Version, ReadsCandidatesInBothSpellings) {
    EXPECT_EQ(version("7.3-rc7").text(), "7.3-rc7");
    EXPECT_EQ(version("7.3~rc7-1~exp1").text(), "7.3-rc7");
}

TEST(Version, RefusesWhatIsNone) {
    for (const char* text : {"", "v7", "abc", ".1", "-1", "99999999999999999999"})
        EXPECT_FALSE(Version::parse(text)) << text;
    EXPECT_EQ(version("7.").text(), "7");
    EXPECT_EQ(version("7.x").text(), "7");
}

TEST(Version, ComparesByNumberNotByText) {
    EXPECT_LT(version("6.9"), version("6.18"));
    EXPECT_LT(version("7.2.9"), version("7.2.11"));
    EXPECT_LT(version("7.3-rc7"), version("7.3"));
    EXPECT_LT(version("7.3-rc2"), version("7.3-rc11"));
    EXPECT_LT(version("7.2.12"), version("7.3-rc1"));
    EXPECT_EQ(version("7.3"), version("7.3.0"));
    EXPECT_LT(version("10.1.0"), version("10.1.1"));
}

TEST(Version, SeriesIsByWholeNumbers) {
    EXPECT_TRUE(version("7.3.4").in_series(version("7.3")));
    EXPECT_TRUE(version("7.3.4").in_series(version("7")));
    EXPECT_TRUE(version("7.3.4").in_series(version("7.3.4")));
    EXPECT_FALSE(version("7.30").in_series(version("7.3")));
    EXPECT_FALSE(version("7.3").in_series(version("7.3.4")));
    EXPECT_FALSE(version("7.3.4").in_series(version("7.3-rc7")));
    EXPECT_TRUE(version("7.3-rc7").in_series(version("7.3-rc7")));
}

}  // namespace
}  // namespace zcrxlab
