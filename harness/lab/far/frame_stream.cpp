// Encodes and decodes the messages of a frame stream: lines of text, and frames with their
// lengths.
#include "harness/lab/far/frame_stream.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "harness/base/endian.hpp"
#include "harness/uapi/virtio_header.hpp"

namespace zcrxlab {
namespace {

constexpr std::string_view kFirstLine = "zcrx-peer: port 1";
constexpr std::string_view kLastLine = "zcrx-peer: end";
// Of greetings and all.
constexpr size_t kLongestHello = 65536;
constexpr size_t kLength = 4;
constexpr size_t kEthernetAddresses = 12;  // the tag comes behind them
constexpr size_t kTag = 4;

static_assert(sizeof(VirtioHeader) == kVirtioHeader);

// Each is one line, and a terminal is told nothing by it.
std::string on_a_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
}

void take_line(std::string_view line, FarPort& port) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    const std::string_view name = line.substr(0, space);
    const std::string value = on_a_line(std::string(line.substr(space + 1)));
    if (name == "interface") port.interface = value;
    if (name == "address") port.address = value;
    if (name == "driver") port.driver = value;
    if (name == "mtu") std::from_chars(value.data(), value.data() + value.size(), port.mtu);
    if (name == "refusal") port.refusals.emplace_back(value);
}

}  // namespace

std::string to_text(const FarPort& port) {
    std::string text(kFirstLine);
    text += "\ninterface " + on_a_line(port.interface) + "\naddress " + on_a_line(port.address) +
            "\ndriver " + on_a_line(port.driver) + "\nmtu " + std::to_string(port.mtu) + "\n";
    for (const std::string& refusal : port.refusals) text += "refusal " + on_a_line(refusal) + "\n";
    return text.append(kLastLine) + "\n";
}

Result<std::optional<FarPort>> far_port_from(std::string_view text) {
    std::optional<FarPort> port;
    std::string_view rest = text;
    for (;;) {
        const size_t end = rest.find('\n');
        if (end == std::string_view::npos) break;
        std::string_view line = rest.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        rest.remove_prefix(end + 1);
        if (line == kFirstLine) port.emplace();
        if (port && line == kLastLine) return port;
        if (port) take_line(line, *port);
    }
    if (text.size() > kLongestHello)
        return Error{EPROTO, "The other machine says something else than zcrx-peer would."};
    return std::optional<FarPort>();
}

void append_frame(std::vector<std::byte>& stream, std::span<const std::byte> frame) {
    const Be32 length(static_cast<uint32_t>(frame.size()));
    const auto bytes = std::as_bytes(std::span(&length, 1));
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    stream.insert(stream.end(), frame.begin(), frame.end());
}

void FrameReader::feed(std::span<const std::byte> bytes) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<std::span<const std::byte>>> FrameReader::next() {
    const std::span<const std::byte> rest = std::span(bytes_).subspan(at_);
    std::optional<std::span<const std::byte>> frame;
    if (rest.size() < kLength) return frame;
    Be32 length;
    std::memcpy(&length, rest.data(), sizeof length);
    const size_t size = length;
    if (size > kLongestFrame || (size > 0 && size <= kVirtioHeader))
        return Error{EPROTO, "The other machine announces a frame of " + std::to_string(size) +
                                 " bytes, which is none."};
    if (rest.size() < kLength + size) return frame;
    at_ += kLength + size;
    frame = rest.subspan(kLength, size);
    return frame;
}

void put_tag_back(std::vector<std::byte>& frame, uint16_t protocol, uint16_t tag) {
    constexpr size_t kPlace = kVirtioHeader + kEthernetAddresses;
    if (frame.size() < kPlace + 2) return;
    const std::array<Be16, 2> bytes{Be16(protocol), Be16(tag)};
    static_assert(sizeof bytes == kTag);
    const auto raw = std::as_bytes(std::span(bytes));
    frame.insert(frame.begin() + kPlace, raw.begin(), raw.end());
    VirtioHeader header;
    std::memcpy(&header, frame.data(), sizeof header);
    const auto move = [](uint16_t& offset) { offset = static_cast<uint16_t>(offset + kTag); };
    if ((header.flags & VirtioHeader::kNeedsChecksum) != 0) move(header.checksum_start);
    if (header.header_length != 0) move(header.header_length);
    std::memcpy(frame.data(), &header, sizeof header);
}

}  // namespace zcrxlab
