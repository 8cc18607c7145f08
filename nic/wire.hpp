// Wire: the two interfaces between a NIC model and the cable behind it.
//
// A model hands frames to its WirePort as its driver made them; the wire cuts them (TSO), applies
// faults, captures, coalesces (RSC), chooses the queue and the split, and gives the other model a
// Delivery in which everything is decided. A model therefore knows rings and buffers only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nic/command_faults.hpp"

namespace zcrxlab::nic {

inline constexpr size_t kMaximumFrame = 256 * 1024;  // bytes, headers included; longer is refused

// A frame as a driver gave it, Ethernet header first, no FCS.
struct Outgoing {
    std::vector<std::byte> bytes;
    uint16_t queue = 0;     // transmit queue it came from
    uint16_t mss = 0;       // not 0: cut the TCP payload into segments of this size
    bool checksum = false;  // compute the TCP or UDP checksum (field holds the pseudo header sum)
    bool ip_checksum = false;  // compute the checksum of the IPv4 header
    // With mss: bytes of headers as the driver says, and the descriptor that says so. 0: none does.
    uint16_t header_length = 0;
    uint32_t descriptor = 0;
};

enum class ChecksumState : uint8_t {
    kUnknown,
    kGood,
    kBad
};  // kUnknown: not TCP or UDP, or fragment
enum class L3 : uint8_t { kOther, kIpv4, kIpv6 };
enum class L4 : uint8_t { kOther, kTcp, kUdp, kIcmp, kFragment };
enum class RssType : uint8_t { kNone, kIpv4, kTcp4, kUdp4, kIpv6, kTcp6, kUdp6 };
// A set of them has a bit for each.
constexpr uint8_t rss_bit(RssType type) {
    return static_cast<uint8_t>(1U << static_cast<unsigned>(type));
}
inline constexpr uint8_t kAllRssTypes = 0x7e;

// Which segments are coalesced, beside what TCP says of them.
struct RscLimits {
    uint32_t segments = std::numeric_limits<uint32_t>::max();  // of a packet, at most; not 0
    uint32_t shortest = 0;  // bytes of payload: no packet begins with a shorter segment
};

// When the buffers of a packet behind its first one are completed.
enum class Rest : uint8_t {
    kAtOnce,     // with the first one
    kWhenSeen,   // fault: once the driver has seen the first one alone, or the next packet comes
    kWithNext,   // fault: when the next packet comes, and not before
    kOvertaken,  // fault: the first one neither, but all of them behind the next packet
};

// A packet that arrived, and all that was decided about it.
struct Delivery {
    std::span<const std::byte> bytes;  // valid during the call
    uint64_t packet = 0;               // DmaLogEntry::packet
    uint16_t queue = 0;                // receive queue, below ReceiveSettings::queues
    uint16_t header_length = 0;        // split here; 0 = do not split
    uint16_t rsc_mss = 0;              // not 0: several segments in one, this was their size
    bool rsc_begins = false;  // coalescing is on, and it is what a coalesced packet begins with
    L3 l3 = L3::kOther;
    L4 l4 = L4::kOther;
    ChecksumState ip_checksum = ChecksumState::kUnknown;
    ChecksumState l4_checksum = ChecksumState::kUnknown;
    RssType rss_type = RssType::kNone;
    uint32_t rss_hash = 0;
    std::optional<uint32_t> rule = {};  // location of the flow rule that chose the queue; none: RSS
    uint32_t flow = 0;                  // DmaLogEntry::flow
    uint32_t tcp_sequence = 0;          // of the first payload byte
    uint16_t l3_offset = 0;             // where IP begins in `bytes`
    uint16_t l4_offset = 0;             // where the header behind it does
    uint16_t payload_offset = 0;  // where payload begins in `bytes`, whether or not it is split
    uint32_t trailing = 0;        // bytes of `bytes` behind a TCP segment: of the frame only
    // How many of the `length` bytes from `begin` on lie in front of these. The witness is told of
    // no other: padding must never be taken for bytes of the stream.
    uint32_t without_trailing(size_t begin, uint32_t length) const {
        const size_t end = bytes.size() - trailing;
        return begin < end ? static_cast<uint32_t>(std::min<size_t>(length, end - begin)) : 0;
    }
    uint32_t fault = 0;           // rule that touched it, for the log
    bool no_buffer = false;       // fault: behave as if the ring were empty
    bool lose_interrupt = false;  // fault: complete it, but raise nothing
    bool empty_buffer = false;    // fault: one more buffer ends the packet, without a byte in it
    // Fault: this buffer, or the last one if there are fewer, is not written, and completed with an
    // error.
    std::optional<uint16_t> bad_buffer = {};
    bool bad_headers = false;  // fault: as bad_buffer, of the buffer for headers that are split off
    bool foreign_tag = false;  // fault: of a tag that is taken off another protocol is told
    Rest rest = Rest::kAtOnce;
};

// What became of a Delivery.
enum class Accepted : uint8_t { kYes, kNoBuffer, kBadAddress, kQueueOff, kTooLong, kNotRunning };

// A flow rule in the shape that every NIC's can be reduced to. Masks are per bit; 0 = any.
struct FlowRule {
    uint32_t location = 0;
    uint16_t queue = 0;
    L3 l3 = L3::kIpv4;
    L4 l4 = L4::kTcp;                               // kOther: any
    uint8_t source[16] = {}, source_mask[16] = {};  // IPv4: first 4 bytes
    uint8_t destination[16] = {}, destination_mask[16] = {};
    uint16_t source_port = 0, source_port_mask = 0;  // host order
    uint16_t destination_port = 0, destination_port_mask = 0;
    uint8_t traffic_class = 0, traffic_class_mask = 0;  // TOS or traffic class
    // Not empty: the hash by this key chooses of these queues, and `queue` says nothing. As
    // ReceiveSettings has them.
    std::vector<uint8_t> rss_key = {};
    std::vector<uint16_t> rss_table = {};
    uint8_t rss_types = kAllRssTypes;
    uint16_t queue_without_hash = 0;
};

// How a port receives; set by the model when its driver says so.
struct ReceiveSettings {
    uint16_t queues = 0;        // active receive queues; 0 = nothing is delivered
    bool header_split = false;  // split TCP packets behind their TCP header
    bool rsc = false;           // coalesce in-order segments
    RscLimits rsc_limits = {};
    uint16_t mtu = 1500;              // longer packets (+14, +4 with a VLAN tag) are dropped
    std::vector<uint8_t> rss_key;     // Toeplitz key, 40 bytes
    std::vector<uint16_t> rss_table;  // hash -> queue, size a power of two
    // What is hashed. TCP and UDP that are not among these are hashed as any IP, by addresses only;
    // what is not hashed in either way has no hash.
    uint8_t rss_types = kAllRssTypes;
    uint16_t queue_without_hash = 0;  // also of what is no IP
    std::vector<FlowRule> rules;      // first match by location wins, before RSS
};

// The device's end of the cable. Called by a NIC model.
class WirePort {
  public:
    virtual ~WirePort() = default;
    virtual void transmit(Outgoing&& frame) = 0;
    // The burst is over: the other end raises its interrupts. What it holds back to be coalesced
    // with what comes later stays held.
    virtual void flush() = 0;
    virtual void set_receive(const ReceiveSettings& settings) = 0;
};

// A NIC model as the cable and the control channel see it.
class WireDevice {
  public:
    virtual ~WireDevice() = default;
    virtual Accepted deliver(const Delivery& delivery) = 0;
    // Everything delivered in this burst is done: raise the interrupts that are due.
    virtual void end_of_burst() = 0;
    virtual void set_link(bool up) = 0;
    // The device reports itself broken, so that its driver resets it.
    virtual void request_reset() = 0;
    // The device dies: it tells its driver so, if that can still be told, and from then on does and
    // answers nothing, until the driver has switched bus mastering off and on again. False, and
    // nothing is done, if it cannot be told, or if devices of this kind do not die so.
    virtual bool die() = 0;
    // Which commands of its driver the device is to refuse; null where a driver has none to give.
    virtual CommandFaults* command_faults() = 0;
    // Counters for the log and the control channel: name and value.
    virtual std::vector<std::pair<std::string, uint64_t>> counters() const = 0;
};

// Where DMA writes of packet bytes are reported. Implemented by the wire's DMA log.
class DmaWitness {
  public:
    virtual ~DmaWitness() = default;
    enum class Kind : uint8_t { kPayload = 1, kHeader = 2, kUnsplit = 3 };  // as DmaKind
    // `stream_offset`: bytes between the packet's first payload byte and the first one written
    // here. `address`: a model's bus address; the log itself takes a physical one
    // (nic/physical_witness.hpp). `posted`: microseconds() when the driver posted the buffer; 0 =
    // not known.
    virtual void wrote(Kind kind, uint64_t address, uint32_t length, const Delivery& delivery,
                       uint32_t stream_offset, uint32_t posted) = 0;
    // The clock of the log, modulo 2^32; never 0.
    virtual uint32_t microseconds() const = 0;
};

}  // namespace zcrxlab::nic
