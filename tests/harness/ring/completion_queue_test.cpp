// CQE iteration over memory that the tests lay out, playing the kernel.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "harness/ring/completion_queue.hpp"
#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {
namespace {

// A CQ in plain memory, with the kernel's side of it.
class FakeCq {
  public:
    FakeCq(CqeFormat format, uint32_t entries, uint32_t start = 0)
        : format_(format),
          entries_(entries),
          head_(start),
          tail_(start),
          memory_(size_t{entries} * (format == CqeFormat::kBig ? 32 : 16), std::byte{0xee}) {}

    CompletionQueue queue() { return {{&head_, &tail_, memory_.data(), entries_}, format_}; }

    // Writes one CQE at the tail; 32 bytes on a mixed ring take two slots. The kernel puts a skip
    // entry before the wrap when they do not fit.
    void post(uint64_t user_data, int32_t result, uint32_t flags = 0, uint64_t offset = 0,
              uint64_t padding = 0) {
        const bool wide = (flags & uapi::kCqe32) != 0 && format_ == CqeFormat::kMixed;
        if (wide && slot() + 1 == entries_) put(16, 0, 0, uapi::kCqeSkip, 0, 0);
        put(wide || format_ == CqeFormat::kBig ? 32 : 16, user_data, result, flags, offset,
            padding);
    }
    void put(size_t size, uint64_t user_data, int32_t result, uint32_t flags, uint64_t offset,
             uint64_t padding) {
        std::byte* at = memory_.data() + slot() * (format_ == CqeFormat::kBig ? 32 : 16);
        std::memcpy(at, &user_data, 8);
        std::memcpy(at + 8, &result, 4);
        std::memcpy(at + 12, &flags, 4);
        if (size == 32) {
            std::memcpy(at + 16, &offset, 8);
            std::memcpy(at + 24, &padding, 8);
        }
        tail_ += format_ == CqeFormat::kMixed && size == 32 ? 2 : 1;
    }
    uint32_t slot() const { return tail_ & (entries_ - 1); }

    CqeFormat format_;
    uint32_t entries_;
    uint32_t head_;
    uint32_t tail_;
    std::vector<std::byte> memory_;
};

TEST(CompletionQueue, AnEmptyRingGivesNothing) {
    FakeCq cq(CqeFormat::kBig, 4);
    auto queue = cq.queue();
    EXPECT_FALSE(queue.next());
    EXPECT_FALSE(CompletionQueue().next());
}

TEST(CompletionQueue, BigCqesCarryTheirSecondHalf) {
    FakeCq cq(CqeFormat::kBig, 4);
    auto queue = cq.queue();
    cq.post(7, 1448, uapi::kCqeMore, 0x3000, 9);
    EXPECT_EQ(queue.ready(), 1U);
    const auto cqe = queue.next();
    ASSERT_TRUE(cqe);
    EXPECT_EQ(cqe->user_data, 7U);
    EXPECT_EQ(cqe->result, 1448);
    EXPECT_EQ(cqe->flags, uapi::kCqeMore);
    EXPECT_TRUE(cqe->big);
    EXPECT_EQ(cqe->offset, 0x3000U);
    EXPECT_EQ(cqe->padding, 9U);
    EXPECT_EQ(cq.head_, 1U);
    EXPECT_FALSE(queue.next());
}

TEST(CompletionQueue, SmallCqesHaveNone) {
    FakeCq cq(CqeFormat::kSmall, 2);
    auto queue = cq.queue();
    cq.post(1, -104);
    cq.post(2, 0);
    const auto first = queue.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->result, -104);
    EXPECT_FALSE(first->big);
    EXPECT_EQ(first->offset, 0U);
    EXPECT_EQ(queue.next()->user_data, 2U);
}

