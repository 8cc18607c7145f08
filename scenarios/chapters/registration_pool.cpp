// Chapter registration: the page pool of a queue, as the kernel counts what goes through it.
//
// A pool hands out of its cache, which nobody but the poll of its queue may touch. What that poll
// lets go of goes back there; what anybody else does, into a ring that fills the cache again.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "harness/base/each_processor.hpp"
#include "harness/ring/socket_queues.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::registration_pool {
namespace {

constexpr uint32_t kQueue = 1;
constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kSegment = 1000;
constexpr uint64_t kRepeats = 20;
// Less than a socket holds, and more than one buffer.
constexpr size_t kUnread = 60000;

// The pool whose memory the scenario's ring provides.
class BoundPool {
  public:
    explicit BoundPool(Scene& scene) : scene_(scene) {
        for (const PagePool& pool : scene.must(scene.nic().netdev().page_pools()))
            if (pool.io_uring && !pool.detach_time) ids_.push_back(pool.id);
        if (ids_.size() != 1)
            scene.give_up("There is not one pool of io_uring, as there should be.");
    }
    PagePoolStatistics counts() const {
        return scene_.must(scene_.nic().netdev().page_pool_statistics(ids_.front()));
    }
    static uint64_t handed_out(const PagePoolStatistics& counts) {
        return counts.fast + counts.refill + counts.empty;
    }

  private:
    Scene& scene_;
    std::vector<uint32_t> ids_;
};

// Asked of the driver's own pools, before there is any other.
bool counts_pools(Scene& scene) {
    Netdev& netdev = scene.nic().netdev();
    const std::vector<PagePool> pools = scene.must(netdev.page_pools());
    if (pools.empty()) return true;
    const auto counts = netdev.page_pool_statistics(pools.front().id);
    return counts || counts.error().code != EOPNOTSUPP;
}

// A provider's buffers are no pages of the kernel, and of no node.
void expect_no_pages(const PagePoolStatistics& counts) {
    EXPECT_EQ(counts.slow, 0U);
    EXPECT_EQ(counts.slow_high_order, 0U);
    EXPECT_EQ(counts.waive, 0U);
    EXPECT_EQ(counts.released_refcnt, 0U);
}

// Closes the end that has not read what came, while nothing more is on its way to it.
void drop_unread(Scene& scene) {
    TcpPair pair = connect_by_rule(scene, kQueue);
    const std::vector<std::byte> bytes(kUnread);
    ASSERT_EQ(::send(pair.peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    scene.wait_for("The bytes did not come to the socket.",
                   [&] { return bytes_queued(pair.receiver.get()) == static_cast<int>(kUnread); });
    pair.receiver = Fd();
}

SCENARIO(registration, pool_counts,
         "a queue's page pool counts what it hands out, and what comes back to its cache and ring",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true, .queues = 1})
             .claims({"registration.pool-counts"})) {
    if (!counts_pools(scene))
        GTEST_SKIP() << "The kernel was built without CONFIG_PAGE_POOL_STATS; build it with it, or "
                        "type: zcrxlab run --nic gve";
    ReceivePath rx(scene, {.queue = kQueue});
    const BoundPool pool(scene);
    const PagePoolStatistics fresh = pool.counts();
    EXPECT_EQ(fresh.cached + fresh.ring + fresh.cache_full + fresh.ring_full, 0U)
        << "A new pool has counts of another one.";
    expect_no_pages(fresh);

    // The poll drops what has come before.
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    SegmentSource source(scene, rx, stream);
    const Segment segment{.from = 0, .length = kSegment};
    source.send(segment);
    rx.receive(kSegment);
    for (uint64_t i = 0; i < kRepeats; ++i) source.send(segment);
    scene.wait_for("The buffers of what came twice did not come back to the cache.",
                   [&] { return pool.counts().cached >= kRepeats; });

    // A socket that is closed drops what it has outside of any poll, if that is done on the
    // processor that got the packets; the others leave it to the next poll there. So may, at times,
    // who receives.
    const uint64_t in_ring = pool.counts().ring;
    on_each_processor([&] { drop_unread(scene); });
    const uint64_t least = kUnread / rx.ifq().buffer_size();
    scene.wait_for("The buffers of a closed socket did not come back to the ring.",
                   [&] { return pool.counts().ring >= in_ring + least; });
    const PagePoolStatistics before = pool.counts();

    const uint32_t other = rx.connect({.bytes = kMiB});
    rx.receive_until_end(other);
    const PagePoolStatistics after = pool.counts();
    // A driver replaces many at a time: the last ones not yet.
    EXPECT_GE(BoundPool::handed_out(after) - BoundPool::handed_out(before),
              kMiB / rx.ifq().buffer_size() / 2);
    EXPECT_GT(after.refill, 0U) << "Nothing took of the ring.";
    EXPECT_GT(after.fast, after.empty) << "The provider did not fill the cache.";
    EXPECT_GT(after.empty, 0U) << "The provider was never asked.";
    expect_no_pages(after);
    source.finish();
    rx.receive_all();
}

}  // namespace
}  // namespace zcrxlab::registration_pool
