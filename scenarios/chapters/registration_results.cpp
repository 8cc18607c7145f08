// Chapter registration: what a successful registration writes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::registration_results {
namespace {

constexpr uint32_t kSetupClamp = 1U << 4;  // IORING_SETUP_CLAMP

struct Entries {
    const char* name;
    uint32_t asked;
    uint32_t given;
    uint32_t extra_flags = 0;
    std::string_view claims = "registration.rq-entries-round";
};
const Entries kEntries[] = {
    {"1", 1, 1},
    {"5", 5, 8},
    {"4096", 4096, 4096},
    {"4097", 4097, 8192},
    {"32768", 32768, 32768},
    {"clamped_32769", 32769, 32768, kSetupClamp, "registration.rq-entries-clamp"},
    {"clamped_to_the_most", UINT32_MAX, 32768, kSetupClamp, "registration.rq-entries-clamp"},
};

SCENARIO_TABLE(registration, entries,
               "refill entries are rounded up and clamped, and the number is written back", Needs{},
               kEntries, row) {
    IfqOptions options = small_ifq(scene);
    options.rq_entries = row.asked;
    RingOptions ring_options;
    ring_options.flags |= row.extra_flags;
    {
        Ring ring = scene.must(Ring::create(ring_options));
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        EXPECT_EQ(ifq->registration().rq_entries, row.given);
    }
    scene.trace().add(RingClosed{options.number});
}

struct Memory {
    const char* name;
    bool of_kernel;
};
const Memory kMemories[] = {{"of_the_user", false}, {"of_the_kernel", true}};

SCENARIO_TABLE(registration, offsets,
               "head, tail and entries lie inside the region and do not overlap",
               Terms(Needs{}).claims({"registration.offsets", "registration.area-token-written"}),
               kMemories, row) {
    IfqOptions options = small_ifq(scene);
    options.rq_entries = 64;
    options.rq_memory_of_kernel = row.of_kernel;
    {
        Ring ring = scene.must(Ring::create());
        auto request = scene.must(IfqRequest::prepare(options));
        // They are the kernel's to tell, whatever stands there.
        request->registration.offsets.head = ~uint32_t{0};
        request->registration.offsets.tail = ~uint32_t{0};
        request->registration.offsets.rqes = ~uint32_t{0};
        const IfqRequest& kept = *request;
        const auto ifq = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));
        const uapi::ZcrxOffsets& at = ifq->registration().offsets;
        EXPECT_EQ(at.head % 4, 0U);
        EXPECT_EQ(at.tail % 4, 0U);
        EXPECT_EQ(at.rqes % alignof(uapi::ZcrxRqe), 0U);
        EXPECT_GE(std::max(at.head, at.tail) - std::min(at.head, at.tail), 4U)
            << "Head and tail overlap.";
        EXPECT_GE(at.rqes, std::max(at.head, at.tail) + 4) << "The entries overlap the indices.";
        EXPECT_LE(at.rqes + 64 * sizeof(uapi::ZcrxRqe), kept.region.size);
        EXPECT_EQ(ifq->refill().head(), 0U);
        EXPECT_EQ(ifq->refill().tail(), 0U);
        EXPECT_EQ(kept.area.token, ifq->area_token());
        if (row.of_kernel) {
            EXPECT_NE(kept.region.mmap_offset, 0U);
        }
    }
    scene.trace().add(RingClosed{options.number});
}

struct StatisticsPlace {
    const char* name;
    uint32_t (*offset)(const IfqRequest& registered);  // bytes, in the region
};
constexpr StatisticsPlace kStatisticsPlaces[] = {
    {"behind_the_entries",
     [](const IfqRequest& registered) {
         return static_cast<uint32_t>(registered.registration.offsets.rqes) +
                registered.registration.rq_entries * static_cast<uint32_t>(sizeof(uapi::ZcrxRqe));
     }},
    {"at_the_end",
     [](const IfqRequest& registered) {
         return static_cast<uint32_t>(registered.region.size - sizeof(uapi::ZcrxStats));
     }},
};

SCENARIO_TABLE(
    registration, statistics,
    "statistics may lie right behind the entries, and at the very end of the region",
    Terms(Needs{.features = {Feature::kEvents}}).claims({"registration.statistics-offset"}),
    kStatisticsPlaces, row) {
    const IfqOptions options = small_ifq(scene);
    uint32_t offset = 0;
    for (const bool asked : {false, true}) {
        {
            Ring ring = scene.must(Ring::create());
            const auto request = scene.must(IfqRequest::prepare(options));
            if (asked) {
                request->registration.event_desc = reinterpret_cast<uintptr_t>(&request->event);
                request->event.flags = uapi::kEventDescStats;
                request->event.stats_offset = offset;
            }
            scene.returned(
                std::string("a registration ") + (asked ? "with" : "without") + " statistics", 0,
                errno_of(register_raw(ring, &request->registration)));
            if (!asked) offset = row.offset(*request);
        }
        if (scene.has_device()) scene.wait_for_release(options.queue);
    }
}

