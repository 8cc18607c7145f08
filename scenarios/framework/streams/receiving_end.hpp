// Ends of a stream: the ways in which its bytes reach the user, each without looking at them.
#pragma once

#include <cstdint>
#include <memory>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

enum class Way {
    kZeroCopy,    // RECV_ZC through an ifq
    kBufferRing,  // multishot recv into buffers that the kernel picks (IORING_REGISTER_PBUF_RING)
    kPlain,       // recv(2), again and again into one buffer
};
// "RECV_ZC", "recv, buffer ring", "recv()".
const char* name_of(Way way);

// Bytes of all buffers of an end, but for plain ones, which have one buffer.
inline constexpr size_t kEndBytes = size_t{16} << 20;

class ReceivingEnd {
  public:
    virtual ~ReceivingEnd() = default;
    // Bytes until the end of the stream.
    virtual uint64_t receive(int socket) = 0;
};

// With buffers of `size` bytes; zero copy through `queue` of the NIC under test. To be made and
// used in one thread, since its ring belongs to that.
std::unique_ptr<ReceivingEnd> make_end(Scene& scene, Way way, uint32_t size, uint32_t queue);
// Whether the NIC takes such buffers for zero-copy receive; a provider may still be on the queue
// for a moment.
bool zero_copy_takes(Scene& scene, uint32_t size, uint32_t queue);

}  // namespace zcrxlab
