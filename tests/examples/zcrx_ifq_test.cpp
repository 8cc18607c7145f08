// The header for receivers against a fake ring: each mistake that people make with zero-copy
// receive is impossible with it, or an error.
#include "examples/zcrx_ifq.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

extern "C" int zcrx_ifq_in_c(void);

namespace {

constexpr uint32_t kEntries = 4;
constexpr uint32_t kBuffer = 4096;
constexpr uint32_t kBuffers = 8;
constexpr uint64_t kToken = 3ULL << ZCRX_AREA_SHIFT;

// What the kernel shares with its user: a refill ring, and a CQ.
class FakeRing {
  public:
    explicit FakeRing(bool mixed = false) {
        reactor.refill.head = &rq_head;
        reactor.refill.tail = &rq_tail;
        reactor.refill.rqes = rqes;
        reactor.refill.entries = kEntries;
        reactor.refill.area_token = kToken;
        reactor.refill.area_length = uint64_t{kBuffer} * kBuffers;
        reactor.refill.buffer_length = kBuffer;
        reactor.refill.held = held;
        reactor.cq.head = &cq_head;
        reactor.cq.tail = &cq_tail;
        reactor.cq.mask = kSlots - 1;
        reactor.cq.cqes = cqes;
        reactor.cq.mixed = mixed;
        reactor.area = area.data();
        reactor.arm = [](void* user, zcrx_stream* stream) {
            auto* ring = static_cast<FakeRing*>(user);
            if (ring->arm_error != 0) return ring->arm_error;
            ring->armed.push_back(stream->fd);
            return 0;
        };
        reactor.piece = [](void* user, zcrx_stream*, const unsigned char* payload, uint32_t length,
                           uint64_t off) {
            auto* ring = static_cast<FakeRing*>(user);
            EXPECT_EQ(payload, ring->area.data() + (off & ZCRX_OFFSET_MASK));
            ring->pieces.emplace_back(off, length);
        };
        reactor.over = [](void* user, zcrx_stream*, int result) {
            static_cast<FakeRing*>(user)->ends.push_back(result);
        };
        reactor.other = [](void* user, const zcrx_cqe* cqe) {
            static_cast<FakeRing*>(user)->others.push_back(cqe->user_data);
        };
        reactor.user = this;
    }

    // The kernel writes a CQE.
    void complete(uint64_t user_data, int32_t res, uint32_t flags, uint64_t off = 0) {
        const size_t slot = reactor.cq.mixed ? 16 : 32;
        const bool large = !reactor.cq.mixed || (flags & ZCRX_CQE_32) != 0;
        unsigned char* at = cqes + (cq_tail & (kSlots - 1)) * slot;
        std::memcpy(at, &user_data, 8);
        std::memcpy(at + 8, &res, 4);
        std::memcpy(at + 12, &flags, 4);
        if (large) std::memcpy(at + 16, &off, 8);
        cq_tail += reactor.cq.mixed && large ? 2 : 1;
    }
    void complete(const zcrx_stream& stream, int32_t res, uint32_t flags, uint64_t off = 0) {
        complete(reinterpret_cast<uintptr_t>(&stream), res, flags, off);
    }

