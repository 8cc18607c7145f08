// Checksum: the Internet checksum (RFC 1071) of IPv4 headers and of TCP and UDP over IPv4 and IPv6.
#include "nic/wire/checksum.hpp"

#include <bit>
#include <cstring>

namespace zcrxlab::nic {
namespace {

uint16_t fold(uint64_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum);
}

uint64_t load64(const std::byte* at) {
    uint64_t value = 0;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

size_t checksum_offset(const ParsedHeaders& headers) {
    return headers.l4_offset + (headers.l4 == L4::kTcp ? kTcpChecksum : kUdpChecksum);
}

bool has_l4_checksum(const ParsedHeaders& headers) {
    return headers.l4 == L4::kTcp || headers.l4 == L4::kUdp;
}

uint16_t l4_sum(std::span<const std::byte> frame, const ParsedHeaders& headers) {
    uint32_t length = headers.end - headers.l4_offset;
    return internet_sum(frame.subspan(headers.l4_offset, length),
                        pseudo_header_sum(headers, length));
}

}  // namespace

uint16_t internet_sum(std::span<const std::byte> bytes, uint16_t initial) {
    // The sum does not care about byte order as long as it is the same everywhere (RFC 1071, 2B),
    // so native 32-bit halves are added up in 64-bit lanes that cannot overflow here.
    const std::byte* at = bytes.data();
    size_t left = bytes.size();
    uint64_t low0 = 0;
    uint64_t low1 = 0;
    uint64_t high0 = 0;
    uint64_t high1 = 0;
    for (; left >= 32; left -= 32, at += 32) {
        uint64_t a = load64(at);
        uint64_t b = load64(at + 8);
        uint64_t c = load64(at + 16);
        uint64_t d = load64(at + 24);
        low0 += (a & 0xffffffff) + (b & 0xffffffff);
        high0 += (a >> 32) + (b >> 32);
        low1 += (c & 0xffffffff) + (d & 0xffffffff);
        high1 += (c >> 32) + (d >> 32);
    }
    uint64_t sum = uint64_t{fold(low0)} + fold(low1) + fold(high0) + fold(high1);
    for (; left >= 2; left -= 2, at += 2) {
        uint16_t word = 0;
        std::memcpy(&word, at, sizeof(word));
        sum += word;
    }
    if (left != 0) {
        uint16_t word = 0;
        std::memcpy(&word, at, 1);
        sum += word;
    }
    uint16_t native = fold(sum);
    if constexpr (std::endian::native == std::endian::little) native = __builtin_bswap16(native);
    return fold(uint64_t{native} + initial);
}

uint16_t pseudo_header_sum(const ParsedHeaders& headers, uint32_t length) {
    size_t address = headers.l3 == L3::kIpv4 ? 4 : 16;
    uint16_t sum = internet_sum(std::as_bytes(std::span(headers.source).first(address)));
    sum = internet_sum(std::as_bytes(std::span(headers.destination).first(address)), sum);
    return fold(uint64_t{sum} + headers.protocol + (length >> 16) + (length & 0xffff));
}

void fill_ipv4_checksum(std::span<std::byte> frame, const ParsedHeaders& headers) {
    if (headers.l3 != L3::kIpv4) return;
    put16(frame, headers.l3_offset + kIpv4Checksum, 0);
    auto header = frame.subspan(headers.l3_offset, headers.l4_offset - headers.l3_offset);
    put16(frame, headers.l3_offset + kIpv4Checksum, static_cast<uint16_t>(~internet_sum(header)));
}

bool fill_l4_checksum(std::span<std::byte> frame, const ParsedHeaders& headers) {
    if (!has_l4_checksum(headers)) return false;
    put16(frame, checksum_offset(headers), 0);
    auto checksum = static_cast<uint16_t>(~l4_sum(frame, headers));
    // RFC 768: 0 would mean that there is none.
    if (checksum == 0 && headers.l4 == L4::kUdp) checksum = 0xffff;
    put16(frame, checksum_offset(headers), checksum);
    return true;
}

void fill_pseudo_header_sum(std::span<std::byte> frame, const ParsedHeaders& headers) {
    if (!has_l4_checksum(headers)) return;
    put16(frame, checksum_offset(headers),
          pseudo_header_sum(headers, headers.end - headers.l4_offset));
}

ChecksumState verify_ipv4_checksum(std::span<const std::byte> frame, const ParsedHeaders& headers) {
    if (headers.l3 != L3::kIpv4) return ChecksumState::kUnknown;
    auto header = frame.subspan(headers.l3_offset, headers.l4_offset - headers.l3_offset);
    return internet_sum(header) == 0xffff ? ChecksumState::kGood : ChecksumState::kBad;
}

ChecksumState verify_l4_checksum(std::span<const std::byte> frame, const ParsedHeaders& headers) {
    if (!has_l4_checksum(headers)) return ChecksumState::kUnknown;
    if (headers.l4 == L4::kUdp && get16(frame, checksum_offset(headers)) == 0)
        return headers.l3 == L3::kIpv4 ? ChecksumState::kUnknown : ChecksumState::kBad;
    return l4_sum(frame, headers) == 0xffff ? ChecksumState::kGood : ChecksumState::kBad;
}

}  // namespace zcrxlab::nic
