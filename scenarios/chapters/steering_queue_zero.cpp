// Chapter steering: queue 0, on which everything comes that nobody steers, is the one of zcrx.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::steering_queue_zero {
namespace {

constexpr uint32_t kOther = 1;  // queue of all that is hashed

// What has no hash, ARP for one, comes on queue 0 all the same: its bytes are not split off, and
// the kernel can read them.
SCENARIO(steering, queue_zero,
         "queue 0 receives without a copy, and what is not steered there goes on beside it",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .flow_rules = true,
                     .queue_zero = true,
                     .queues = 1})
             .claims({"steering.queue-zero"})) {
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = 0});
    Rss rss = scene.must(scene.nic().steering().rss());
    rss.key.clear();
    rss.function.reset();
    std::fill(rss.table.begin(), rss.table.end(), kOther);
    scene.must(scene.nic().set_rss(rss));
    for (const uint8_t family : {4, 6}) {
        rx.connect({.bytes = 2_MiB, .family = family});
        EXPECT_EQ(exchange(scene, {.family = family, .bytes = 1000, .count = 20}), "");
    }
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 4_MiB);
    EXPECT_EQ(exchange(scene, {.family = 4, .bytes = 60000, .count = 4}), "");
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::steering_queue_zero