    static constexpr uint32_t kSlots = 8;
    zcrx_reactor reactor{};
    uint32_t rq_head = 0, rq_tail = 0, cq_head = 0, cq_tail = 0;
    zcrx_rqe rqes[kEntries] = {};
    uint16_t held[kBuffers] = {};
    alignas(8) unsigned char cqes[kSlots * 32] = {};
    std::vector<unsigned char> area = std::vector<unsigned char>(size_t{kBuffer} * kBuffers);
    int arm_error = 0;
    std::vector<int> armed;
    std::vector<std::pair<uint64_t, uint32_t>> pieces;
    std::vector<int> ends;
    std::vector<uint64_t> others;
};

// ---- the refill ring

TEST(Refill, CannotBePrimedWithBuffersThatWereNeverReceived) {
    FakeRing ring;
    ASSERT_EQ(zcrx_reactor_init(&ring.reactor), 0);
    for (uint64_t buffer = 0; buffer < kBuffers; ++buffer)
        EXPECT_EQ(zcrx_refill_give_back(&ring.reactor.refill, buffer * kBuffer, kBuffer), -ENOENT);
    EXPECT_EQ(zcrx_refill_give_back(&ring.reactor.refill, uint64_t{kBuffer} * kBuffers, 1),
              -ENOENT);
    EXPECT_EQ(ring.rq_tail, 0u) << "nothing was shown to the kernel";
}

TEST(Refill, TakesABufferBackAsOftenAsItWasReceived) {
    FakeRing ring;
    zcrx_refill& refill = ring.reactor.refill;
    ASSERT_EQ(zcrx_refill_init(&refill), 0);
    const uint64_t off = kToken | (2 * kBuffer);
    ASSERT_EQ(zcrx_refill_hold(&refill, off, 100), 0);
    ASSERT_EQ(zcrx_refill_hold(&refill, off + 100, 3996), 0);
    EXPECT_EQ(refill.pieces_held, 2u);
    EXPECT_EQ(zcrx_refill_give_back(&refill, off + 100, 3996), 0);
    EXPECT_EQ(zcrx_refill_give_back(&refill, off, 100), 0);
    EXPECT_EQ(zcrx_refill_give_back(&refill, off, 100), -ENOENT);
    EXPECT_EQ(ring.rq_tail, 2u);
    EXPECT_EQ(ring.rqes[0].off, kToken | (2 * kBuffer + 100));
    EXPECT_EQ(ring.rqes[0].pad, 0u);
    EXPECT_EQ(refill.pieces_held, 0u);
}

TEST(Refill, AFullRingIsNotWrittenTo) {
    FakeRing ring;
    zcrx_refill& refill = ring.reactor.refill;
    ASSERT_EQ(zcrx_refill_init(&refill), 0);
    for (uint64_t buffer = 0; buffer <= kEntries; ++buffer)
        ASSERT_EQ(zcrx_refill_hold(&refill, buffer * kBuffer, 1), 0);
    for (uint64_t buffer = 0; buffer < kEntries; ++buffer)
        ASSERT_EQ(zcrx_refill_give_back(&refill, buffer * kBuffer, 1), 0);
    const zcrx_rqe first = ring.rqes[0];
    EXPECT_EQ(zcrx_refill_room(&refill), 0u);
    EXPECT_EQ(zcrx_refill_give_back(&refill, kEntries * kBuffer, 1), -EAGAIN);
    EXPECT_EQ(ring.rq_tail, kEntries);
    EXPECT_EQ(ring.rqes[0].off, first.off) << "an entry that the kernel has not read";
    EXPECT_EQ(refill.pieces_held, 1u) << "it is still held";
    ring.rq_head = 1;
    EXPECT_EQ(zcrx_refill_give_back(&refill, kEntries * kBuffer, 1), 0);
}

TEST(Refill, RunsOnOver32Bits) {
    FakeRing ring;
    zcrx_refill& refill = ring.reactor.refill;
    ASSERT_EQ(zcrx_refill_init(&refill), 0);
    ring.rq_head = ring.rq_tail = UINT32_MAX;
    for (uint64_t buffer = 0; buffer < kEntries; ++buffer) {
        ASSERT_EQ(zcrx_refill_hold(&refill, buffer * kBuffer, 1), 0);
        ASSERT_EQ(zcrx_refill_give_back(&refill, buffer * kBuffer, 1), 0);
    }
    EXPECT_EQ(ring.rq_tail, kEntries - 1);
    EXPECT_EQ(zcrx_refill_room(&refill), 0u);
    // A head that the kernel could not have written makes no room.
    ring.rq_head = ring.rq_tail + 1;
    EXPECT_EQ(zcrx_refill_room(&refill), 0u);
}

TEST(Refill, ARingThatWasUsedBeforeIsRefused) {
    FakeRing ring;
    ring.rq_head = 7;
    EXPECT_EQ(zcrx_reactor_init(&ring.reactor), -EUCLEAN);
    ring.rq_head = 0;
    ring.reactor.refill.entries = 3;
    EXPECT_EQ(zcrx_reactor_init(&ring.reactor), -EINVAL);
}

TEST(Refill, APieceOutsideOfABufferIsNone) {
    FakeRing ring;
    zcrx_refill& refill = ring.reactor.refill;
    ASSERT_EQ(zcrx_refill_init(&refill), 0);
    const uint64_t end = uint64_t{kBuffer} * kBuffers;
    EXPECT_EQ(zcrx_refill_hold(&refill, end, 1), -ERANGE);
    EXPECT_EQ(zcrx_refill_hold(&refill, end - 1, 2), -ERANGE);
    EXPECT_EQ(zcrx_refill_hold(&refill, kBuffer - 1, 2), -ERANGE);
    EXPECT_EQ(zcrx_refill_hold(&refill, 0, 0), -ERANGE);
    EXPECT_EQ(zcrx_refill_hold(&refill, end - 1, 1), 0);
}

// ---- completions

TEST(Completions, OfThirtyTwoBytes) {
    FakeRing ring;
    ring.complete(8, 5, ZCRX_CQE_MORE, kToken | 77);
    zcrx_cqe cqe;
    ASSERT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 1);
    EXPECT_EQ(cqe.user_data, 8u);
    EXPECT_EQ(cqe.res, 5);
    EXPECT_EQ(cqe.off, kToken | 77);
    EXPECT_EQ(ring.cq_head, 1u) << "its slot is the kernel's again";
    EXPECT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 0);
}

