// The kinds of faults: their names, and the parameters that each of them has.
#include "harness/faults/fault_rule.hpp"

#include <algorithm>
#include <array>

namespace zcrxlab {
namespace {

struct KindRow {
    std::string_view name;
    FaultRule defaults;  // a parameter that is empty here is none of this kind's
};

// By the number of the kind.
constexpr std::array kKinds = {
    KindRow{"drop", {.what = FaultKind::kDrop}},
    KindRow{"duplicate", {.what = FaultKind::kDuplicate}},
    KindRow{"delay", {.what = FaultKind::kDelay, .frames = 8, .milliseconds = 20}},
    KindRow{"reorder", {.what = FaultKind::kReorder, .frames = 1, .milliseconds = 20}},
    KindRow{"corrupt", {.what = FaultKind::kCorrupt, .bytes = 0}},
    KindRow{"no_split", {.what = FaultKind::kNoSplit}},
    KindRow{"split_early", {.what = FaultKind::kSplitEarly, .bytes = 8}},
    KindRow{"split_late", {.what = FaultKind::kSplitLate, .bytes = 8}},
    KindRow{"wrong_queue", {.what = FaultKind::kWrongQueue, .to = 0}},
    KindRow{"no_buffer", {.what = FaultKind::kNoBuffer}},
    KindRow{"lose_interrupt", {.what = FaultKind::kLoseInterrupt}},
    KindRow{"link_flap", {.what = FaultKind::kLinkFlap, .milliseconds = 100}},
    KindRow{"reset", {.what = FaultKind::kReset}},
    KindRow{"half_packet", {.what = FaultKind::kHalfPacket}},
    KindRow{"stuck_packet", {.what = FaultKind::kStuckPacket}},
    KindRow{"empty_buffer", {.what = FaultKind::kEmptyBuffer}},
    KindRow{"buffer_error", {.what = FaultKind::kBufferError, .buffer = 1}},
    KindRow{"overtaken", {.what = FaultKind::kOvertaken}},
    KindRow{"header_error", {.what = FaultKind::kHeaderError}},
    KindRow{"foreign_tag", {.what = FaultKind::kForeignTag}},
};

constexpr auto kList = [] {
    std::array<FaultKind, kKinds.size()> list{};
    for (size_t i = 0; i < kKinds.size(); ++i) list.at(i) = kKinds.at(i).defaults.what;
    return list;
}();
static_assert(std::ranges::is_sorted(kList) && kList.back() == FaultKind::kForeignTag &&
              kList.size() == static_cast<size_t>(FaultKind::kForeignTag) + 1);

const KindRow& row_of(FaultKind kind) {
    return kKinds.at(static_cast<size_t>(kind));
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
    return kList;
}

std::string_view fault_name(FaultKind kind) {
    return row_of(kind).name;
}

std::string_view fault_protocol_name(FaultProtocol protocol) {
    switch (protocol) {
        case FaultProtocol::kTcp:
            return "tcp";
        case FaultProtocol::kUdp:
            return "udp";
        case FaultProtocol::kIcmp:
            return "icmp";
    }
    return "unknown";
}

FaultRule default_rule(FaultKind kind) {
    return row_of(kind).defaults;
}

FaultRule with_defaults(FaultRule rule) {
    const FaultRule& defaults = row_of(rule.what).defaults;
    if (!rule.bytes) rule.bytes = defaults.bytes;
    if (!rule.frames) rule.frames = defaults.frames;
    if (!rule.milliseconds) rule.milliseconds = defaults.milliseconds;
    if (!rule.to) rule.to = defaults.to;
    if (!rule.buffer) rule.buffer = defaults.buffer;
    return rule;
}

}  // namespace zcrxlab
