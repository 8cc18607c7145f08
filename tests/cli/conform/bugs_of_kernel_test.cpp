// Of which bugs conform knows that a kernel has them.
#include "cli/conform/bugs_of_kernel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zcrxlab {
namespace {

std::vector<std::string> bugs_of(std::string_view release, std::string_view driver) {
    std::vector<std::string> names;
    for (const StallingBug& bug : stalling_bugs(fixed_bugs(), release, driver))
        names.emplace_back(bug.id);
    return names;
}

TEST(BugsOfKernel, AreThoseThatStopStreamsThere) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(bugs_of("6.18.15+deb13-cloud-amd64", "gve"),
              (Names{"queue-without-buffers-stays-so", "burst-then-silence"}));
    EXPECT_EQ(bugs_of("6.18.15+deb13-amd64", "bnxt_en"), Names{"burst-then-silence"});
    EXPECT_EQ(bugs_of("7.2.9", "gve"), Names{"burst-then-silence"});
    for (const char* fixed : {"7.2.12+deb13-cloud-amd64", "7.3.4", "somebodys-own"})
        EXPECT_EQ(bugs_of(fixed, "gve"), Names{}) << fixed;
}

TEST(BugsOfKernel, EachThatIsJudgedIsKnown) {
    for (const char* name : {"queue-without-buffers-stays-so", "burst-then-silence"}) {
        EXPECT_NE(find_bug(fixed_bugs(), name), nullptr) << name;
        EXPECT_TRUE(stops_streams(name));
    }
}

}  // namespace
}  // namespace zcrxlab
