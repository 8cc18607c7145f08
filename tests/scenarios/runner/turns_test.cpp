// Turns: in order, and as somebody at the other end of the records says.
#include "scenarios/runner/turns.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "harness/base/fd.hpp"
#include "harness/trace/record.hpp"

namespace zcrxlab {
namespace {

const std::vector<std::string> kPlan{"a.b", "a.c"};

TEST(Turns, InOrder) {
    const auto turns = turns_in_order();
    EXPECT_FALSE(turns->dealt());
    EXPECT_EQ(**turns->next(kPlan, false), "a.b");
    EXPECT_EQ(**turns->next(kPlan, false), "a.c");
    EXPECT_FALSE(*turns->next(kPlan, false));
    EXPECT_FALSE(*turns->next(kPlan, false));
}

class DealtTurns : public testing::Test {
  protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        host_.reset(ends[0]);
        guest_.reset(ends[1]);
    }
    Result<std::optional<std::string>> next_after(const std::string& answer) {
        EXPECT_EQ(::write(host_.get(), answer.data(), answer.size()),
                  static_cast<ssize_t>(answer.size()));
        return turns_dealt_over(guest_.get())->next(kPlan, false);
    }
    Fd host_, guest_;
};

TEST_F(DealtTurns, TheHostIsAskedAndDecides) {
    EXPECT_EQ(**next_after("a.c\na.b\n"), "a.c");
    EXPECT_EQ(**turns_dealt_over(guest_.get())->next(kPlan, false), "a.b")
        << "It took more than a line.";
    std::array<std::byte, 256> asked{};
    const ssize_t got = ::read(host_.get(), asked.data(), asked.size());
    RecordReader reader;
    reader.feed(std::span(asked).first(static_cast<size_t>(got)));
    EXPECT_EQ((*reader.next())->type, RecordType::kTurn);
    EXPECT_EQ((*reader.next())->type, RecordType::kTurn);
    EXPECT_FALSE(*reader.next());
}

TEST_F(DealtTurns, TheHostHearsWhetherTheOneBeforeIsWell) {
    ASSERT_EQ(::write(host_.get(), "a.b\na.c\n", 8), 8);
    EXPECT_TRUE(turns_dealt_over(guest_.get())->next(kPlan, false));
    EXPECT_TRUE(turns_dealt_over(guest_.get())->next(kPlan, true));
    std::array<std::byte, 256> asked{};
    const ssize_t got = ::read(host_.get(), asked.data(), asked.size());
    RecordReader reader;
    reader.feed(std::span(asked).first(static_cast<size_t>(got)));
    EXPECT_EQ((*reader.next())->json, "{}");
    EXPECT_EQ((*reader.next())->json, R"({"harmed":true})");
}

TEST_F(DealtTurns, AnEmptyLineIsTheEnd) {
    const auto next = next_after("\n");
    ASSERT_TRUE(next);
    EXPECT_FALSE(*next);
}

TEST_F(DealtTurns, AForeignNameIsRefused) {
    const auto next = next_after("x.y\n");
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, EPROTO);
    EXPECT_NE(next.error().sentence.find("x.y"), std::string::npos);
}

TEST_F(DealtTurns, ANameThatDoesNotEndIsRefused) {
    EXPECT_EQ(next_after(std::string(5000, 'x')).error().code, EPROTO);
}

TEST_F(DealtTurns, AHostThatIsGoneIsAnError) {
    host_.reset();
    ASSERT_NE(::signal(SIGPIPE, SIG_IGN), SIG_ERR);
    EXPECT_EQ(turns_dealt_over(guest_.get())->next(kPlan, false).error().code, EPIPE);
}

}  // namespace
}  // namespace zcrxlab
