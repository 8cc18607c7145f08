// Mutation: the names and sentences, and those that are made of deliveries.
#include "nic/mutation.hpp"

namespace zcrxlab::nic {

std::span<const MutationText> mutations() {
    static constexpr MutationText kTexts[] = {
        {Mutation::kCompletionLost, "completion-lost",
         "one packet in 16 is written into its buffers and never completed"},
        {Mutation::kLengthOff, "length-off",
         "one packet in 16 that fills several buffers is completed with a byte less in the first "
         "and a byte more in the last"},
        {Mutation::kBufferTwice, "buffer-twice",
         "one packet in 16 is written into the buffer of the packet before it"},
        {Mutation::kBufferKept, "buffer-kept",
         "a queue takes one buffer that it never completes, with its 16th packet"},
        {Mutation::kDmaAfterDestroy, "dma-after-destroy",
         "a destroyed queue writes once more into each of its buffers, when it is in use again"},
        {Mutation::kStaleGeneration, "stale-generation",
         "the generation bit does not turn where the completion ring of a queue but the first "
         "starts again"},
        {Mutation::kInterruptLost, "interrupt-lost", "no interrupt tells of a packet with payload",
         true},
        {Mutation::kHeaderInPayload, "header-in-payload",
         "one packet in 16 has the last 4 bytes of its headers in front of its payload, which "
         "lacks "
         "its own last 4"},
        {Mutation::kChecksumGood, "checksum-good", "every checksum is reported as right", true},
        {Mutation::kWrongQueue, "wrong-queue",
         "what steering sends to a queue arrives on the one before it", true},
    };
    return kTexts;
}

Mutation find_mutation(std::string_view name) {
    for (const MutationText& text : mutations())
        if (text.name == name) return text.mutation;
    return Mutation::kNone;
}

bool carries_payload(const Delivery& delivery) {
    return delivery.l4 == L4::kTcp &&
           delivery.bytes.size() - delivery.trailing > delivery.payload_offset;
}

Accepted MutatedDevice::deliver(const Delivery& delivery) {
    Delivery changed = delivery;
    switch (mutation_) {
        case Mutation::kInterruptLost:
            changed.lose_interrupt = delivery.lose_interrupt || carries_payload(delivery);
            break;
        case Mutation::kChecksumGood:
            for (ChecksumState* state : {&changed.ip_checksum, &changed.l4_checksum})
                if (*state == ChecksumState::kBad) *state = ChecksumState::kGood;
            break;
        case Mutation::kWrongQueue:
            if (changed.queue != 0) --changed.queue;
            break;
        default:
            break;
    }
    return model_.deliver(changed);
}

}  // namespace zcrxlab::nic
