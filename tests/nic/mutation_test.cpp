// Mutations: their names, which packets they hit, and those that any model has.
#include "nic/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic {
namespace {

constexpr uint16_t kHeaders = 66;
const std::array<std::byte, kHeaders + 100> kBytes{};

// A TCP packet with so many bytes of payload.
Delivery tcp(size_t payload, uint16_t queue = 0) {
    Delivery delivery;
    delivery.bytes = std::span(kBytes).first(kHeaders + payload);
    delivery.l4 = L4::kTcp;
    delivery.payload_offset = kHeaders;
    delivery.queue = queue;
    return delivery;
}

TEST(Mutation, NamesAreThereOnceAndFound) {
    std::set<std::string_view> names;
    auto next = Mutation::kNone;
    for (const MutationText& text : mutations()) {
        next = static_cast<Mutation>(static_cast<int>(next) + 1);
        EXPECT_EQ(text.mutation, next);
        EXPECT_EQ(find_mutation(text.name), text.mutation);
        EXPECT_TRUE(names.insert(text.name).second) << text.name;
        EXPECT_NE(text.sentence.back(), '.');
    }
    EXPECT_EQ(next, Mutation::kWrongQueue);
    EXPECT_EQ(find_mutation("nonsense"), Mutation::kNone);
    EXPECT_EQ(find_mutation(""), Mutation::kNone);
}

TEST(Mutation, OnlyPacketsWithPayloadCount) {
    ActiveMutation active(Mutation::kBufferTwice);
    const Delivery acknowledgment = tcp(0);
    Delivery datagram = tcp(1);
    datagram.l4 = L4::kUdp;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 3 * kMutationPeriod; ++i) {
        EXPECT_FALSE(active.hits(acknowledgment));
        EXPECT_FALSE(active.hits(datagram));
        if (active.hits(tcp(1))) ++hits;
    }
    EXPECT_EQ(hits, 3U);
    ActiveMutation none(Mutation::kNone);
    for (uint32_t i = 0; i < 3 * kMutationPeriod; ++i) EXPECT_FALSE(none.hits(tcp(1)));
}

// What reaches the model.
class Model : public FakeWireDevice {
  public:
    Accepted deliver(const Delivery& delivery) override {
        seen = delivery;
        return Accepted::kNoBuffer;
    }
    Delivery seen;
};

Delivery changed_by(Mutation mutation, const Delivery& delivery) {
    Model model;
    MutatedDevice mutant(mutation, model);
    EXPECT_EQ(mutant.deliver(delivery), Accepted::kNoBuffer);
    return model.seen;
}

TEST(MutatedDevice, LosesInterruptsOfPayload) {
    EXPECT_TRUE(changed_by(Mutation::kInterruptLost, tcp(1)).lose_interrupt);
    EXPECT_FALSE(changed_by(Mutation::kInterruptLost, tcp(0)).lose_interrupt);
    Delivery faulty = tcp(0);
    faulty.lose_interrupt = true;
    EXPECT_TRUE(changed_by(Mutation::kInterruptLost, faulty).lose_interrupt);
}

TEST(MutatedDevice, CallsBadChecksumsGood) {
    Delivery bad = tcp(1);
    bad.ip_checksum = bad.l4_checksum = ChecksumState::kBad;
    EXPECT_EQ(changed_by(Mutation::kChecksumGood, bad).ip_checksum, ChecksumState::kGood);
    EXPECT_EQ(changed_by(Mutation::kChecksumGood, bad).l4_checksum, ChecksumState::kGood);
    EXPECT_EQ(changed_by(Mutation::kChecksumGood, tcp(1)).l4_checksum, ChecksumState::kUnknown);
}

TEST(MutatedDevice, TakesTheQueueBefore) {
    EXPECT_EQ(changed_by(Mutation::kWrongQueue, tcp(1, 3)).queue, 2);
    EXPECT_EQ(changed_by(Mutation::kWrongQueue, tcp(1, 0)).queue, 0);
}

TEST(MutatedDevice, LeavesTheOthersToTheModel) {
    Delivery bad = tcp(1, 3);
    bad.l4_checksum = ChecksumState::kBad;
    for (const MutationText& text : mutations()) {
        const Delivery seen = changed_by(text.mutation, bad);
        const bool changed = seen.queue != bad.queue || seen.l4_checksum != bad.l4_checksum ||
                             seen.lose_interrupt != bad.lose_interrupt;
        EXPECT_EQ(changed, text.of_deliveries) << text.name;
    }
}

}  // namespace
}  // namespace zcrxlab::nic
