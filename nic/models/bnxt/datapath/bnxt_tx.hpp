// TxRings: transmit rings, from descriptors to frames and completions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nic/models/bnxt/datapath/bnxt_completions.hpp"
#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/datapath/bnxt_ring_memory.hpp"
#include "nic/models/bnxt/datapath/bnxt_statistics.hpp"
#include "nic/models/bnxt/layout/bnxt_descriptors.hpp"

namespace zcrxlab::nic::bnxt {

class TxRings {
  public:
    TxRings(BnxtContext& context, Completions& completions, Statistics& statistics)
        : context_(context), completions_(completions), statistics_(statistics) {}

    // The number of the ring; nothing if there is no room for one more.
    std::optional<uint16_t> add(RingMemory memory, uint16_t completion_ring, uint32_t stat_context);
    // From here on no memory of it is touched. False if there is none.
    bool free(uint16_t ring);
    void clear() { rings_.fill({}); }

    // One turn is over behind the frame with which it has this many bytes: a ring of large TSO
    // frames takes seconds, and the guest waits for other registers meanwhile.
    static constexpr uint32_t kBytesOfATurn = 1 << 20;

    // The driver has filled descriptors up to, not including, `index`. Takes a turn. False if there
    // is no such ring.
    bool doorbell(uint16_t ring, uint32_t index);
    bool has_work() const;
    // Takes a turn of each ring that has work.
    void work();

  private:
    struct Ring {
        RingMemory memory;
        uint16_t number = 0;
        uint16_t completion_ring = 0;
        uint32_t stat_context = 0;
        uint32_t head = 0;  // next descriptor to take
        uint32_t tail = 0;  // behind the last one that is filled
    };
    // A frame's descriptors, and what they say.
    struct Frame {
        std::vector<BufferDescriptor> buffers;
        std::optional<TxExtension> extension;
        uint32_t opaque = 0;
        uint32_t count = 0;  // descriptors
        bool completion = true;
    };

    Ring* find(uint16_t ring);
    // True if a frame went to the wire.
    bool take_turn(Ring& ring);
    // The next frame, or nothing if its descriptors cannot be read or are not all there: what is
    // left of the ring is passed over then, and the driver is told of.
    std::optional<Frame> take(Ring& ring);
    // What is wrong with it, or nothing.
    static const char* wrong_about(const Frame& frame);
    bool send(Ring& ring, const Frame& frame);
    void complete(Ring& ring, const Frame& frame);
    TxCounters& counters(const Ring& ring) { return context_.counters.tx[ring.number - kTxRings]; }

    BnxtContext& context_;
    Completions& completions_;
    Statistics& statistics_;
    std::array<std::optional<Ring>, kQueueLimit> rings_;
};

}  // namespace zcrxlab::nic::bnxt
