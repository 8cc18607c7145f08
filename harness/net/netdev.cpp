// Sends and reads messages of the netlink family `netdev`.
#include "harness/net/netdev.hpp"

#include <linux/netlink.h>
#include <net/if.h>

#include <algorithm>

#include "harness/uapi/netlink.hpp"

namespace zcrxlab {
namespace {

namespace api = uapi::netdev;

using Attributes = std::vector<NetlinkAttribute>;

// The number in the attribute of a type, if it is there.
Result<std::optional<uint64_t>> optional_number(const Attributes& attributes, uint16_t type) {
    const auto* attribute = find_attribute(attributes, type);
    if (attribute == nullptr) return std::optional<uint64_t>();
    auto number = attribute->number();
    if (!number) return number.error();
    return std::optional(*number);
}

template <typename T>
Result<void> take(const Attributes& attributes, uint16_t type, T& value) {
    auto number = optional_number(attributes, type);
    if (!number) return number.error();
    if (*number) value = static_cast<uint32_t>(**number);
    return {};
}

Result<void> take(const Attributes& attributes, uint16_t type, uint64_t& value) {
    auto number = optional_number(attributes, type);
    if (!number) return number.error();
    if (*number) value = **number;
    return {};
}

// The first error of several results.
template <typename... Results>
Result<void> first_error(Results... results) {
    Result<void> first;
    ((first && !results ? void(first = std::move(results)) : void()), ...);
    return first;
}

// NETDEV_A_*_IO_URING: empty before Linux 7.2.
Result<void> take_provider(const NetlinkAttribute& provider, std::optional<uint32_t>& buffer) {
    auto inside = provider.nested();
    if (!inside) return inside.error();
    return take(*inside, api::kIoUringRxBufLen, buffer);
}

}  // namespace

uint64_t QueueStatistics::packets() const {
    const auto at = counters.find(receive ? api::kStatsRxPackets : api::kStatsTxPackets);
    return at == counters.end() ? 0 : at->second;
}

uint64_t QueueStatistics::bytes() const {
    const auto at = counters.find(receive ? api::kStatsRxBytes : api::kStatsTxBytes);
    return at == counters.end() ? 0 : at->second;
}

uint64_t QueueStatistics::allocation_failures() const {
    const auto at = counters.find(api::kStatsRxAllocFail);
    return at == counters.end() ? 0 : at->second;
}

Result<QueueState> decode_queue(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    QueueState queue;
    auto taken = first_error(take(*attributes, api::kQueueId, queue.id),
                             take(*attributes, api::kQueueInterface, queue.ifindex),
                             take(*attributes, api::kQueueNapi, queue.napi),
                             take(*attributes, api::kQueueDmabuf, queue.dmabuf));
    if (!taken) return taken.error();
    queue.xsk = find_attribute(*attributes, api::kQueueXsk) != nullptr;
    if (const auto* provider = find_attribute(*attributes, api::kQueueIoUring)) {
        queue.io_uring = true;
        if (auto got = take_provider(*provider, queue.io_uring_buffer); !got) return got.error();
    }
    if (const auto* lease = find_attribute(*attributes, api::kQueueLease)) {
        auto inside = lease->nested();
        if (!inside) return inside.error();
        if (auto got = take(*inside, api::kLeaseInterface, queue.lease); !got) return got.error();
    }
    return queue;
}

Result<PagePool> decode_page_pool(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    PagePool pool;
    auto detach = optional_number(*attributes, api::kPoolDetachTime);
    if (!detach) return detach.error();
    pool.detach_time = *detach;
    auto taken = first_error(take(*attributes, api::kPoolId, pool.id),
                             take(*attributes, api::kPoolInterface, pool.ifindex),
                             take(*attributes, api::kPoolNapi, pool.napi),
                             take(*attributes, api::kPoolInflight, pool.inflight),
                             take(*attributes, api::kPoolInflightMemory, pool.inflight_memory));
    if (!taken) return taken.error();
    if (const auto* provider = find_attribute(*attributes, api::kPoolIoUring)) {
        pool.io_uring = true;
        if (auto got = take_provider(*provider, pool.io_uring_buffer); !got) return got.error();
    }
    return pool;
}

Result<PagePoolStatistics> decode_page_pool_statistics(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    PagePoolStatistics statistics;
    if (const auto* pool = find_attribute(*attributes, api::kPoolStatsInfo)) {
        auto inside = pool->nested();
        if (!inside) return inside.error();
        if (auto got = take(*inside, api::kPoolId, statistics.id); !got) return got.error();
    }
    auto taken =
        first_error(take(*attributes, api::kPoolStatsFast, statistics.fast),
                    take(*attributes, api::kPoolStatsSlow, statistics.slow),
                    take(*attributes, api::kPoolStatsSlowHighOrder, statistics.slow_high_order),
                    take(*attributes, api::kPoolStatsEmpty, statistics.empty),
                    take(*attributes, api::kPoolStatsRefill, statistics.refill),
                    take(*attributes, api::kPoolStatsWaive, statistics.waive),
                    take(*attributes, api::kPoolStatsCached, statistics.cached),
                    take(*attributes, api::kPoolStatsCacheFull, statistics.cache_full),
                    take(*attributes, api::kPoolStatsRing, statistics.ring),
                    take(*attributes, api::kPoolStatsRingFull, statistics.ring_full),
                    take(*attributes, api::kPoolStatsReleasedRefcnt, statistics.released_refcnt));
    if (!taken) return taken.error();
    return statistics;
}

Result<QueueStatistics> decode_statistics(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    QueueStatistics statistics;
    uint32_t type = api::kQueueReceive;
    auto taken = first_error(take(*attributes, api::kStatsQueueId, statistics.id),
                             take(*attributes, api::kStatsQueueType, type));
    if (!taken) return taken.error();
    statistics.receive = type == api::kQueueReceive;
    for (const NetlinkAttribute& attribute : *attributes) {
        if (attribute.type < api::kStatsRxPackets) continue;
        auto number = attribute.number();
        if (!number) return number.error();
        statistics.counters[attribute.type] = *number;
    }
    return statistics;
}

Result<Netdev> Netdev::open(const std::string& interface) {
    auto socket = NetlinkSocket::open(NETLINK_GENERIC);
    if (!socket) return socket.error();
    auto family = socket->family("netdev");
    if (!family) return family.error();
    const unsigned ifindex = ::if_nametoindex(interface.c_str());
    if (ifindex == 0)
        return Error{ENODEV, "there is no interface " + interface + "; type: ip link"};
    return Netdev(std::move(*socket), *family, ifindex);
}

Result<uint64_t> Netdev::xdp_features() {
    auto request = NetlinkRequest::generic(family_, api::kDevGet, api::kVersion, 0);
    request.put_u32(api::kDevIndex, ifindex_);
    auto messages = socket_.call(std::move(request), "get the XDP abilities");
    if (!messages) return messages.error();
    uint64_t features = 0;
    for (const NetlinkMessage& message : *messages) {
        auto attributes = message.attributes();
        if (!attributes) return attributes.error();
        if (auto taken = take(*attributes, api::kDevXdpFeatures, features); !taken)
            return taken.error();
    }
    return features;
}

Result<QueueState> Netdev::receive_queue(uint32_t queue) {
    auto request = NetlinkRequest::generic(family_, api::kQueueGet, api::kVersion, 0);
    request.put_u32(api::kQueueInterface, ifindex_)
        .put_u32(api::kQueueType, api::kQueueReceive)
        .put_u32(api::kQueueId, queue);
    const std::string doing = "get receive queue " + std::to_string(queue);
    auto messages = socket_.call(std::move(request), doing);
    if (!messages) return messages.error();
    if (messages->empty()) return Error{EBADMSG, doing + ": the kernel's answer holds nothing"};
    return decode_queue(messages->front());
}

Result<std::vector<QueueState>> Netdev::receive_queues() {
    auto request = NetlinkRequest::generic(family_, api::kQueueGet, api::kVersion, NLM_F_DUMP);
    request.put_u32(api::kQueueInterface, ifindex_);
    auto messages = socket_.call(std::move(request), "list the queues");
    if (!messages) return messages.error();
    std::vector<QueueState> queues;
    for (const NetlinkMessage& message : *messages) {
        auto attributes = message.attributes();
        if (!attributes) return attributes.error();
        uint32_t type = api::kQueueReceive;
        if (auto taken = take(*attributes, api::kQueueType, type); !taken) return taken.error();
        if (type != api::kQueueReceive) continue;
        auto queue = decode_queue(message);
        if (!queue) return queue.error();
        if (queue->ifindex == ifindex_) queues.push_back(*queue);
    }
    std::sort(queues.begin(), queues.end(),
              [](const QueueState& a, const QueueState& b) { return a.id < b.id; });
    return queues;
}

NetlinkRequest encode_lease(uint16_t family, uint32_t ifindex, uint32_t lender, uint32_t queue,
                            uint32_t namespace_id) {
    auto request = NetlinkRequest::generic(family, api::kQueueCreate, api::kVersion, 0);
    request.put_u32(api::kQueueInterface, ifindex)
        .put_u32(api::kQueueType, api::kQueueReceive)
        .begin(api::kQueueLease)
        .put_u32(api::kLeaseInterface, lender)
        .begin(api::kLeaseQueue)
        .put_u32(api::kQueueId, queue)
        .put_u32(api::kQueueType, api::kQueueReceive)
        .end()
        .put_u32(api::kLeaseNamespace, namespace_id)
        .end();
    return request;
}

Result<uint32_t> Netdev::lease_queue(uint32_t lender, uint32_t queue, uint32_t namespace_id) {
    const std::string doing = "lease queue " + std::to_string(queue);
    auto messages =
        socket_.call(encode_lease(family_, ifindex_, lender, queue, namespace_id), doing);
    if (!messages) return messages.error();
    if (messages->empty()) return Error{EBADMSG, doing + ": the kernel's answer holds nothing"};
    auto made = decode_queue(messages->front());
    if (!made) return made.error();
    return made->id;
}

Result<std::vector<PagePool>> Netdev::page_pools(bool orphans) {
    auto request = NetlinkRequest::generic(family_, api::kPagePoolGet, api::kVersion, NLM_F_DUMP);
    auto messages = socket_.call(std::move(request), "list the page pools");
    if (!messages) return messages.error();
    std::vector<PagePool> pools;
    for (const NetlinkMessage& message : *messages) {
        auto pool = decode_page_pool(message);
        if (!pool) return pool.error();
        const bool ours = pool->ifindex == ifindex_;
        if (ours || (orphans && !pool->ifindex)) pools.push_back(*pool);
    }
    std::sort(pools.begin(), pools.end(),
              [](const PagePool& a, const PagePool& b) { return a.id < b.id; });
    return pools;
}

Result<PagePoolStatistics> Netdev::page_pool_statistics(uint32_t pool) {
    auto request = NetlinkRequest::generic(family_, api::kPagePoolStatsGet, api::kVersion, 0);
    request.begin(api::kPoolStatsInfo).put_u32(api::kPoolId, pool).end();
    auto messages = socket_.call(std::move(request), "get the statistics of a page pool");
    if (!messages) return messages.error();
    if (messages->empty()) return Error{ENOENT, "The kernel tells nothing of that page pool."};
    return decode_page_pool_statistics(messages->front());
}

Result<std::vector<QueueStatistics>> Netdev::statistics() {
    auto request = NetlinkRequest::generic(family_, api::kQstatsGet, api::kVersion, NLM_F_DUMP);
    request.put_u32(api::kStatsInterface, ifindex_).put_u32(api::kStatsScope, api::kScopeQueue);
    auto messages = socket_.call(std::move(request), "get the queue statistics");
    if (!messages) return messages.error();
    std::vector<QueueStatistics> statistics;
    for (const NetlinkMessage& message : *messages) {
        auto one = decode_statistics(message);
        if (!one) return one.error();
        statistics.push_back(std::move(*one));
    }
    return statistics;
}

Result<QueueStatistics> Netdev::statistics_of_all() {
    // The interface is the scope of a request that names none.
    auto request = NetlinkRequest::generic(family_, api::kQstatsGet, api::kVersion, NLM_F_DUMP);
    request.put_u32(api::kStatsInterface, ifindex_);
    auto messages = socket_.call(std::move(request), "get the statistics of all queues together");
    if (!messages) return messages.error();
    if (messages->empty()) return QueueStatistics{};
    return decode_statistics(messages->front());
}

}  // namespace zcrxlab
