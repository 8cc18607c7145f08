// Tests of IrqVectors: what fires, and what is left alone.
#include "nic/transport/irq_vectors.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/nic/transport/client_messages.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

uint64_t count_of(const Fd& eventfd) {
    uint64_t count = 0;
    return ::read(eventfd.get(), &count, sizeof(count)) == sizeof(count) ? count : 0;
}

class IrqVectorsTest : public testing::Test {
  protected:
    void SetUp() override { irq.set_count(4); }
    Fd first = event_file();
    Fd second = event_file();
    IrqVectors irq;
};

TEST_F(IrqVectorsTest, RaisesTheRightOne) {
    ASSERT_TRUE(irq.arm(1, fd_list(copy_of(first), copy_of(second))).ok());
    irq.raise(2);
    irq.raise(1);
    irq.raise(1);
    EXPECT_EQ(count_of(first), 2u);
    EXPECT_EQ(count_of(second), 1u);
    EXPECT_EQ(irq.raised(), 3u);
}

TEST_F(IrqVectorsTest, IgnoresWhatIsNotArmed) {
    irq.raise(0);
    irq.raise(4);
    irq.raise(65535);
    EXPECT_EQ(irq.ignored(), 3u);
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(first))).ok());
    ASSERT_TRUE(irq.disarm(0, 1).ok());
    irq.raise(0);
    EXPECT_EQ(irq.ignored(), 4u);
    EXPECT_EQ(count_of(first), 0u);
}

TEST_F(IrqVectorsTest, ArmingAgainReplaces) {
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(first))).ok());
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(second))).ok());
    irq.raise(0);
    EXPECT_EQ(count_of(first), 0u);
    EXPECT_EQ(count_of(second), 1u);
}

TEST_F(IrqVectorsTest, RefusesVectorsThatAreNotThere) {
    EXPECT_EQ(irq.arm(3, fd_list(copy_of(first), copy_of(second))).error().code, EINVAL);
    EXPECT_FALSE(irq.armed(3));
    EXPECT_EQ(irq.arm(std::numeric_limits<uint32_t>::max(), fd_list(copy_of(first))).error().code,
              EINVAL);
    EXPECT_EQ(irq.disarm(0, 5).error().code, EINVAL);
    EXPECT_EQ(irq.disarm(std::numeric_limits<uint32_t>::max(), 2).error().code, EINVAL);
    EXPECT_TRUE(irq.disarm(0, 4).ok());
}

TEST_F(IrqVectorsTest, RefusesWhatIsNoEventfd) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Fd pipe_in(ends[0]);
    Fd pipe_out(ends[1]);
    EXPECT_EQ(irq.arm(0, fd_list(copy_of(first), std::move(pipe_out))).error().code, EINVAL);
    EXPECT_FALSE(irq.armed(0)) << "all or none";
    EXPECT_EQ(irq.arm(0, fd_list(memory_file(8))).error().code, EINVAL);
}

TEST_F(IrqVectorsTest, AFullCounterDoesNotBlock) {
    Fd full = event_file();
    uint64_t most = std::numeric_limits<uint64_t>::max() - 1;
    ASSERT_EQ(::write(full.get(), &most, sizeof(most)), 8);
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(full))).ok());
    irq.raise(0);
    EXPECT_EQ(count_of(full), most);
}

TEST_F(IrqVectorsTest, DisarmAllAndSetCountForget) {
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(first), copy_of(second))).ok());
    irq.disarm_all();
    EXPECT_FALSE(irq.armed(0));
    ASSERT_TRUE(irq.arm(0, fd_list(copy_of(first))).ok());
    irq.set_count(2);
    EXPECT_FALSE(irq.armed(0));
    EXPECT_EQ(irq.count(), 2);
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
