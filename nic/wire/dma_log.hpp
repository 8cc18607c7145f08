// DmaLog: the newest DMA writes of packet bytes of both ports, and the TCP flows they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/base/mapping.hpp"
#include "harness/trace/dma_log.hpp"
#include "nic/wire.hpp"
#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

class DmaLog {
  public:
    static constexpr size_t kDefaultEntries = 1U << 20;  // 56 MiB, touched only as it fills
    static constexpr size_t kMaximumFlows = 1U << 16;    // the oldest are forgotten

    // What a reader gets: entries in order, and every flow that they name.
    struct Extract {
        uint64_t first = 0;   // sequence of the first entry here; 0 if there is none
        uint64_t last = 0;    // sequence of the last entry here, else what was asked for
        uint64_t newest = 0;  // sequence of the newest entry that the device has written
        uint64_t lost = 0;    // entries after the one asked for that are gone
        std::vector<DmaLogEntry> entries;
        std::vector<DmaLogFlow> flows;
    };

    // `capacity`: entries kept, rounded up to a power of two. `clock`: nanoseconds, never going
    // back; without one, entries have no times.
    explicit DmaLog(size_t capacity = kDefaultEntries, std::function<uint64_t()> clock = {});

    // Where the device at `port` (0 or 1) reports its writes; lives as long as this.
    DmaWitness& witness(unsigned port) { return port == 0 ? witness0_ : witness1_; }

    // Index of the one-way flow of a TCP packet, made if it is new; a SYN with another sequence
    // number makes a new one. 0 if it is not TCP.
    uint32_t flow_of(const ParsedHeaders& headers);

    // At most `limit` entries with a sequence above `after`.
    Extract extract(uint64_t after, size_t limit) const;
    uint64_t newest() const { return newest_; }
    uint32_t microseconds() const;

  private:
    class PortWitness : public DmaWitness {
      public:
        PortWitness(DmaLog& log, uint8_t port) : log_(log), port_(port) {}
        void wrote(Kind kind, uint64_t address, uint32_t length, const Delivery& delivery,
                   uint32_t stream_offset, uint32_t posted) override;
        uint32_t microseconds() const override { return log_.microseconds(); }

      private:
        DmaLog& log_;
        uint8_t port_;
    };

    struct Tuple {
        uint8_t addresses[32] = {};
        uint16_t source_port = 0;
        uint16_t destination_port = 0;
        uint8_t family = 0;

        bool operator==(const Tuple& other) const = default;
    };
    struct TupleHash {
        size_t operator()(const Tuple& tuple) const;
    };

    static Tuple tuple_of(const ParsedHeaders& headers);
    static Tuple tuple_of(const DmaLogFlow& flow);
    const DmaLogFlow* find_flow(uint32_t flow) const;
    uint32_t add_flow(const Tuple& tuple, const ParsedHeaders& headers);

    size_t capacity_;
    std::function<uint64_t()> clock_;
    Mapping memory_;
    std::span<DmaLogEntry> ring_;  // entry with sequence s is at (s - 1) % capacity_
    uint64_t newest_ = 0;

    std::deque<DmaLogFlow> flows_;  // consecutive indices
    uint32_t last_flow_ = 0;
    std::unordered_map<Tuple, uint32_t, TupleHash> by_tuple_;
    Tuple cached_tuple_;
    uint32_t cached_flow_ = 0;

    PortWitness witness0_{*this, 0};
    PortWitness witness1_{*this, 1};
};

}  // namespace zcrxlab::nic
