// Records of /dev/kmsg are taken apart without trusting their form.
#include <gtest/gtest.h>

#include "harness/oracle/oracle.hpp"
#include "scenarios/runner/kernel_log.hpp"

namespace zcrxlab {
namespace {

TEST(KernelMessage, LevelTimeAndText) {
    const Result<KernelMessage> plain =
        parse_kernel_message("6,339,5140900,-;NET: Registered protocol family 10\n");
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->level, 6);
    EXPECT_EQ(plain->text, "[    5.140900] NET: Registered protocol family 10");
    // The facility is not part of the level; keys follow in lines of their own.
    const Result<KernelMessage> user =
        parse_kernel_message("12,340,5690716,-,caller=T1;a;b\n SUBSYSTEM=pci\n");
    ASSERT_TRUE(user.ok());
    EXPECT_EQ(user->level, 4);
    EXPECT_EQ(user->text, "[    5.690716] a;b");
}

TEST(KernelMessage, AnotherFormIsRefused) {
    for (const char* record : {"", ";", "6", "6,1", "6,1,2", "6,1,2;", "6,1,2,-", "x,1,2,-;text",
                               "6,x,2,-;text", "-1,1,2,-;text", "99999999999999999999,1,2,-;t"})
        EXPECT_FALSE(parse_kernel_message(record).ok()) << record;
    EXPECT_TRUE(parse_kernel_message("6,1,2,-;").ok());
}

// What was thrown away may have been a warning.
TEST(KernelMessage, GapBreaksTheInvariant) {
    const std::vector<Event> events = {{1, messages_thrown_away()}};
    const std::vector<Violation> violations = check_kernel_log(events);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_NE(violations.front().sentence.find("a gap: zcrxlab: the kernel threw messages away"),
              std::string::npos)
        << violations.front().sentence;
}

}  // namespace
}  // namespace zcrxlab
