// client_messages: requests as a vfio-user client would send them, and a look at the replies.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/fd.hpp"
#include "nic/transport/message_reader.hpp"
#include "nic/transport/protocol.hpp"

namespace zcrxlab::nic::vfio_user {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, const T& value) {
    auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline void append_text(Bytes& bytes, std::string_view text) {
    auto raw = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <typename... Parts>
Bytes payload(const Parts&... parts) {
    Bytes bytes;
    (append(bytes, parts), ...);
    return bytes;
}

// A whole request, header first.
inline Bytes request(Command command, const Bytes& body = {}, uint32_t flags = 0,
                     uint16_t id = 77) {
    Bytes bytes = payload(Header{id, static_cast<uint16_t>(command),
                                 static_cast<uint32_t>(sizeof(Header) + body.size()), flags, 0});
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

inline Bytes version_body(std::string_view json) {
    Bytes body = payload(Version{kMajor, kMinor});
    append_text(body, json);
    body.push_back(std::byte{0});
    return body;
}

// What QEMU 11 proposes.
inline constexpr std::string_view kQemuCapabilities =
    R"({"capabilities": {"migration": {"pgsize": 4096, "max_bitmap_size": 268435456}, )"
    R"("max_msg_fds": 16, "pgsizes": 4096, "max_dma_maps": 65535, )"
    R"("max_data_xfer_size": 1048576, "write_multiple": true}})";

// The structure at `offset` of a reply or a payload; fails the test if it is not there.
template <typename T>
T at(std::span<const std::byte> bytes, size_t offset = 0) {
    T value{};
    EXPECT_GE(bytes.size(), offset + sizeof(T));
    if (bytes.size() >= offset + sizeof(T)) std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

inline Fd memory_file(size_t size) {
    Fd fd(::memfd_create("guest", MFD_CLOEXEC));
    EXPECT_TRUE(fd);
    EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(size)), 0);
    return fd;
}

inline Fd event_file(unsigned count = 0) {
    return Fd(::eventfd(count, EFD_CLOEXEC));
}
inline Fd copy_of(const Fd& fd) {
    return Fd(::dup(fd.get()));
}

template <typename... Fds>
std::vector<Fd> fd_list(Fds&&... fds) {
    std::vector<Fd> list;
    (list.push_back(std::forward<Fds>(fds)), ...);
    return list;
}

}  // namespace zcrxlab::nic::vfio_user
