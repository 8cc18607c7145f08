// Chapter areas: buffers larger than a page (rx_buf_len), where the driver has such.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/chapters/large_buffers.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/coalescing.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::areas_large_buffers {
namespace {

constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kQueue = 1;
constexpr size_t kArea = kAreaOfLargeBuffers;
constexpr uint64_t kReserved = kReservedForLargeBuffers;

const Terms kLarge = Needs{.where = Where::kDevice,
                           .dma_log = true,
                           .queues = 1,
                           .memory = 100U << 20,
                           .features = {Feature::kRxBufferSize}};

struct Length {
    const char* name;
    uint32_t bytes;
};
constexpr Length kLengths[] = {
    {"8_kib", 8192}, {"16_kib", 16384}, {"32_kib", 32768}, {"64_kib", 65536}};

// Payload of the packets that fill more than a page of a buffer; the largest in one buffer.
uint32_t largest_write(Scene& scene, int socket) {
    uint32_t largest = 0;
    for (const auto& packet : split_packets_of(scene, socket))
        for (const uint32_t bytes : packet) largest = std::max(largest, bytes);
    return largest;
}

SCENARIO_TABLE(areas, large_buffers,
               "a stream arrives whole in buffers larger than a page, and takes more than a page "
               "of them at a time",
               Terms(kLarge).claims({"areas.large-buffers"}), kLengths, row) {
    if (const auto why = why_not_buffers_of(scene, row.bytes, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved);
    ReceivePath rx(scene, {.ifq = large_ifq(row.bytes), .queue = kQueue});
    EXPECT_EQ(rx.ifq().buffer_size(), row.bytes);
    EXPECT_EQ(rx.ifq().buffers(), kArea / row.bytes);
    const auto queue = scene.must(scene.nic().netdev().receive_queue(kQueue));
    if (queue.io_uring_buffer) {
        EXPECT_EQ(*queue.io_uring_buffer, row.bytes) << "as the queue's description has it";
    }
    const uint32_t stream = rx.connect({.bytes = 8 * kMiB, .chunks = {262144, 4097}});
    rx.receive_all();
    const StreamState& state = rx.receiver().state(stream);
    EXPECT_EQ(state.bytes, 8 * kMiB);
    EXPECT_LT(state.data_cqes, 8 * kMiB / kPageSize) << "No CQE was larger than a page.";
    const uint32_t largest = largest_write(scene, rx.socket(stream));
    EXPECT_GT(largest, kPageSize);
    EXPECT_LE(largest, row.bytes);
}

SCENARIO_TABLE(areas, large_buffers_held,
               "with all of them held, every large buffer was handed out once, and none is lost",
               Terms(kLarge).claims({"areas.large-buffers"}), kLengths, row) {
    if (const auto why = why_not_buffers_of(scene, row.bytes, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved);
    ReceivePath rx(scene, {.ifq = large_ifq(row.bytes), .queue = kQueue});
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    rx.measure_capacity();
}

SCENARIO(areas, large_buffers_in_two_areas,
         "an area that is added where buffers are large is cut into as large ones",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .queues = 1,
                     .memory = 100U << 20,
                     .features = {Feature::kAddArea, Feature::kRxBufferSize}})
             .claims({"areas.large-buffers"})) {
    constexpr uint32_t kLargeBuffer = 16384;
    if (const auto why = why_not_buffers_of(scene, kLargeBuffer, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved + 1);
    const IfqOptions options = large_ifq(kLargeBuffer);
    ReceivePath rx(scene, {.ifq = options, .queue = kQueue});
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    scene.must(
        rx.ifq().add_area(scene.must(AreaMemory::allocate(options.area_kind, kHugePageSize))));
    rx.measure_capacity();
}

SCENARIO(areas, large_buffers_end, "a queue that had large buffers has those of a page again",
         Terms(kLarge).claims({"areas.large-buffers"})) {
    constexpr uint32_t kLargeBuffer = 16384;
    if (const auto why = why_not_buffers_of(scene, kLargeBuffer, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, 3 * kReserved);
    for (const uint32_t buffer : {kLargeBuffer, 0U, kLargeBuffer}) {
        {
            ReceivePath rx(scene, {.ifq = large_ifq(buffer), .queue = kQueue});
            const uint32_t stream = rx.connect({.bytes = 2 * kMiB, .chunks = {262144}});
            rx.receive_all();
            const uint32_t largest = largest_write(scene, rx.socket(stream));
            EXPECT_EQ(largest > kPageSize, buffer != 0) << largest << " bytes in one buffer";
        }
        scene.wait_for_release(kQueue);
    }
}

SCENARIO(areas, large_buffers_of_small_packets,
         "packets smaller than a page take a large buffer each, and give it back",
         Terms(kLarge).claims({"areas.large-buffers"})) {
    constexpr uint32_t kLargeBuffer = 16384;
    if (const auto why = why_not_buffers_of(scene, kLargeBuffer, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved);
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    ReceivePath rx(scene, {.ifq = large_ifq(kLargeBuffer), .queue = kQueue});
    const uint32_t stream =
        rx.connect({.bytes = 4 * kMiB, .chunks = {65536}, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_LE(largest_write(scene, rx.socket(stream)), 1400U);
    rx.measure_capacity();
}

SCENARIO(areas, large_buffers_of_joined_segments,
         "segments that the NIC has joined fill a large buffer, and give it back",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .emulated = true,
                     .queues = 1,
                     .memory = 100U << 20,
                     .features = {Feature::kRxBufferSize}})
             .claims({"areas.large-buffers"})) {
    constexpr uint32_t kLargeBuffer = 16384, kSegment = 1400;
    if (const auto why = why_not_buffers_of(scene, kLargeBuffer, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved);
    if (const auto joining = coalesce(scene); !joining) GTEST_SKIP() << joining.error().sentence;
    ReceivePath rx(scene, {.ifq = large_ifq(kLargeBuffer), .queue = kQueue});
    uint32_t largest = 0;
    // The first stream has a small window for most of its time.
    for (uint64_t streams = 1; streams <= 6 && largest < kLargeBuffer; ++streams) {
        const uint32_t stream =
            rx.connect({.bytes = 4 * kMiB, .chunks = {262144}, .tcp = {.mss = kSegment}});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), streams * 4 * kMiB);
        largest = std::max(largest, largest_write(scene, rx.socket(stream)));
    }
    EXPECT_EQ(largest, kLargeBuffer);
    rx.measure_capacity();
}

// A queue other than that of the request copies, a page at a time, into the same buffers.
SCENARIO(areas, large_buffers_copied, "what must be copied is copied right into large buffers",
         Terms(kLarge).claims({"areas.large-buffers"})) {
    constexpr uint32_t kLargeBuffer = 16384;
    if (const auto why = why_not_buffers_of(scene, kLargeBuffer, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReserved);
    ReceivePath rx(scene, {.ifq = large_ifq(kLargeBuffer),
                           .queue = kQueue,
                           .steer = false,
                           .uncounted = Uncounted::kNothingArrives});
    scene.trace().add(CopiesExpected{rx.ifq().number(), 2 * kMiB});
    const uint32_t stream = rx.connect({.bytes = 2 * kMiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 2 * kMiB);
    EXPECT_GE(rx.receiver().state(stream).data_cqes, 2 * kMiB / kPageSize);
}

}  // namespace
}  // namespace zcrxlab::areas_large_buffers