TEST(Completions, OfBothSizes) {
    FakeRing ring(true);
    ring.cq_head = ring.cq_tail = FakeRing::kSlots - 4;
    ring.complete(1, 40, 0);                                          // 16 bytes: an accept
    ring.complete(2, 9, ZCRX_CQE_MORE | ZCRX_CQE_32, kToken | 4096);  // 32
    ring.complete(0, 0, ZCRX_CQE_SKIP);                               // the last slot
    ring.complete(4, 3, ZCRX_CQE_MORE | ZCRX_CQE_32, kToken | 8192);  // from the first one on
    zcrx_cqe cqe;
    ASSERT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 1);
    EXPECT_EQ(cqe.user_data, 1u);
    EXPECT_EQ(cqe.off, 0u) << "what lies behind it is another one's";
    ASSERT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 1);
    EXPECT_EQ(cqe.user_data, 2u);
    EXPECT_EQ(cqe.off, kToken | 4096);
    ASSERT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 1);
    EXPECT_EQ(cqe.user_data, 4u) << "the padding is stepped over";
    EXPECT_EQ(cqe.off, kToken | 8192);
    EXPECT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), 0);
    EXPECT_EQ(ring.cq_head, ring.cq_tail);
}

TEST(Completions, HalfOfOneIsAnError) {
    FakeRing ring(true);
    ring.complete(2, 9, ZCRX_CQE_MORE | ZCRX_CQE_32, kToken);
    ring.cq_tail = 1;
    zcrx_cqe cqe;
    EXPECT_EQ(zcrx_cq_next(&ring.reactor.cq, &cqe), -EBADMSG);
    EXPECT_EQ(ring.cq_head, 0u);
}

TEST(Completions, NotEveryNegativeResultIsAnEnd) {
    const auto next = [](int32_t res, uint32_t flags) {
        const zcrx_cqe cqe{.user_data = 0, .res = res, .flags = flags, .off = 0};
        return zcrx_next_of(&cqe);
    };
    EXPECT_EQ(next(100, ZCRX_CQE_MORE), ZCRX_GOES_ON);
    EXPECT_EQ(next(0, 0), ZCRX_END_OF_STREAM);
    EXPECT_EQ(next(-ENOSPC, 0), ZCRX_ARM_AGAIN);
    EXPECT_EQ(next(-ENOMEM, 0), ZCRX_RETURN_AND_ARM);
    for (const int error : {ECONNRESET, EFAULT, ECANCELED, EBADF, ETIMEDOUT})
        EXPECT_EQ(next(-error, 0), ZCRX_GIVE_UP) << error;
    // None that the kernel sends.
    EXPECT_EQ(next(5, 0), ZCRX_GIVE_UP);
    EXPECT_EQ(next(0, ZCRX_CQE_MORE), ZCRX_GIVE_UP);
    EXPECT_EQ(zcrx_ifq_in_c(), 1);
}

// ---- the reactor

class Reactor : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(zcrx_reactor_init(&ring.reactor), 0);
        ASSERT_EQ(zcrx_reactor_add(&ring.reactor, &stream, 5), 0);
        ASSERT_EQ(zcrx_reactor_run(&ring.reactor), 1);
        ASSERT_EQ(ring.armed, std::vector<int>{5});
        ring.armed.clear();
    }
    int run() { return zcrx_reactor_run(&ring.reactor); }

    FakeRing ring;
    zcrx_stream stream{};
};

