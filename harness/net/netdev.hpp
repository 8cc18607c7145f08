// The generic netlink family `netdev`: queues and who provides their memory, page pools,
// statistics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {

// A receive queue.
struct QueueState {
    uint32_t id = 0;
    uint32_t ifindex = 0;
    std::optional<uint32_t> napi;
    std::optional<uint32_t> dmabuf;           // id of a bound dmabuf
    bool io_uring = false;                    // a zcrx instance provides its memory
    std::optional<uint32_t> io_uring_buffer;  // its rx_buf_len (Linux 7.2)
    bool xsk = false;                         // an AF_XDP pool
    std::optional<uint32_t> lease;            // ifindex of the other end of a lease (Linux 7.1)
    bool operator==(const QueueState&) const = default;
};

struct PagePool {
    uint32_t id = 0;
    std::optional<uint32_t> ifindex;  // empty: its interface is gone
    std::optional<uint32_t> napi;
    uint64_t inflight = 0;         // pages handed out by the pool
    uint64_t inflight_memory = 0;  // bytes
    // Seconds since the driver let go of it; empty while it is in use.
    std::optional<uint64_t> detach_time;
    bool io_uring = false;
    std::optional<uint32_t> io_uring_buffer;  // as QueueState has it
    bool operator==(const PagePool&) const = default;
};

// What a page pool has counted since it was made (Documentation/networking/page_pool.rst).
struct PagePoolStatistics {
    uint32_t id = 0;  // of the pool
    // Pages handed out: of the cache, of the page allocator, and of the cache once the ring had
    // filled it.
    uint64_t fast = 0, slow = 0, slow_high_order = 0, refill = 0;
    // Times that neither cache nor ring had one, and that one of the ring was of another node.
    uint64_t empty = 0, waive = 0;
    // Pages that came back: into the cache, or into the ring; those that the cache or the ring had
    // no room for, and those that were still in use.
    uint64_t cached = 0, ring = 0, cache_full = 0, ring_full = 0, released_refcnt = 0;
    bool operator==(const PagePoolStatistics&) const = default;
};

// Counters of one queue by the kernel's attribute number; the usual ones by name.
struct QueueStatistics {
    uint32_t id = 0;
    bool receive = true;
    std::map<uint16_t, uint64_t> counters;
    uint64_t packets() const;
    uint64_t bytes() const;
    // Packets that were dropped, or buffers that were not posted, for want of memory; as each
    // driver counts it (rx-alloc-fail in Documentation/netlink/specs/netdev.yaml).
    uint64_t allocation_failures() const;
};

class Netdev {
  public:
    // ENOENT without the family; ENODEV for an unknown interface.
    static Result<Netdev> open(const std::string& interface);

    uint32_t ifindex() const { return ifindex_; }
    // XDP abilities (NETDEV_XDP_ACT_*).
    Result<uint64_t> xdp_features();
    Result<QueueState> receive_queue(uint32_t queue);
    Result<std::vector<QueueState>> receive_queues();
    // Gives this interface, a virtual one, a new queue that stands for queue `queue` of the
    // interface `lender` of the namespace that is called `namespace_id` here; the new queue's
    // number. EOPNOTSUPP where the kernel has no leases, or this interface takes none.
    Result<uint32_t> lease_queue(uint32_t lender, uint32_t queue, uint32_t namespace_id);
    // Page pools of this interface, in order of their ids; with `orphans`, also those whose
    // interface is gone.
    Result<std::vector<PagePool>> page_pools(bool orphans = false);
    // EOPNOTSUPP where the kernel was built without CONFIG_PAGE_POOL_STATS; ENOENT if there is no
    // such pool.
    Result<PagePoolStatistics> page_pool_statistics(uint32_t pool);
    // Of each queue; of none while the interface is down. EOPNOTSUPP where the driver keeps none.
    Result<std::vector<QueueStatistics>> statistics();
    // The sums over all queues, those that are gone included; without counters where the driver
    // cannot tell of the latter. EOPNOTSUPP where it keeps none at all.
    Result<QueueStatistics> statistics_of_all();

  private:
    Netdev(NetlinkSocket socket, uint16_t family, uint32_t ifindex)
        : socket_(std::move(socket)), family_(family), ifindex_(ifindex) {}

    NetlinkSocket socket_;
    uint16_t family_;
    uint32_t ifindex_;
};

// The messages on their own, for tests without a kernel.
Result<QueueState> decode_queue(const NetlinkMessage& message);
Result<PagePool> decode_page_pool(const NetlinkMessage& message);
Result<PagePoolStatistics> decode_page_pool_statistics(const NetlinkMessage& message);
Result<QueueStatistics> decode_statistics(const NetlinkMessage& message);
NetlinkRequest encode_lease(uint16_t family, uint32_t ifindex, uint32_t lender, uint32_t queue,
                            uint32_t namespace_id);

}  // namespace zcrxlab
