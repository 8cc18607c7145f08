// Checksum: the Internet checksum (RFC 1071) of IPv4 headers and of TCP and UDP over IPv4 and IPv6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

// One's complement sum of the bytes as big-endian 16-bit words, an odd last byte padded with 0;
// not complemented. `initial` is a sum to go on from.
uint16_t internet_sum(std::span<const std::byte> bytes, uint16_t initial = 0);

// The sum of the pseudo header for `length` bytes of transport header and payload.
uint16_t pseudo_header_sum(const ParsedHeaders& headers, uint32_t length);

// `headers` are those of `frame` throughout. Where there is no such checksum, filling changes
// nothing and verifying says kUnknown (also UDP over IPv4 sent without one).
void fill_ipv4_checksum(std::span<std::byte> frame, const ParsedHeaders& headers);
// False if there is no TCP or UDP checksum to fill.
bool fill_l4_checksum(std::span<std::byte> frame, const ParsedHeaders& headers);
// Stores the sum of the pseudo header only, as a stack leaves it for a device to finish.
void fill_pseudo_header_sum(std::span<std::byte> frame, const ParsedHeaders& headers);

ChecksumState verify_ipv4_checksum(std::span<const std::byte> frame, const ParsedHeaders& headers);
ChecksumState verify_l4_checksum(std::span<const std::byte> frame, const ParsedHeaders& headers);

}  // namespace zcrxlab::nic
