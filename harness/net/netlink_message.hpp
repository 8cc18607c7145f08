// Netlink messages: building requests, and taking answers apart without trusting their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

struct nlattr;
struct nlmsghdr;

namespace zcrxlab {

// A request under construction: header, fixed part, attributes. It moves, and is not copied.
class NetlinkRequest {
  public:
    NetlinkRequest(NetlinkRequest&&) = default;
    NetlinkRequest& operator=(NetlinkRequest&&) = default;
    // `flags` are NLM_F_*; NLM_F_REQUEST is added.
    NetlinkRequest(uint16_t type, uint16_t flags);
    // With the header of generic netlink behind it.
    static NetlinkRequest generic(uint16_t family, uint8_t command, uint8_t version,
                                  uint16_t flags);

    // The fixed part of a family (struct ifinfomsg ...), before the first attribute.
    NetlinkRequest& fixed(std::span<const std::byte> bytes);
    NetlinkRequest& put(uint16_t type, std::span<const std::byte> payload);
    // The bytes of a number or of a structure of the kernel's.
    template <typename T>
    NetlinkRequest& fixed_value(const T& value) {
        return fixed(std::as_bytes(std::span(&value, 1)));
    }
    template <typename T>
    NetlinkRequest& put_value(uint16_t type, const T& value) {
        return put(type, std::as_bytes(std::span(&value, 1)));
    }
    NetlinkRequest& put_u8(uint16_t type, uint8_t value);
    NetlinkRequest& put_u32(uint16_t type, uint32_t value);
    NetlinkRequest& put_string(uint16_t type, std::string_view value);  // with its final 0
    NetlinkRequest& put_flag(uint16_t type);
    // Opens a nested attribute; close it with end().
    NetlinkRequest& begin(uint16_t type);
    NetlinkRequest& end();

    void set_sequence(uint32_t sequence);
    void add_flags(uint16_t flags);
    uint16_t flags() const;
    // The message; empty if it grew beyond 16 KiB.
    std::span<const std::byte> bytes() const;

  private:
    nlmsghdr* header();
    const nlmsghdr* header() const;

    std::vector<std::byte> buffer_;  // never grows: open_ points into it
    std::vector<nlattr*> open_;      // nested attributes that were not closed yet
    bool too_large_ = false;
};

// One attribute. Its payload lies in the message it came from.
struct NetlinkAttribute {
    uint16_t type = 0;  // without the nested and byte-order bits
    std::span<const std::byte> payload;

    // The payload as a number of exactly this size; EBADMSG else.
    Result<uint8_t> u8() const;
    Result<uint16_t> u16() const;
    Result<uint32_t> u32() const;
    // 4 or 8 bytes, as `uint` attributes are sent.
    Result<uint64_t> number() const;
    // Up to the final 0; EBADMSG without one.
    Result<std::string> string() const;
    // Those nested inside.
    Result<std::vector<NetlinkAttribute>> nested() const;
    // The payload as an array of 32-bit numbers.
    Result<std::vector<uint32_t>> array_u32() const;
};

// Takes a run of attributes apart. EBADMSG says at which byte a length does not fit.
Result<std::vector<NetlinkAttribute>> parse_attributes(std::span<const std::byte> bytes);
// The first of a type, or null. Unknown types are simply never asked for.
const NetlinkAttribute* find_attribute(const std::vector<NetlinkAttribute>& attributes,
                                       uint16_t type);

// One message of an answer.
struct NetlinkMessage {
    uint16_t type = 0;
    uint16_t flags = 0;
    uint32_t sequence = 0;
    std::vector<std::byte> payload;  // behind struct nlmsghdr, its own copy

    // Attributes behind a fixed part of `skip` bytes (4 for generic netlink).
    Result<std::vector<NetlinkAttribute>> attributes(size_t skip = 4) const;
};

// What a datagram said about the request with `sequence`.
struct NetlinkAnswer {
    std::vector<NetlinkMessage> messages;
    bool done = false;         // an acknowledgement or the end of a dump was there
    bool interrupted = false;  // things changed during the dump: ask again
};

// Cuts a datagram into messages of the request with this sequence number; others are left out.
// A refusal becomes an Error with its errno and the kernel's own words (NETLINK_EXT_ACK); `doing`
// begins its sentence. EBADMSG for what is no netlink.
Result<NetlinkAnswer> parse_datagram(std::span<const std::byte> datagram, uint32_t sequence,
                                     std::string_view doing);

}  // namespace zcrxlab
