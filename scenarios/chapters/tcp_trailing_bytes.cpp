// Chapter tcp, frames that are longer than the IP packet in them: the rest has to be cut off, also
// of payload that nobody can read.
#include <gtest/gtest.h>

#include "harness/net/link.hpp"
#include "harness/net/namespace.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::tcp_trailing_bytes {
namespace {

struct Trailing {
    const char* name;
    std::vector<Segment> segments;
    bool jumbo = false;
};
const Trailing kTrailings[] = {
    // What Ethernet adds to a short packet; header split makes a buffer of it alone.
    {"padding_of_nothing",
     {{.trailing = 6}, {0, 1000}, {.from = 1000, .trailing = 6}, {1000, 500}}},
    {"padding_of_a_byte",
     {{.from = 0, .length = 1, .trailing = 5},
      {.from = 1, .length = 1, .trailing = 5},
      {.from = 2, .length = 2, .trailing = 4},
      {4, 1000}}},
    {"a_checksum", {{.from = 0, .length = 1000, .trailing = 4}, {1000, 1000}}},
    {"odd",
     {{.from = 0, .length = 1001, .trailing = 3}, {.from = 1001, .length = 7, .trailing = 1}}},
    {"as_much_again",
     {{.from = 0, .length = 700, .trailing = 700}, {.from = 700, .length = 700, .trailing = 700}}},
    {"behind_a_hole",
     {{.from = 1000, .length = 500, .trailing = 400},
      {.from = 0, .length = 1000, .trailing = 100}}},
    {"again_and_overlapping",
     {{.from = 0, .length = 500, .trailing = 900},
      {.from = 0, .length = 1000, .trailing = 30},
      {.from = 400, .length = 1000, .trailing = 30}}},
    {"with_the_end",
     {{.from = 0, .length = 600, .trailing = 60},
      {.from = 600, .length = 300, .flags = kTcpFin, .trailing = 100}}},
    // Whole buffers are behind the packet.
    {"more_than_a_buffer",
     {{.from = 0, .length = 100, .trailing = 8000},
      {.from = 100, .length = 5000, .trailing = 3500},
      {.from = 5100, .length = 4096, .trailing = 4096}},
     true},
};

constexpr uint32_t kJumbo = 9000;  // bytes of MTU

// Of the interface that sends the frames: a lab's port keeps what it was set to.
uint32_t peer_mtu(Scene& scene) {
    const Endpoints& ends = scene.endpoints();
    return scene.must(in_namespace_get<uint32_t>(ends.peer_namespace, [&]() -> Result<uint32_t> {
        Result<Links> links = Links::open();
        if (!links) return links.error();
        const Result<LinkState> link = links->get(ends.peer_interface);
        if (!link) return link.error();
        return link->mtu;
    }));
}

SCENARIO_TABLE(tcp, trailing_bytes,
               "bytes behind the IP packet in its frame are no bytes of the stream",
               Terms(Needs{}).claims({"tcp.trailing-bytes"}), kTrailings, row) {
    if (row.jumbo && scene.has_device()) {
        if (const uint32_t mtu = peer_mtu(scene); mtu < kJumbo)
            GTEST_SKIP() << "The peer's interface sends no such frame, since its MTU is " << mtu
                         << "; type: ip link set " << scene.endpoints().peer_interface << " mtu "
                         << kJumbo;
        scene.must(scene.nic().set_mtu(kJumbo));
    }
    ForgedStream forged(scene, {.ifq = {.area_size = 6_MiB}});
    forged.rx.arm(forged.stream);
    forged.source.send_all(row.segments);
    if (row.segments.back().flags == 0) forged.source.finish();
    forged.receive_all();
    if (row.jumbo) forged.rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::tcp_trailing_bytes
