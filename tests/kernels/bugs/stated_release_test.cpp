// What releases say of themselves.
#include "kernels/bugs/stated_release.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

std::string stated(std::string_view release, std::string_view banner = "") {
    const StatedRelease found = stated_release(release, banner);
    EXPECT_EQ(found.version.has_value(), found.why_not.empty()) << release;
    return found.version ? found.version->text() : "?";
}

TEST(StatedRelease, KernelOrgAndDebian) {
    EXPECT_EQ(stated("7.3.4"), "7.3.4");
    EXPECT_EQ(stated("7.3"), "7.3");
    EXPECT_EQ(stated("7.3-rc7"), "7.3-rc7");
    EXPECT_EQ(stated("7.3.0-rc7"), "7.3.0-rc7");
    EXPECT_EQ(stated("7.3.4-amd64"), "7.3.4");
    EXPECT_EQ(stated("7.3-rc7-cloud-amd64"), "7.3-rc7");
    EXPECT_EQ(stated("7.3.4+deb13-cloud-amd64"), "7.3.4");
    EXPECT_EQ(stated("6.16.12+deb14+1-amd64"), "6.16.12");
    EXPECT_EQ(stated("6.12.57-1"), "6.12.57");
    EXPECT_EQ(stated("7.3.4-1~bpo13+1"), "7.3.4");
    EXPECT_EQ(stated("7.3~rc7-1~exp1"), "7.3-rc7");
    EXPECT_EQ(stated("6.12.48-1+deb13u1"), "6.12.48");
}

TEST(StatedRelease, AnAbiNumberIsNoRelease) {
    EXPECT_EQ(stated("6.1.0-37-amd64"), "?");
    EXPECT_EQ(stated("6.1.0-37-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)"),
              "6.1.140");
    EXPECT_EQ(stated("6.1.0-37-amd64", "#1 SMP Debian sid"), "?");
}

TEST(StatedRelease, OtherMakersAreNotGuessed) {
    for (const char* release :
         {"6.17.0-8-generic", "6.17.8-300.fc43.x86_64", "6.17.8-arch1-1", "5.14.0-503.el9.x86_64",
          "7.3.4-mine", "7.3.4-00012-gdeadbeef1234", "7.3.4.5", "7.3.4+", "7.3.4-1ubuntu2"})
        EXPECT_EQ(stated(release), "?") << release;
    EXPECT_NE(stated_release("6.17.8-arch1-1", "").why_not.find("--kernel 6.17.8"),
              std::string::npos);
}

TEST(StatedRelease, NoVersion) {
    for (const char* text : {"", "7", "kernel", "v7.3", "-1"}) EXPECT_EQ(stated(text), "?") << text;
    EXPECT_NE(stated_release("v7.3", "").why_not.find("like this: 7.3.4"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
