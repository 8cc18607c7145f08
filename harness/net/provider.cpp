// Asks until a provider has left its queue, less often the longer it takes.
#include "harness/net/provider.hpp"

#include <algorithm>
#include <thread>

#include "harness/ring/deferred_packets.hpp"

namespace zcrxlab {
namespace {

// Something of a provider is still on this queue, or waits for its last pages.
bool occupied(const QueueState& queue, const std::vector<PagePool>& pools) {
    if (queue.io_uring) return true;
    return std::any_of(pools.begin(), pools.end(), [&queue](const PagePool& pool) {
        return pool.io_uring && (pool.detach_time || (pool.napi && pool.napi == queue.napi));
    });
}

}  // namespace

Result<ProviderReleased> wait_for_release(const std::string& interface, uint32_t queue,
                                          std::chrono::milliseconds bound) {
    using Clock = std::chrono::steady_clock;
    const auto started = Clock::now();
    auto netdev = Netdev::open(interface);
    if (!netdev) return netdev.error();
    ProviderReleased released{interface, queue, false, 0, static_cast<double>(bound.count())};
    std::chrono::milliseconds pause{1};
    for (;;) {
        auto state = netdev->receive_queue(queue);
        if (!state) return state.error();
        auto pools = netdev->page_pools();
        if (!pools) return pools.error();
        const auto now = Clock::now();
        released.milliseconds = std::chrono::duration<double, std::milli>(now - started).count();
        released.released = !occupied(*state, *pools);
        if (released.released || now - started >= bound) return released;
        free_deferred_packets();
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(50));
    }
}

Result<std::vector<std::string>> describe_page_pools(const std::string& interface,
                                                     bool comparable) {
    auto netdev = Netdev::open(interface);
    if (!netdev) return netdev.error();
    auto pools = netdev->page_pools();
    if (!pools) return pools.error();
    std::vector<std::string> lines;
    for (const PagePool& pool : *pools) {
        std::string line = "page pool of " + interface;
        if (pool.napi) line += ", napi " + std::to_string(*pool.napi);
        if (pool.io_uring) line += ", io_uring";
        if (pool.detach_time) line += ", detached";
        if (!comparable) {
            line += ", id " + std::to_string(pool.id) + ", " + std::to_string(pool.inflight) +
                    " pages in flight";
        }
        lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace zcrxlab