TEST(CompletionQueue, GoesRoundManyTimesAndOverTheEndOfTheIndex) {
    for (const auto format : {CqeFormat::kSmall, CqeFormat::kBig, CqeFormat::kMixed}) {
        FakeCq cq(format, 8, 0xfffffffa);
        auto queue = cq.queue();
        for (uint64_t i = 0; i < 100; ++i) {
            cq.post(i, static_cast<int32_t>(i));
            const auto cqe = queue.next();
            ASSERT_TRUE(cqe);
            ASSERT_EQ(cqe->user_data, i);
        }
        EXPECT_EQ(cq.head_, cq.tail_);
        EXPECT_LT(cq.head_, 0x1000U);
    }
}

TEST(CompletionQueue, MixedRingsHoldBothSizes) {
    FakeCq cq(CqeFormat::kMixed, 8);
    auto queue = cq.queue();
    cq.post(1, 10);
    cq.post(2, 20, uapi::kCqe32 | uapi::kCqeMore, 0x4000, 0);
    cq.post(3, 30);
    EXPECT_EQ(queue.ready(), 4U);
    EXPECT_FALSE(queue.next()->big);
    const auto wide = queue.next();
    EXPECT_TRUE(wide->big);
    EXPECT_EQ(wide->offset, 0x4000U);
    EXPECT_EQ(cq.head_, 3U);
    EXPECT_EQ(queue.next()->user_data, 3U);
}

TEST(CompletionQueue, StepsOverSkipEntriesBeforeTheWrap) {
    FakeCq cq(CqeFormat::kMixed, 4);
    auto queue = cq.queue();
    for (uint64_t i = 1; i <= 3; ++i) cq.post(i, 1);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.next());
    cq.post(4, 40, uapi::kCqe32, 0x5000);  // slot 3 is the last: skip, then slots 0 and 1
    EXPECT_EQ(queue.ready(), 3U);
    const auto cqe = queue.next();
    ASSERT_TRUE(cqe);
    EXPECT_EQ(cqe->user_data, 4U);
    EXPECT_EQ(cqe->offset, 0x5000U);
    EXPECT_EQ(queue.skipped(), 1U);
    EXPECT_EQ(cq.head_, cq.tail_);
}

TEST(CompletionQueue, ALoneSkipEntryIsConsumed) {
    FakeCq cq(CqeFormat::kMixed, 4);
    auto queue = cq.queue();
    cq.put(16, 99, 5, uapi::kCqeSkip, 0, 0);
    EXPECT_FALSE(queue.next());
    EXPECT_EQ(cq.head_, 1U);
    EXPECT_EQ(queue.skipped(), 1U);
}

TEST(CompletionQueue, SkipMeansNothingOnOtherRings) {
    FakeCq cq(CqeFormat::kBig, 4);
    auto queue = cq.queue();
    cq.post(1, 5, uapi::kCqeSkip, 0x1000);
    const auto cqe = queue.next();
    ASSERT_TRUE(cqe);
    EXPECT_EQ(cqe->result, 5);
}

TEST(CompletionQueue, AWideCqeInTheLastSlotIsTornAndNotReadBeyondTheRing) {
    FakeCq cq(CqeFormat::kMixed, 4, 3);
    auto queue = cq.queue();
    cq.put(16, 1, 77, uapi::kCqe32, 0, 0);
    const auto cqe = queue.next();
    ASSERT_TRUE(cqe);
    EXPECT_TRUE(cqe->torn);
    EXPECT_EQ(cqe->offset, 0U);
    EXPECT_EQ(cq.head_, cq.tail_);
}

TEST(CompletionQueue, AWideCqeBeyondTheTailIsTorn) {
    FakeCq cq(CqeFormat::kMixed, 4);
    auto queue = cq.queue();
    cq.put(16, 1, 77, uapi::kCqe32, 0, 0);
    const auto cqe = queue.next();
    ASSERT_TRUE(cqe);
    EXPECT_TRUE(cqe->torn);
    EXPECT_EQ(cq.head_, 1U);
}

