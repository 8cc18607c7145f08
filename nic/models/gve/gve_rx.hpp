// RxQueue: one receive queue in DQO RDA format, from a Delivery to buffers and completions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nic/models/gve/gve_context.hpp"
#include "nic/models/gve/gve_descriptors.hpp"

namespace zcrxlab::nic::gve {

class RxQueue {
  public:
    // Sizes are powers of two; the completion ring is at least as long as the buffer ring.
    struct Setup {
        uint64_t buffer_ring = 0;      // guest address
        uint64_t completion_ring = 0;  // guest address, aligned to 32 bytes
        uint32_t size = 0;             // buffer descriptors
        uint32_t completion_size = 0;  // completions
        uint16_t id = 0;
        uint16_t block = 0;               // notification block
        uint16_t packet_buffer_size = 0;  // bytes of each buffer
        uint16_t header_buffer_size = 0;  // bytes of each header buffer; 0 = never split
        bool rsc = false;
    };

    explicit RxQueue(GveContext& context) : context_(context) {}

    void start(const Setup& setup);
    // From here on no guest memory of this queue is touched.
    void stop();
    bool live() const { return live_; }
    const Setup& setup() const { return setup_; }

    // The driver has posted buffers up to, not including, index `tail`.
    void doorbell(uint32_t tail);
    // Writes one packet into buffers and completes them, all or nothing. Raises no interrupt.
    Accepted deliver(const Delivery& delivery);
    // The driver has seen all completions and waits for the interrupt. If the first buffer of a
    // packet was completed alone, the others are now, unless they wait for the next packet. True if
    // so.
    bool driver_waits();
    // Buffers posted and not used yet.
    uint32_t posted() const { return (tail_ - next_) & (setup_.size - 1); }

  private:
    // Enough for kMaximumFrame bytes in buffers of 2048.
    static constexpr uint32_t kMostBuffers = 128;

    // Makes `count` posted buffers available at the front of the cache.
    bool fetch(uint32_t count);
    bool place(const Delivery& delivery, size_t split, uint32_t buffers);
    void tell_witness(const Delivery& delivery, size_t split, size_t begin, uint64_t address,
                      uint32_t length, uint32_t posted);
    RxCompletion describe(const Delivery& delivery) const;
    void complete(const Delivery& delivery, size_t split, uint32_t buffers, bool failed);
    // Publishes the first `now` completions of a packet, and keeps the others.
    void complete_part(std::span<RxCompletion> completions, size_t now, Rest when);
    // Completes the buffers that are kept.
    void complete_rest();
    bool publish(std::span<RxCompletion> completions);
    void publish_or_fail(std::span<RxCompletion> completions);
    void bad_doorbell(std::string what);
    void fail(const char* what, uint64_t address, uint64_t size, Access access);

    // Whether this mutation hits the packet at hand.
    bool mutated(Mutation what) const { return hit_ && context_.mutation.is(what); }
    void keep_buffer();
    void remember_posted();
    void write_late(const Delivery& delivery, uint32_t buffers);

    RxCounters& counters() { return context_.counters.rx[setup_.id]; }

    GveContext& context_;
    Setup setup_;
    // Descriptors already read: the posted buffers next_ .. next_ + cached_ - 1.
    std::array<RxBufferDescriptor, kMostBuffers> cache_;
    uint32_t cache_begin_ = 0;
    uint32_t cached_ = 0;
    uint32_t next_ = 0;             // next buffer to use, index into the buffer ring
    uint32_t tail_ = 0;             // first index without a posted buffer
    uint32_t completion_head_ = 0;  // next completion slot
    uint16_t generation_ = 1;       // of that slot
    bool live_ = false;
    // Completions of a packet that the driver does not see yet.
    std::array<RxCompletion, kMostBuffers> rest_;
    uint32_t rest_count_ = 0;
    Rest rest_comes_ = Rest::kAtOnce;
    bool seen_in_part_ = false;        // the driver has seen its first one
    std::vector<uint32_t> posted_at_;  // of each index of the buffer ring, on the witness's clock

    // For mutations only.
    bool hit_ = false;                // the packet at hand is one of those that are hit
    bool kept_ = false;               // a buffer is, for a mutation
    uint64_t last_address_ = 0;       // first buffer of the last packet with payload
    std::set<uint64_t> left_posted_;  // buffers that the queue had when it was destroyed
    std::deque<uint64_t> late_;       // of these, those that were filled since, to be written again
};

}  // namespace zcrxlab::nic::gve
