// TCP_ZEROCOPY_RECEIVE, as a reader of a stream (include/uapi/linux/tcp.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zcrxlab {

inline constexpr size_t kRoom = 65536;  // bytes, of whoever reads

// What a reader got: bytes of the stream from its beginning, or why not.
struct Read {
    std::vector<std::byte> bytes;
    int code = 0;        // errno, where it failed
    bool taken = false;  // the bytes have left the socket
    bool waits = false;  // none came, and it says that some are there
};

// With `copied`, what cannot be mapped may be copied into a buffer instead.
Read map_pages(int socket, bool copied);

}  // namespace zcrxlab
