// Mutation: a mistake that a NIC makes on purpose, so that a suite can be seen noticing it. The
// mistakes are those that any NIC can make; a model makes what only it can.
//
// What the device tells its witness stays true: a mutant lies to the driver, never to the log.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nic/wire.hpp"

namespace zcrxlab::nic {

enum class Mutation : uint8_t {
    kNone,
    kCompletionLost,
    kLengthOff,
    kBufferTwice,
    kBufferKept,
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
    // It is a change of what the wire has decided about a packet, and MutatedDevice makes it for
    // every model; otherwise it is one of rings and buffers, and a model's own.
    bool of_deliveries = false;
};
// All but kNone, in the order of the enum.
std::span<const MutationText> mutations();
// kNone if there is none of this name.
Mutation find_mutation(std::string_view name);

bool carries_payload(const Delivery& delivery);

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

  private:
    Mutation what_;
    uint32_t seen_ = 0;
};

// A NIC model whose deliveries are changed by one of the mutations that are `of_deliveries`; with
// any other it is the model as it is. Stands between the wire and the model.
class MutatedDevice : public WireDevice {
  public:
    // `model` must outlive it.
    MutatedDevice(Mutation mutation, WireDevice& model) : mutation_(mutation), model_(model) {}

    Accepted deliver(const Delivery& delivery) override;
    void end_of_burst() override { model_.end_of_burst(); }
    void set_link(bool up) override { model_.set_link(up); }
    void request_reset() override { model_.request_reset(); }
    bool die() override { return model_.die(); }
    CommandFaults* command_faults() override { return model_.command_faults(); }
    std::vector<std::pair<std::string, uint64_t>> counters() const override {
        return model_.counters();
    }

  private:
    Mutation mutation_;
    WireDevice& model_;
};

}  // namespace zcrxlab::nic
