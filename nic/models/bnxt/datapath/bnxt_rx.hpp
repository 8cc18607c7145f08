// RxRings: receive rings and their aggregation rings, from a Delivery to buffers and completions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nic/models/bnxt/datapath/bnxt_completions.hpp"
#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/datapath/bnxt_ring_memory.hpp"
#include "nic/models/bnxt/datapath/bnxt_statistics.hpp"
#include "nic/models/bnxt/datapath/bnxt_vnics.hpp"
#include "nic/models/bnxt/layout/bnxt_descriptors.hpp"

namespace zcrxlab::nic::bnxt {

class RxRings {
  public:
    RxRings(BnxtContext& context, Completions& completions, const Vnics& vnics,
            Statistics& statistics)
        : context_(context), completions_(completions), vnics_(vnics), statistics_(statistics) {}

    // The number of the ring, which is that of queue `place`; nothing if the place is taken or
    // there is none. Buffers are of `buffer_size` bytes.
    std::optional<uint16_t> add(RingMemory memory, uint16_t place, uint16_t buffer_size,
                                uint32_t stat_context);
    // The same of an aggregation ring, for a receive ring that is there.
    std::optional<uint16_t> add_aggregation(RingMemory memory, uint16_t rx_ring,
                                            uint16_t buffer_size);
    // From here on no memory and no buffer of it is touched. False if there is none.
    bool free(uint16_t ring);
    bool free_aggregation(uint16_t ring);
    void clear();
    bool has(uint16_t ring) const;
    bool any() const;

    // The driver has posted buffers up to, not including, `index`, to a ring of either kind. False
    // if there is none.
    bool doorbell(uint16_t ring, uint32_t index);
    Accepted deliver(const Delivery& delivery);
    // Buffers that wait in the rings of a queue: of the receive and of the aggregation ring.
    uint32_t posted(uint16_t queue) const;
    uint32_t posted_aggregation(uint16_t queue) const;
    bool has_aggregation(uint16_t queue) const {
        return queue < aggregations_.size() && aggregations_[queue].has_value();
    }

  private:
    // A ring of buffers that the driver posts.
    struct BufferRing {
        RingMemory memory;
        uint16_t number = 0;
        uint16_t buffer_size = 0;
        uint32_t stat_context = 0;
        uint16_t type = 0;                     // of its descriptors
        uint32_t next = 0;                     // to be used
        uint32_t tail = 0;                     // behind the last one that was posted
        std::vector<uint32_t> posted_at = {};  // for the DMA log
        uint16_t aggregate = 0;                // number of the next one
        // The end of one that is not told yet. It goes with its ring.
        std::optional<std::array<Entry, 2>> unfinished = {};
        // All of one that is told behind the next. It goes with its ring, too.
        std::vector<Entry> overtaken = {};
        // For mutations only: where the payload of the newest packet begins, and whether a buffer
        // was kept.
        uint64_t last_address = 0;
        bool kept = false;
        std::vector<uint64_t> begun = {};  // buffers of the newest unfinished aggregate

        uint32_t posted() const { return memory.distance(next, tail); }
        std::string name() const;
    };
    // A piece of a frame, and the buffer for it.
    struct Piece {
        BufferRing* ring;
        BufferDescriptor buffer;
        uint32_t index;   // of its descriptor
        size_t at;        // in the frame
        uint16_t length;  // bytes
    };

    Accepted deliver_to(BufferRing& ring, BufferRing* aggregation, const Vnic& vnic,
                        const Delivery& delivery);
    // The same without its tag, if it has one. Good until the next one is delivered.
    Delivery take_tag_off(const Delivery& delivery);
    BufferRing* find(uint16_t ring);
    // Bytes of the frame's headers if they are to lie apart, else 0.
    static size_t split_at(const Delivery& delivery, const Placement& placement,
                           const BufferRing& ring);
    // Cuts `frame` bytes, the first of them into the receive buffer; takes the buffers. False if a
    // descriptor cannot be read.
    bool take_buffers(BufferRing& ring, BufferRing* aggregation, size_t frame, size_t first);
    bool take(BufferRing& ring, size_t at, size_t length);
    bool place(const Delivery& delivery, size_t split);
    bool place(const Delivery& delivery, size_t split, const Piece& piece);
    // The buffer that a fault leaves as it was; those of split headers are not counted, but may be
    // it. Null without one.
    const Piece* bad_piece(const Delivery& delivery, size_t split) const;
    void tell_witness(const Delivery& delivery, size_t split, const Piece& piece);
    struct Entries;
    // As an aggregate if `joining` is not null.
    bool complete(uint16_t completion_ring, const Delivery& delivery, size_t split,
                  const Joining* joining, bool failed);
    static void add_end_of_unfinished(Entries& entries, BufferRing& ring);
    void add_packet(Entries& entries, const Delivery& delivery, size_t split, bool failed);
    void add_aggregate(Entries& entries, const Delivery& delivery, size_t split,
                       const Joining& joining, bool failed);
    uint16_t flags_of(const Delivery& delivery, size_t split) const;
    uint16_t told_length(size_t piece) const;
    // Whether this mutation hits the packet at hand.
    bool mutated(Mutation what) const { return hit_ && context_.mutation.is(what); }
    // Where and from where on the piece is written.
    Piece mutate(const Piece& piece, size_t split);
    static void keep_buffer(BufferRing& aggregation);
    void remember_buffers(const BufferRing& aggregation);
    void write_late(const Delivery& delivery);
    RxCounters& counters(const BufferRing& ring) {
        return context_.counters.rx[ring.number - kRxRings];
    }

    BnxtContext& context_;
    Completions& completions_;
    const Vnics& vnics_;
    Statistics& statistics_;
    // A queue is a receive ring and the aggregation ring at the same place.
    std::array<std::optional<BufferRing>, kQueueLimit> rings_;
    std::array<std::optional<BufferRing>, kQueueLimit> aggregations_;
    std::vector<Piece> pieces_;        // of the frame that is being delivered, with their room
    uint32_t tag_ = 0;                 // RxDetails::tag_of() the one that was taken off it; 0: none
    std::vector<std::byte> untagged_;  // the frame without it
    // For mutations only.
    bool hit_ = false;  // the packet at hand is
    // Buffers that the ring of a queue had when it was freed.
    std::array<std::set<uint64_t>, kQueueLimit> left_;
    std::deque<uint64_t> late_;  // of these, those that are in use again
};

}  // namespace zcrxlab::nic::bnxt