TEST_F(Reactor, PiecesAreHeldUntilTheyAreGivenBack) {
    ring.complete(stream, 100, ZCRX_CQE_MORE, kToken | 4096);
    EXPECT_EQ(run(), 0);
    ASSERT_EQ(ring.pieces.size(), 1u);
    EXPECT_EQ(ring.held[1], 1);
    EXPECT_EQ(zcrx_refill_give_back(&ring.reactor.refill, ring.pieces[0].first, 100), 0);
    EXPECT_EQ(ring.held[1], 0);
}

TEST_F(Reactor, AFullCqArmsAgainOnceAllIsReaped) {
    ring.complete(stream, 10, ZCRX_CQE_MORE, kToken);
    ring.complete(stream, -ENOSPC, 0);
    ring.complete(1, 0, 0);
    EXPECT_EQ(run(), 1);
    EXPECT_EQ(ring.armed, std::vector<int>{5});
    EXPECT_EQ(ring.others, std::vector<uint64_t>{1});
    EXPECT_TRUE(ring.ends.empty()) << "it is no end";
    EXPECT_EQ(run(), 0) << "once is enough";
}

TEST_F(Reactor, WithoutAFreeBufferItArmsOnceOneIsBack) {
    ring.complete(stream, 10, ZCRX_CQE_MORE, kToken);
    ring.complete(stream, -ENOMEM, 0);
    EXPECT_EQ(run(), 0) << "it would end in the same way";
    EXPECT_TRUE(ring.ends.empty());
    EXPECT_EQ(zcrx_refill_give_back(&ring.reactor.refill, kToken, 10), 0);
    EXPECT_EQ(run(), 1);
    EXPECT_EQ(ring.armed, std::vector<int>{5});
    // With nothing held there is nothing to wait for.
    ring.complete(stream, -ENOMEM, 0);
    EXPECT_EQ(run(), 1);
}

TEST_F(Reactor, WhatCouldNotBeArmedIsNotForgotten) {
    ring.complete(stream, -ENOSPC, 0);
    ring.arm_error = -EAGAIN;
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(run(), 0);
    ring.arm_error = 0;
    EXPECT_EQ(run(), 1);
}

TEST_F(Reactor, AnEndIsToldOnceAndNothingIsArmed) {
    ring.complete(stream, 0, 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(ring.ends, std::vector<int>{0});
    zcrx_stream other{};
    ASSERT_EQ(zcrx_reactor_add(&ring.reactor, &other, 6), 0);
    EXPECT_EQ(run(), 1);
    ring.complete(other, -ECONNRESET, 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(ring.ends, (std::vector<int>{0, -ECONNRESET}));
    EXPECT_EQ(ring.armed, std::vector<int>{6});
}

TEST_F(Reactor, AStreamHasOneRequest) {
    EXPECT_EQ(zcrx_reactor_add(&ring.reactor, &stream, 5), -EALREADY);
    ring.complete(stream, -ENOSPC, 0);
    ring.arm_error = -EAGAIN;
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(zcrx_reactor_add(&ring.reactor, &stream, 5), -EALREADY) << "it waits for one";
}

TEST_F(Reactor, APieceOutsideOfTheAreaIsNotHandedOut) {
    ring.complete(stream, 10, ZCRX_CQE_MORE, kToken | (uint64_t{kBuffer} * kBuffers));
    ring.complete(stream, 0, 0);
    EXPECT_EQ(run(), 0);
    EXPECT_TRUE(ring.pieces.empty());
    EXPECT_EQ(ring.ends, std::vector<int>{-ERANGE}) << "told once";
}

TEST_F(Reactor, BelongsToTheThreadThatMadeIt) {
    int from_another = 0, added = 0;
    zcrx_stream other{};
    std::thread([&] {
        from_another = run();
        added = zcrx_reactor_add(&ring.reactor, &other, 9);
    }).join();
    EXPECT_EQ(from_another, -EPERM);
    EXPECT_EQ(added, -EPERM);
    EXPECT_EQ(run(), 0);
}

}  // namespace
