// FailSlab: lets a cache of the kernel's slab allocator have no memory, wherever nobody can wait
// for some.
//
// Needs a kernel with CONFIG_FAILSLAB (Documentation/fault-injection/fault-injection.rst,
// "failslab").
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/surroundings/fault_attributes.hpp"

namespace zcrxlab {

// What a driver copies short packets and headers into (net/core/skbuff.c:kmalloc_reserve).
inline constexpr const char* kSmallHeads = "skbuff_small_head";

// What describes a packet (struct sk_buff), of which a driver's poll takes many at a time.
inline constexpr const char* kPackets = "skbuff_head_cache";

class FailSlab {
  public:
    // The scenario ends if the kernel cannot be asked. Nothing fails yet.
    FailSlab(Scene& scene, std::string cache);
    // Nothing fails any more.
    ~FailSlab();
    FailSlab(const FailSlab&) = delete;
    FailSlab& operator=(const FailSlab&) = delete;

    // As FaultAttributes has them.
    void fail(uint32_t percent, uint32_t times) { attributes_.fail(percent, times); }
    void stop() { attributes_.stop(); }
    uint32_t left() const { return attributes_.left(); }

  private:
    FaultAttributes attributes_;
    std::string cache_;
};

}  // namespace zcrxlab
