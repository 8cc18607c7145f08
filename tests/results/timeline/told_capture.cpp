// The capture of told_trace(), built byte by byte and with none of the code under test.
#include "tests/results/timeline/told_capture.hpp"

#include <string_view>

#include "tests/results/timeline/told_trace.hpp"

namespace zcrxlab {

namespace {

// `bytes` of `value`, the lowest first.
std::string little(uint64_t value, unsigned bytes) {
    std::string out;
    for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}
std::string big(uint64_t value, unsigned bytes) {
    const std::string out = little(value, bytes);
    return {out.rbegin(), out.rend()};
}
std::string padded(std::string text) {
    text.resize((text.size() + 3) / 4 * 4, '\0');
    return text;
}

std::string block(uint32_t type, const std::string& body) {
    const std::string length = little(body.size() + 12, 4);
    return little(type, 4) + length + body + length;
}
std::string option(unsigned code, std::string_view text) {
    return little(code, 2) + little(text.size(), 2) + padded(std::string(text));
}

// A TCP segment over IPv4 from port 40000 to port 9999; of its payload nothing is kept.
std::string segment(unsigned flags, uint32_t sequence) {
    return std::string(12, '\x02') + big(0x0800, 2) + "\x45" + std::string(1, '\0') + big(40, 2) +
           big(0, 4) + "\x40\x06" + big(0, 2) + big(0xc0000202, 4) + big(0xc0000201, 4) +
           big(40000, 2) + big(9999, 2) + big(sequence, 4) + big(0, 4) + "\x50" +
           static_cast<char>(flags) + big(512, 2) + big(0, 4);
}

std::string packet(int64_t guest, const std::string& kept, uint32_t length,
                   std::string_view comment = {}) {
    const auto time = static_cast<uint64_t>(guest + kWallAhead);
    std::string body = little(0, 4) + little(time >> 32, 4) + little(time, 4) +
                       little(kept.size(), 4) + little(length, 4) + padded(kept);
    if (!comment.empty()) body += option(1, comment) + option(0, "");
    return block(6, body);
}

}  // namespace

std::string told_capture() {
    const std::string syn = segment(2, 0), data = segment(0x18, 1);
    const auto headers = static_cast<uint32_t>(data.size());
    return block(0x0a0d0d0a,
                 little(0x1a2b3c4d, 4) + little(1, 2) + little(0, 2) + little(~uint64_t{0}, 8)) +
           block(1,
                 little(1, 2) + little(0, 2) + little(128, 4) + option(9, "\x09") + option(0, "")) +
           packet(kToldBegin + 4'000'000, syn, headers) +
           packet(kToldBegin + kToldData + 100'000, data, headers + 4096) +
           packet(kToldBegin + kToldData + 200'000, data, headers + 4096, "fault 3: drop");
}

}  // namespace zcrxlab
