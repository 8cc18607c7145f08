// Asks the device, and polls a queue by way of a socket's busy polling.
#include "scenarios/framework/streams/queue_buffers.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>

#include "harness/net/link.hpp"
#include "harness/net/netdev.hpp"
#include "harness/ring/area.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab {

namespace {

// What a doorbell takes to the device.
constexpr std::chrono::milliseconds kDoorbellBound{500};

constexpr uint32_t kMostHeaders = 40 + 20 + 12;  // IPv6, TCP, and its timestamps
constexpr uint64_t kShortPackets = 20;           // of writes that end, and of a sender that starts

std::optional<int64_t> posted_on(Scene& scene, uint32_t queue) {
    if (!scene.has_device() || !scene.target().abilities().faults) return std::nullopt;
    const auto counters = device_counters(scene);
    const auto posted = counters.find("rx" + std::to_string(queue) + "_posted");
    if (posted == counters.end()) return std::nullopt;
    return static_cast<int64_t>(posted->second);
}

// A read that finds nothing polls the queue by which the socket's last packet came
// (Documentation/networking/napi.rst, busy polling; net/core/sock.c:sk_busy_loop).
void poll_queue_of(int socket) {
    const int microseconds = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_BUSY_POLL, &microseconds, sizeof microseconds);
    char byte = 0;
    [[maybe_unused]] const ssize_t nothing =
        ::recv(socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
}

}  // namespace

std::string QueueBuffers::text() const {
    if (!posted) return {};
    std::string text = (starves() ? "; the device starves with " : "; the device has ") +
                       std::to_string(*posted) + " buffers on queue " + std::to_string(queue);
    if (posted_when_polled)
        text += ", and has " + std::to_string(*posted_when_polled) + " once the queue is polled";
    return text;
}

void QueueBuffers::add_to(ComplaintFacts& facts) const {
    facts.posted = posted;
    facts.posted_when_polled = posted_when_polled;
}

uint32_t buffers_kept_by_driver(Scene& scene) {
    if (!scene.has_device()) return 0;
    return scene.ring_sizes().rx_jumbo.value_or(0);
}

size_t area_to_hold(Scene& scene, uint64_t bytes, size_t least) {
    if (!scene.has_device()) return least;
    Links links = scene.must(Links::open());
    const uint32_t mtu = scene.must(links.get(scene.endpoints().interface)).mtu;
    const uint64_t payload = mtu - std::min(mtu - 1, kMostHeaders);
    const uint64_t buffers_of_packet = (payload + kPageSize - 1) / kPageSize;
    const uint64_t packets = bytes / payload + kShortPackets;
    return std::max(least,
                    (packets * buffers_of_packet + buffers_kept_by_driver(scene)) * kPageSize);
}

uint64_t packets_without_replacement(Scene& scene, uint32_t queue) {
    if (buffers_kept_by_driver(scene) == 0) return 0;
    Netdev netdev = scene.must(Netdev::open(scene.endpoints().interface));
    for (const QueueStatistics& one : scene.must(netdev.statistics()))
        if (one.receive && one.id == queue) return one.allocation_failures();
    return 0;
}

std::optional<uint64_t> buffers_in_flight(Scene& scene, uint32_t queue) {
    auto netdev = Netdev::open(scene.endpoints().interface);
    if (!netdev) return std::nullopt;
    const auto state = netdev->receive_queue(queue);
    const auto pools = netdev->page_pools();
    if (!state || !state->napi || !pools) return std::nullopt;
    for (const PagePool& pool : *pools)
        if (pool.io_uring && !pool.detach_time && pool.napi == state->napi) return pool.inflight;
    return std::nullopt;
}

QueueBuffers buffers_of_queue(Scene& scene, uint32_t queue) {
    return {.queue = queue, .posted = posted_on(scene, queue)};
}

QueueBuffers buffers_when_polled(Scene& scene, uint32_t queue, int socket) {
    QueueBuffers buffers = buffers_of_queue(scene, queue);
    if (!buffers.starves()) return buffers;
    poll_queue_of(socket);
    scene.becomes(
        [&] {
            buffers.posted_when_polled = posted_on(scene, queue);
            return buffers.posted_when_polled && *buffers.posted_when_polled > *buffers.posted;
        },
        scene.scaled(kDoorbellBound));
    return buffers;
}

}  // namespace zcrxlab
