// Mutation: a mistake that the device makes on purpose, so that a suite can be seen noticing it.
//
// What the device tells its witness stays true: a mutant lies to the driver, never to the log.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vm/nic/wire.hpp"

namespace zcrxlab::nic {

enum class Mutation : uint8_t {
    kNone,
    kCompletionLost,
    kLengthOff,
    kBufferTwice,
    kDmaAfterDestroy,
    kStaleGeneration,
    kInterruptLost,
    kHeaderInPayload,
    kChecksumGood,
    kWrongQueue,
};

// Those that hit some packets hit one in so many TCP packets with payload.
inline constexpr uint32_t kMutationPeriod = 16;

struct MutationText {
    Mutation mutation;
    std::string_view name;      // for command lines
    std::string_view sentence;  // what the device does, without a full stop
};
// All but kNone, in the order of the enum.
std::span<const MutationText> mutations();
// kNone if there is none of this name.
Mutation find_mutation(std::string_view name);

namespace gve {

// The mutation that a device has, and which packets it hits.
class ActiveMutation {
  public:
    explicit ActiveMutation(Mutation what) : what_(what) {}

    bool is(Mutation what) const { return what_ == what; }
    // Asked once for each packet: whether it is one of those that are hit. Never for kNone.
    bool hits(const Delivery& delivery) {
        return what_ != Mutation::kNone && carries_payload(delivery) &&
               ++seen_ % kMutationPeriod == 0;
    }
    static bool carries_payload(const Delivery& delivery) {
        return delivery.l4 == L4::kTcp && delivery.bytes.size() > delivery.payload_offset;
    }

  private:
    Mutation what_;
    uint32_t seen_ = 0;
};

}  // namespace gve
}  // namespace zcrxlab::nic
