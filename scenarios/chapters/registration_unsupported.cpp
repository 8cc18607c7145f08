// Chapter registration: a NIC whose driver has no queue for zero-copy receive, as stock netdevsim.
#include <gtest/gtest.h>

#include <cerrno>

#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab::registration_unsupported {
namespace {

const Needs kRefusing{.where = Where::kRefusing};

struct Setting {
    const char* name;
    bool split;           // tcp-data-split
    bool last_queue;      // else queue 1
    uint32_t buffer = 0;  // rx_buf_len
    AreaKind memory = AreaKind::kAnonymous;
};
constexpr Setting kSettings[] = {
    {"split", true, false},
    {"no_split", false, false},
    {"last_queue", true, true},
    {"buffers_of_a_page", true, false, 4096},
    {"large_buffers", true, false, 16384, AreaKind::kHugePages},
};

SCENARIO_TABLE(registration, unsupported,
               "a driver without zero-copy receive is EOPNOTSUPP, whatever the setting, and "
               "nothing is left behind",
               Terms(kRefusing).claims({"registration.no-dma-device"}), kSettings, row) {
    if (row.memory == AreaKind::kHugePages) reserve_until_end(scene, 1);
    scene.must(row.split ? scene.nic().enable_header_split() : scene.nic().disable_header_split());
    const uint32_t queues = scene.must(scene.nic().ethtool().channels()).receive();
    IfqOptions options;
    options.interface = scene.endpoints().interface;
    options.queue = row.last_queue ? queues - 1 : 1;
    options.area_kind = row.memory;
    options.area_size = row.memory == AreaKind::kHugePages ? kHugePageSize : kSmallArea;
    options.buffer_length = row.buffer;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    const MemoryCounters before = scene.must(read_memory_counters());
    // Again and again: what one call leaves behind, the next one meets.
    for (int i = 0; i < 10; ++i)
        scene.returned("IORING_REGISTER_ZCRX_IFQ", EOPNOTSUPP,
                       errno_of(register_raw(ring, &request->registration)));
    const MemoryCounters after = scene.must(read_memory_counters());
    EXPECT_EQ(after.pinned_kb, before.pinned_kb) << "Memory stays accounted as pinned.";
    EXPECT_EQ(after.locked_kb, before.locked_kb) << "Memory stays locked.";
    const auto state = scene.must(scene.nic().netdev().receive_queue(options.queue));
    EXPECT_FALSE(state.io_uring) << "The queue has a provider.";
}

// The ring that was refused can still receive, by copying.
SCENARIO(registration, unsupported_then_copied,
         "what such a NIC receives can still be copied to an instance without a device",
         Terms(Needs{.where = Where::kRefusing, .features = {Feature::kNodev, Feature::kFlushRq}})
             .claims({"registration.no-dma-device"})) {
    constexpr uint64_t kBytes = 2U << 20;
    IfqOptions refused;
    refused.interface = scene.endpoints().interface;
    refused.queue = 1;
    refused.area_size = kSmallArea;
    ReceivePath rx(scene, {.nodev = true});
    const auto request = scene.must(IfqRequest::prepare(refused));
    scene.returned("IORING_REGISTER_ZCRX_IFQ", EOPNOTSUPP,
                   errno_of(register_raw(rx.ring(), &request->registration)));
    rx.connect({.bytes = kBytes});
    rx.connect({.bytes = kBytes, .family = 6});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 2 * kBytes);
}

}  // namespace
}  // namespace zcrxlab::registration_unsupported
