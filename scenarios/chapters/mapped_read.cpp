// The only source that takes <linux/tcp.h>, which cannot be had beside <netinet/tcp.h>.
#include "scenarios/chapters/mapped_read.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>

namespace zcrxlab {

Read map_pages(int socket, bool copied) {
    std::vector<std::byte> room(kRoom);
    void* window = ::mmap(nullptr, kRoom, PROT_READ, MAP_SHARED, socket, 0);
    if (window == MAP_FAILED) return {.code = errno};
    tcp_zerocopy_receive order{};
    order.address = reinterpret_cast<uintptr_t>(window);
    order.length = kRoom;
    if (copied) {
        order.copybuf_address = reinterpret_cast<uintptr_t>(room.data());
        order.copybuf_len = static_cast<int32_t>(kRoom);
    }
    socklen_t size = sizeof order;
    Read read;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, &order, &size) != 0) {
        read.code = errno;
    } else {
        const auto* mapped = static_cast<const std::byte*>(window);
        read.bytes.assign(mapped, mapped + order.length);
        if (copied && order.copybuf_len > 0)
            read.bytes.insert(read.bytes.end(), room.begin(), room.begin() + order.copybuf_len);
        read.taken = !read.bytes.empty();
        read.waits = read.bytes.empty() && (order.recv_skip_hint != 0 || order.inq != 0);
        if (order.err != 0) read.code = -order.err;
    }
    ::munmap(window, kRoom);
    return read;
}

}  // namespace zcrxlab
