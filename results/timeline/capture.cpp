// Reads wire.pcapng, and finds in each frame what a person wants to know of it.
//
// Block types and options are those of draft-ietf-opsawg-pcapng, sections 4.1 to 4.3. Frames are
// cut after their headers, so what IP says of its length is not compared with what is there.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/base/endian.hpp"
#include "harness/report/report.hpp"
#include "results/timeline/recording.hpp"

namespace zcrxlab {

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr uint32_t kEnhancedPacket = 6;
constexpr uint16_t kOptionComment = 1;
constexpr size_t kSmallestBlock = 12;
constexpr size_t kPacketHeader = 28;  // of an enhanced packet block, in front of the frame
constexpr size_t kTrailer = 4;        // the block's length once more

// The integer at `at`, which is there.
template <typename T>
auto get(Bytes bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value.get();
}

size_t padded(size_t size) {
    return (size + 3) & ~size_t{3};
}

std::string address_of(Bytes bytes, bool four) {
    std::string text;
    if (four) {
        for (size_t i = 0; i < 4; ++i)
            text += fmt::format("{}{}", i == 0 ? "" : ".", std::to_integer<unsigned>(bytes[i]));
        return text;
    }
    // The longest run of zero groups is left out (RFC 5952).
    size_t best = 8, longest = 1;
    for (size_t from = 0; from < 8; ++from) {
        size_t to = from;
        while (to < 8 && get<Be16>(bytes, 2 * to) == 0) ++to;
        if (to - from > longest) best = from, longest = to - from;
    }
    for (size_t i = 0; i < 8; ++i) {
        if (i == best) {
            text += "::";
            i += longest - 1;
            continue;
        }
        if (!text.empty() && text.back() != ':') text += ':';
        text += fmt::format("{:x}", get<Be16>(bytes, 2 * i));
    }
    return text;
}

std::string flags_of(uint8_t set) {
    constexpr std::string_view kLetters = "FSRPAUEC";  // from the lowest bit up
    std::string text;
    for (size_t bit = 0; bit < kLetters.size(); ++bit)
        if ((set >> bit & 1) != 0) text += kLetters[bit];
    return text;
}

std::string name_of_protocol(uint8_t protocol) {
    if (protocol == 1) return "ICMP";
    if (protocol == 58) return "ICMPv6";
    // What asks for group membership stands behind options for every hop.
    if (protocol == 0) return "IPv6 options";
    return fmt::format("protocol {}", protocol);
}

// The rest of a frame that is TCP or UDP over IP; `l4` is where that header begins, `end` where the
// packet does.
void describe_transport(Bytes bytes, size_t l4, size_t end, uint8_t protocol, bool four,
                        const std::string& from, const std::string& to, Frame& frame) {
    constexpr uint8_t kTcp = 6, kUdp = 17;
    constexpr size_t kTcpHeader = 20, kUdpHeader = 8;
    const char* shape = four ? "{} {}:{} > {}:{}" : "{} [{}]:{} > [{}]:{}";
    if (protocol == kTcp && l4 + kTcpHeader <= bytes.size()) {
        const size_t header = (std::to_integer<size_t>(bytes[l4 + 12]) >> 4) * 4;
        const auto flags = std::to_integer<uint8_t>(bytes[l4 + 13]);
        frame.family = four ? 4 : 6;
        frame.source_port = get<Be16>(bytes, l4);
        frame.destination_port = get<Be16>(bytes, l4 + 2);
        frame.sequence = get<Be32>(bytes, l4 + 4);
        frame.payload = static_cast<uint32_t>(end - std::min(end, l4 + header));
        frame.syn = (flags & 2) != 0;
        frame.ack = (flags & 16) != 0;
        frame.text = fmt::format(fmt::runtime(shape), "TCP", from, frame.source_port, to,
                                 frame.destination_port) +
                     fmt::format(" [{}] sequence {} length {}", flags_of(flags), frame.sequence,
                                 frame.payload);
    } else if (protocol == kUdp && l4 + kUdpHeader <= bytes.size()) {
        frame.text = fmt::format(fmt::runtime(shape), "UDP", from, get<Be16>(bytes, l4), to,
                                 get<Be16>(bytes, l4 + 2)) +
                     fmt::format(" length {}", end - std::min(end, l4 + kUdpHeader));
    } else {
        frame.text = fmt::format("{} {} > {} length {}", name_of_protocol(protocol), from, to,
                                 end - std::min(end, l4));
    }
}

void describe(Bytes bytes, Frame& frame) {
    constexpr size_t kEthernet = 14, kTag = 4, kIpv4 = 20, kIpv6 = 40;
    frame.text = fmt::format("a frame of {} bytes", frame.length);
    if (bytes.size() < kEthernet) return;
    size_t at = kEthernet;
    uint16_t type = get<Be16>(bytes, at - 2);
    for (int tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8); ++tags) {
        if (bytes.size() < at + kTag) return;
        at += kTag;
        type = get<Be16>(bytes, at - 2);
    }
    const size_t wire_end = frame.length;
    if (type == 0x0800 && bytes.size() >= at + kIpv4) {
        const size_t header = (std::to_integer<size_t>(bytes[at]) & 15) * 4;
        const bool later_fragment = (get<Be16>(bytes, at + 6) & 0x1fff) != 0;
        // Behind a packet shorter than the smallest frame is padding; one still to be cut can be
        // longer than the field can say.
        const size_t said = at + get<Be16>(bytes, at + 2);
        const size_t end = wire_end <= 60 ? std::min(said, wire_end) : wire_end;
        describe_transport(bytes, later_fragment ? bytes.size() : at + header, end,
                           std::to_integer<uint8_t>(bytes[at + 9]), true,
                           address_of(bytes.subspan(at + 12), true),
                           address_of(bytes.subspan(at + 16), true), frame);
    } else if (type == 0x86dd && bytes.size() >= at + kIpv6) {
        describe_transport(bytes, at + kIpv6, wire_end, std::to_integer<uint8_t>(bytes[at + 6]),
                           false, address_of(bytes.subspan(at + 8), false),
                           address_of(bytes.subspan(at + 24), false), frame);
    } else if (type == 0x0806) {
        frame.text = "ARP";
    } else {
        frame.text = fmt::format("a frame of type {:#06x}, {} bytes", type, frame.length);
    }
}