SCENARIO(registration, refill_memory_of_the_kernel,
         "refill memory of the kernel carries buffers back to it",
         Terms(Needs{}).claims({"registration.kernel-region"})) {
    // More than the area holds: what is not carried back is missed.
    const size_t kept = buffers_kept_by_driver(scene) * kPageSize;
    ReceivePath rx(
        scene,
        {.ifq = {.rq_entries = 512, .rq_memory_of_kernel = true, .area_size = (2U << 20) + kept}});
    rx.connect({.bytes = 6U << 20});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 6U << 20);
}

SCENARIO(registration, dirty_region, "head and tail are 0 whatever the memory held before",
         Terms(Needs{}).claims({"registration.dirty-region"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        auto request = scene.must(IfqRequest::prepare(options));
        std::byte* region = request->region_memory.data();
        std::memset(region, 0xff, request->region.size);
        const auto ifq = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));
        uint32_t head = 1, tail = 1;
        std::memcpy(&head, region + ifq->registration().offsets.head, sizeof(head));
        std::memcpy(&tail, region + ifq->registration().offsets.tail, sizeof(tail));
        EXPECT_EQ(head, 0U) << "The memory kept what was in it.";
        EXPECT_EQ(tail, 0U) << "The memory kept what was in it.";
    }
    scene.trace().add(RingClosed{options.number});
}

SCENARIO(
    registration, told_by_netlink,
    "netlink tells of the queue and of its page pool who provides their memory, and with which "
    "buffers",
    Terms(Needs{.where = Where::kDevice}).claims({"registration.told-by-netlink"})) {
    const IfqOptions options = small_ifq(scene);
    const auto pools_of_io_uring = [&scene] {
        std::vector<PagePool> pools = scene.must(scene.nic().netdev().page_pools());
        std::erase_if(pools, [](const PagePool& pool) { return !pool.io_uring; });
        return pools;
    };
    const size_t before = pools_of_io_uring().size();
    {
        Ring ring = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        const QueueState queue = scene.must(scene.nic().netdev().receive_queue(options.queue));
        EXPECT_TRUE(queue.io_uring);
        // Before 7.2 neither has a length.
        EXPECT_EQ(queue.io_uring_buffer.value_or(ifq->buffer_size()), ifq->buffer_size());
        const std::vector<PagePool> pools = pools_of_io_uring();
        ASSERT_EQ(pools.size(), before + 1);
        EXPECT_EQ(pools.back().io_uring_buffer, queue.io_uring_buffer);
        EXPECT_EQ(pools.back().napi, queue.napi);
    }
    scene.trace().add(RingClosed{options.number});
    scene.wait_for_release(options.queue);
    EXPECT_FALSE(scene.must(scene.nic().netdev().receive_queue(options.queue)).io_uring);
}

// Linux 7.2, which is the first with events, is the first that tells it.
SCENARIO(registration, buffer_length_told,
         "netlink tells how long the buffers of a queue and of its page pool are",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kEvents}})
             .claims({"registration.told-by-netlink"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        Netdev& netdev = scene.nic().netdev();
        EXPECT_EQ(scene.must(netdev.receive_queue(options.queue)).io_uring_buffer,
                  ifq->buffer_size());
        for (const PagePool& pool : scene.must(netdev.page_pools()))
            if (pool.io_uring) {
                EXPECT_EQ(pool.io_uring_buffer, ifq->buffer_size());
            }
    }
    scene.trace().add(RingClosed{options.number});
    scene.wait_for_release(options.queue);
}

SCENARIO(registration, success_is_zero, "a registration that succeeds returns 0",
         Terms(Needs{}).claims({"registration.result"})) {
    const IfqOptions options = small_ifq(scene);
    {
        const auto request = scene.must(IfqRequest::prepare(options));
        Ring ring = scene.must(Ring::create());
        EXPECT_EQ(register_raw(ring, &request->registration), 0);
    }
    if (scene.has_device()) scene.wait_for_release(options.queue);
}

SCENARIO(registration, two_ids,
         "two instances of one ring have ids of their own, and so has their memory of the kernel",
         Terms(Needs{.queues = 2}).claims({"registration.id"})) {
    IfqOptions first = small_ifq(scene), second = small_ifq(scene);
    first.rq_memory_of_kernel = second.rq_memory_of_kernel = true;
    {
        Ring ring = scene.must(Ring::create());
        auto request = scene.must(IfqRequest::prepare(first));
        const uapi::RegionDesc& region_of_one = request->region;
        const auto one = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));
        request = scene.must(IfqRequest::prepare(second));
        const uapi::RegionDesc& region_of_two = request->region;
        const auto two = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));
        EXPECT_NE(one->zcrx_id(), two->zcrx_id());
        EXPECT_NE(region_of_one.mmap_offset, region_of_two.mmap_offset);
    }
    scene.trace().add(RingClosed{first.number});
    scene.trace().add(RingClosed{second.number});
}

SCENARIO(registration, buffer_length_written, "the buffer length in use is written back",
         Terms(Needs{.features = {Feature::kRxBufferSize}})
             .claims({"registration.buffer-length-written"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        EXPECT_EQ(ifq->registration().rx_buf_len, kPageSize);
    }
    scene.trace().add(RingClosed{options.number});
}

}  // namespace
}  // namespace zcrxlab::registration_results