TEST(CompletionQueue, ATornCqeIsSeenBehindOthersAndNothingIsTaken) {
    FakeCq cq(CqeFormat::kMixed, 4);
    auto queue = cq.queue();
    cq.post(1, 5);
    cq.post(2, 77, uapi::kCqe32);
    EXPECT_FALSE(queue.any_torn());
    cq.put(16, 3, 77, uapi::kCqe32, 0, 0);  // in the last slot
    EXPECT_TRUE(queue.any_torn());
    EXPECT_EQ(queue.ready(), 4U);
    EXPECT_EQ(queue.overruns(), 0U);
    EXPECT_FALSE(CompletionQueue().any_torn());
}

TEST(CompletionQueue, AFullRingIsRead) {
    FakeCq cq(CqeFormat::kBig, 4, 0xfffffffe);
    auto queue = cq.queue();
    for (uint64_t i = 0; i < 4; ++i) cq.post(i, 1);
    EXPECT_EQ(queue.ready(), 4U);
    for (uint64_t i = 0; i < 4; ++i) ASSERT_EQ(queue.next()->user_data, i);
    EXPECT_FALSE(queue.next());
    EXPECT_EQ(queue.overruns(), 0U);
}

// As a kernel does it that pads a mixed CQ without room for what is to come behind that.
TEST(CompletionQueue, ATailOneTooFarAheadShowsTheStaleSlot) {
    FakeCq cq(CqeFormat::kBig, 4);
    auto queue = cq.queue();
    for (uint64_t i = 1; i <= 4; ++i) cq.post(i, 1);
    cq.tail_ = 5;
    for (uint64_t i = 1; i <= 4; ++i) ASSERT_EQ(queue.next()->user_data, i);
    EXPECT_EQ(queue.overruns(), 1U);
    const auto stale = queue.next();
    ASSERT_TRUE(stale);
    EXPECT_EQ(stale->user_data, 1U);
    EXPECT_FALSE(queue.next());
    EXPECT_EQ(cq.head_, 5U);
}

TEST(CompletionQueue, ATailFarAheadIsReportedAndNothingIsRead) {
    FakeCq cq(CqeFormat::kBig, 4);
    auto queue = cq.queue();
    cq.tail_ = 9;
    EXPECT_FALSE(queue.next());
    EXPECT_EQ(queue.overruns(), 1U);
    EXPECT_EQ(cq.head_, 0U);
}

// A batch is what was there, and its slots are free all at once.
TEST(CompletionQueue, ABatchIsTakenUpToItsLimit) {
    for (const CqeFormat format : {CqeFormat::kBig, CqeFormat::kMixed}) {
        FakeCq cq(format, 8, 6);
        auto queue = cq.queue();
        const uint32_t wide = format == CqeFormat::kMixed ? uapi::kCqe32 : 0;
        cq.post(1, 10, wide, 4096, 1);
        cq.post(2, 20, wide, 8192, 2);
        cq.post(3, -5);
        std::vector<Completion> batch;
        EXPECT_EQ(queue.take(batch, 2), 2U);
        const uint32_t slots = format == CqeFormat::kMixed ? 4 : 2;
        EXPECT_EQ(cq.head_, 6 + slots);
        EXPECT_EQ(queue.take(batch), 1U);
        EXPECT_EQ(cq.head_, cq.tail_);
        EXPECT_EQ(queue.take(batch), 0U);
        ASSERT_EQ(batch.size(), 3U);
        EXPECT_EQ(batch[0].offset, 4096U);
        EXPECT_EQ(batch[1].user_data, 2U);
        EXPECT_EQ(batch[1].padding, 2U);
        EXPECT_EQ(batch[2].result, -5);
    }
}

TEST(CompletionQueue, ABatchLeavesOutWhatIsToBeSkipped) {
    FakeCq cq(CqeFormat::kMixed, 8);
    auto queue = cq.queue();
    cq.post(1, 10);
    cq.post(0, 0, uapi::kCqeSkip);
    cq.post(2, 20);
    std::vector<Completion> batch;
    EXPECT_EQ(queue.take(batch), 2U);
    EXPECT_EQ(batch.size(), 2U);
    EXPECT_EQ(queue.skipped(), 1U);
    EXPECT_EQ(cq.head_, cq.tail_);
}

}  // namespace
}  // namespace zcrxlab