// The first comment among the options of a packet.
std::string comment_in(Bytes options) {
    while (options.size() >= 4) {
        const uint16_t code = get<Le16>(options, 0);
        const size_t length = get<Le16>(options, 2);
        if (code == 0 || 4 + length > options.size()) break;
        if (code == kOptionComment)
            return on_one_line({reinterpret_cast<const char*>(options.data() + 4), length});
        options = options.subspan(std::min(options.size(), 4 + padded(length)));
    }
    return {};
}

std::optional<Frame> frame_of(Bytes block) {
    if (block.size() < kPacketHeader + kTrailer) return {};
    Frame frame;
    frame.port = get<Le32>(block, 8);
    frame.nanoseconds = uint64_t{get<Le32>(block, 12)} << 32 | get<Le32>(block, 16);
    const size_t captured = get<Le32>(block, 20);
    frame.length = get<Le32>(block, 24);
    Bytes rest = block.subspan(kPacketHeader, block.size() - kPacketHeader - kTrailer);
    if (captured > rest.size() || captured > frame.length || frame.nanoseconds >= kLatestTime)
        return {};
    describe(rest.first(captured), frame);
    frame.harmed = comment_in(rest.subspan(std::min(rest.size(), padded(captured))));
    // What was written into the capture by hand has no bytes.
    if (frame.length == 0) frame.text = std::exchange(frame.harmed, {});
    return frame;
}

}  // namespace

Result<Capture> read_capture(Bytes bytes) {
    if (bytes.size() < kSmallestBlock || get<Le32>(bytes, 0) != kSectionHeader ||
        get<Le32>(bytes, 8) != kByteOrderMagic)
        return Error{EINVAL, "it is no little-endian pcapng, which the emulated NIC writes"};
    Capture capture;
    while (!bytes.empty()) {
        const size_t length = bytes.size() < kSmallestBlock ? 0 : get<Le32>(bytes, 4);
        if (length > bytes.size() || bytes.size() < kSmallestBlock) {
            capture.cut = true;
            break;
        }
        if (length < kSmallestBlock || length % 4 != 0 ||
            get<Le32>(bytes, length - kTrailer) != length)
            return Error{EINVAL, fmt::format("block {} of it is damaged: its two lengths differ",
                                             capture.frames.size() + 1)};
        if (get<Le32>(bytes, 0) == kEnhancedPacket) {
            std::optional<Frame> frame = frame_of(bytes.first(length));
            if (!frame)
                return Error{EINVAL, fmt::format("packet {} of it makes no sense",
                                                 capture.frames.size() + 1)};
            capture.frames.push_back(std::move(*frame));
        }
        bytes = bytes.subspan(length);
    }
    return capture;
}

}  // namespace zcrxlab
