// Frames and fault rules of a fuzz target's program: right ones, and then as wrong as it says.
#pragma once

#include "harness/faults/fault_rule.hpp"
#include "tests/fuzz/program.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {

// Bits of the number that says what a frame is.
enum FrameKind : unsigned {
    kFrameUdp = 1,
    kFrameIpv6 = 2,
    kFrameVlan = 4,
    kFrameIpOptions = 8,  // IPv6: an extension header
    kFrameTimestamp = 16,
    kFrameFragment = 32,  // IPv6 with options: a fragment header
    kFrameIcmp = 64,
    kFrameTwoTags = 128,
};

// KIND FLAGS LENGTH DAMAGES, and for each damage: its PLACE and VALUE. LENGTH has two digits, the
// first counts 256. FLAGS are those of TCP, ACK besides. The frame begins at `sequence` of its
// stream.
inline BuiltFrame frame_from(Program& program, uint32_t sequence) {
    const unsigned kind = program.number();
    FrameShape shape;
    shape.sequence = sequence;
    shape.family = (kind & kFrameIpv6) != 0 ? 6 : 4;
    shape.vlan_tags = ((kind & kFrameVlan) != 0 ? 1 : 0) + ((kind & kFrameTwoTags) != 0 ? 2 : 0);
    shape.protocol = (kind & kFrameUdp) != 0 ? 17 : 6;
    if ((kind & kFrameIcmp) != 0) shape.protocol = shape.family == 4 ? 1 : 58;
    const bool fragment = (kind & kFrameFragment) != 0;
    if (fragment) shape.fragment = 0x2000;
    if ((kind & kFrameIpOptions) != 0) {
        shape.ip_options.assign(8, std::byte{shape.family == 4});  // NOPs
        if (shape.family == 6) {
            shape.ip_options[0] = std::byte(shape.protocol);
            shape.ip_options[1] = std::byte{0};
            if (fragment) shape.ip_options[2] = std::byte{8};
            shape.first_header = fragment ? 44 : 60;
        }
    }
    if ((kind & kFrameTimestamp) != 0) shape.tcp_options = timestamp_option();
    shape.flags = 0x10U ^ program.number();
    shape.payload = stream_bytes(sequence, program.wide());
    BuiltFrame frame = build_frame(shape);
    for (unsigned left = program.number() % 8; left > 0; --left) {
        const size_t place = program.number() % frame.bytes.size();
        frame.bytes[place] = std::byte{program.number()};
    }
    return frame;
}

// WHAT SKIP EVERY PROBABILITY BYTES FRAMES MILLISECONDS QUEUE; PROBABILITY is in 200ths.
inline FaultRule rule_from(Program& program, unsigned port) {
    FaultRule rule;
    rule.what = fault_kinds()[program.number() % fault_kinds().size()];
    rule.port = static_cast<uint8_t>(port);
    rule.match.skip = program.number() % 4;
    rule.match.every = 1 + program.number() % 4;
    if (const uint8_t chance = program.number(); chance != 0)
        rule.match.probability = std::min(1.0, chance / 200.0);
    rule.bytes = program.number();
    rule.frames = program.number();
    rule.milliseconds = program.number();
    rule.to = program.number();
    return rule;
}

}  // namespace zcrxlab::nic
