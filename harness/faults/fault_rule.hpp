// FaultRule: which packets a device of ours harms, and how. Scenarios build it, devices take it.
//
// What each kind and each condition does is in nic/control/README.md. This file has their names,
// units and ranges, and no other one has.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

enum class FaultKind : uint8_t {
    kDrop,
    kDuplicate,
    kDelay,
    kReorder,
    kCorrupt,
    kNoSplit,
    kSplitEarly,
    kSplitLate,
    kWrongQueue,
    kNoBuffer,
    kLoseInterrupt,
    kLinkFlap,
    kReset,
    kHalfPacket,
    kStuckPacket,
    kEmptyBuffer,
    kBufferError,
    kOvertaken,
    kHeaderError,
    kForeignTag,
};

enum class FaultFamily : uint8_t { kIpv4 = 4, kIpv6 = 6 };
enum class FaultProtocol : uint8_t { kTcp, kUdp, kIcmp };  // kIcmp: of either family

// What a parameter can be, both ends included.
struct FaultRange {
    uint64_t low = 0;
    uint64_t high = std::numeric_limits<uint64_t>::max();

    constexpr bool contains(uint64_t value) const { return low <= value && value <= high; }
};

namespace fault_range {
inline constexpr FaultRange kPort{0, 1};
inline constexpr FaultRange kBytes{0, 256 * 1024};  // the longest frame that a device of ours takes
inline constexpr FaultRange kFrames{1, 1'000'000};
inline constexpr FaultRange kMilliseconds{0, 600'000};
inline constexpr FaultRange kQueue{0, 0xffff};
inline constexpr FaultRange kBuffer{0, 127};      // of a packet, the first is 0
inline constexpr FaultRange kTcpPort{0, 0xffff};  // of UDP, too
inline constexpr FaultRange kEvery{1, std::numeric_limits<int32_t>::max()};
inline constexpr FaultRange kAny{};
}  // namespace fault_range

// A rule acts on packets that meet all of its conditions. An empty one is met by every packet.
struct FaultMatch {
    static constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

    std::optional<FaultProtocol> protocol = {};
    std::optional<bool> payload = {};  // of TCP or UDP; false: packets without
    std::optional<uint16_t> queue = {};
    std::optional<FaultFamily> family = {};
    std::optional<uint16_t> source_port = {};
    std::optional<uint16_t> destination_port = {};
    // Of the packets that match: the first `skip` pass, then each `every`th is hit, with this
    // probability (0 to 1) by a generator with this seed, until there were `count` hits.
    uint64_t skip = 0;
    uint64_t every = 1;
    double probability = 1;
    uint64_t seed = 1;
    uint64_t count = kNoLimit;

    bool operator==(const FaultMatch&) const = default;
};

struct FaultRule {
    FaultKind what = FaultKind::kDrop;
    uint8_t port = 0;  // that receives the packets: 0 = the one under test, 1 = its peer
    // Parameters of some kinds only; what is not given has the default of its kind.
    std::optional<uint32_t> bytes = {};         // corrupt: offset in the payload; split_*: distance
    std::optional<uint32_t> frames = {};        // delay, reorder: so many others go first ...
    std::optional<uint32_t> milliseconds = {};  // ... or so long; link_flap: the link is down
    std::optional<uint16_t> to = {};            // wrong_queue
    std::optional<uint16_t> buffer = {};        // buffer_error: of the packet, the first is 0
    FaultMatch match = {};

    bool operator==(const FaultRule&) const = default;
};

std::span<const FaultKind> fault_kinds();
// As rules spell it: "drop", "no_split" ...
std::string_view fault_name(FaultKind kind);
std::string_view fault_protocol_name(FaultProtocol protocol);

// A rule of this kind for every packet, with each parameter that the kind has at its default.
FaultRule default_rule(FaultKind kind);
// The same rule with every parameter that its kind has.
FaultRule with_defaults(FaultRule rule);

}  // namespace zcrxlab
