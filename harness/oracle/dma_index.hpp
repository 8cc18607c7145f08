// DmaIndex: finds in the device's log where it wrote a byte of a stream.
//
// Sequence numbers of TCP have 32 bits, so positions are compared modulo 2^32; the page tells apart
// what is 4 GiB away.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

// No packet is longer, coalesced or not: an entry that claims to be is damaged and proves nothing.
inline constexpr uint32_t kLongestDmaWrite = 1U << 20;

// The payload of one DMA write that belongs to a stream.
struct PayloadWrite {
    const DmaLogEntry* entry = nullptr;
    uint64_t address = 0;   // guest address of the first payload byte
    uint32_t position = 0;  // its stream position modulo 2^32
    uint32_t length = 0;    // payload bytes
    uint32_t stream = 0;

    // How far `at` lies behind the first byte; `length` or more if it is not inside.
    uint32_t distance_to(uint64_t at) const { return static_cast<uint32_t>(at) - position; }
    bool covers(uint64_t at) const { return distance_to(at) < length; }
};

// Bytes [from, to) of a stream.
struct PositionRange {
    uint64_t from = 0;
    uint64_t to = 0;
};

class DmaIndex {
  public:
    // `events` must outlive the index.
    explicit DmaIndex(Events events);

    bool has_log() const { return has_log_; }  // there was a DmaWrites event, maybe an empty one
    uint64_t lost() const { return lost_; }    // entries that the device's ring no longer had
    bool knows(uint32_t stream) const { return flow_of_.contains(stream); }

    // The stream that an entry's flow belongs to, and its payload as a write; nothing if there is
    // no such stream or no payload.
    std::optional<PayloadWrite> payload_of(const DmaLogEntry& entry) const;

    // The parts of `length` bytes from `position` that no split write put to `address` on, in
    // order. At most one page long.
    std::vector<PositionRange> not_written_to(uint32_t stream, uint64_t position, uint64_t length,
                                              uint64_t address) const;
    // The newest write of this byte that went anywhere else than split to `address`; or nullptr.
    const PayloadWrite* written_elsewhere(uint32_t stream, uint64_t position,
                                          uint64_t address) const;
    // The first payload that was put to `address`, if none that was put there ever is of `stream`;
    // or nullptr. It looks at each write.
    const PayloadWrite* of_others_only(uint64_t address, uint32_t stream) const;
    // The highest sequence number of a split write that put this byte to `address`; 0 = none.
    uint64_t newest_to(uint32_t stream, uint64_t position, uint64_t address) const;

  private:
    void match_flows(Events events);
    void add(const DmaLogEntry& entry);
    template <typename Visit>
    void each_near(uint32_t stream, uint64_t position, uint64_t length, Visit&& visit) const;

    bool has_log_ = false;
    uint64_t lost_ = 0;
    // A flow index to its stream and initial sequence number. Several flows may be one stream (a
    // SYN sent again); a stream has at least one here if the device saw it.
    struct FlowMatch {
        uint32_t stream = 0;
        uint32_t initial_sequence = 0;
    };
    std::map<uint32_t, FlowMatch> flows_;
    std::map<uint32_t, uint32_t> flow_of_;  // a stream to one of its flows
    std::vector<PayloadWrite> writes_;
    // Stream and position / 4096 to the writes that touch these positions.
    std::unordered_map<uint64_t, std::vector<uint32_t>> near_;
};

}  // namespace zcrxlab
