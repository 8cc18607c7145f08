// TxQueue: one transmit queue in DQO RDA format, from descriptors to frames and completions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nic/models/gve/gve_context.hpp"
#include "nic/models/gve/gve_descriptors.hpp"

namespace zcrxlab::nic::gve {

class TxQueue {
  public:
    // Sizes are powers of two; the completion ring is at least as long as the descriptor ring.
    struct Setup {
        uint64_t ring = 0;             // guest address
        uint64_t completion_ring = 0;  // guest address, aligned to 8 bytes
        uint32_t size = 0;             // descriptors
        uint32_t completion_size = 0;  // completions
        uint16_t id = 0;
        uint16_t block = 0;          // notification block
        uint32_t counter_index = 0;  // of the event counter
    };

    explicit TxQueue(GveContext& context) : context_(context) {}

    void start(const Setup& setup);
    // From here on no guest memory of this queue is touched.
    void stop();
    bool live() const { return live_; }

    // One turn is over behind the packet with which it has this many bytes: a ring of large TSO
    // frames takes seconds, and the guest waits for other registers meanwhile.
    static constexpr uint32_t kBytesOfATurn = 1 << 20;

    // The driver has filled descriptors up to, not including, index `tail`. Takes a turn: sends
    // what is complete, writes completions, and raises the interrupt. Returns true if a frame went
    // to the wire.
    bool doorbell(uint32_t tail);
    // Whether descriptors of a doorbell are left for another turn.
    bool has_work() const { return live_ && head_ != tail_; }
    // Takes it, as doorbell() did.
    bool take_turn();

  private:
    static constexpr uint32_t kBatch = 64;  // descriptors or completions moved at once

    struct Segment {
        uint64_t address;
        uint32_t length;
        uint32_t descriptor;
    };
    // A packet of which the end has not been seen yet.
    struct Packet {
        std::vector<Segment> segments;
        uint32_t descriptors = 0;
        uint32_t bytes = 0;
        uint32_t tso_length = 0;
        uint16_t mss = 0;
        uint8_t header_length = 0;
        bool tso = false;
        bool checksum = false;
        bool too_long = false;
        const char* malformed = nullptr;  // what is wrong, of which descriptor
        uint32_t malformed_descriptor = 0;
        uint32_t tso_descriptor = 0;

        void spoil(const char* why, uint32_t descriptor) {
            if (malformed != nullptr) return;
            malformed = why;
            malformed_descriptor = descriptor;
        }
        void clear() {
            Packet empty;
            empty.segments = std::move(segments);  // with its room
            empty.segments.clear();
            *this = std::move(empty);
        }
    };

    void take(const TxDescriptor& descriptor);
    void take_packet(const TxPacketDescriptor& descriptor);
    void take_tso(const TxTsoContext& context);
    bool send();
    bool acceptable(TxCounters& counters) const;
    // Of a packet that is whole: what is wrong with its TSO context, or nothing.
    const char* wrong_about_tso() const;
    void forbid(ForbiddenKind kind, uint32_t descriptor, std::string what) const;
    // Index of the descriptor that is being taken.
    uint32_t current() const { return (head_ - 1) & (setup_.size - 1); }
    void complete(uint16_t type, uint16_t value);
    void publish();
    void fail(const char* what, uint64_t address, uint64_t size, Access access);

    GveContext& context_;
    Setup setup_;
    Packet packet_;
    std::array<TxCompletion, kBatch> completions_;
    uint32_t waiting_ = 0;          // completions not yet published
    uint32_t completed_ = 0;        // completions of this turn
    uint32_t bytes_ = 0;            // of the packets of this turn
    uint32_t head_ = 0;             // next descriptor to fetch
    uint32_t tail_ = 0;             // behind the last one that the driver has filled
    uint32_t completion_head_ = 0;  // next slot to publish to
    uint16_t generation_ = 1;       // of that slot
    uint32_t events_ = 0;           // the event counter: packets completed
    bool live_ = false;
    bool sent_ = false;
};

}  // namespace zcrxlab::nic::gve
