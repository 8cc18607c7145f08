// Chapter neighbours, containers: a queue of the NIC that a network namespace has by a lease,
// through a netkit interface, while the NIC itself stays outside.
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "scenarios/chapters/container.hpp"
#include "scenarios/chapters/large_buffers.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/surroundings/device_removal.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/rules_that_go.hpp"

namespace zcrxlab::neighbours_container {
namespace {

using namespace std::chrono_literals;

const Needs kNeeds{.where = Where::kDevice, .flow_rules = true, .queues = 1};
constexpr uint32_t kQueue = Container::kQueue;

StreamPlan plan_into(const Container& container, uint64_t bytes) {
    StreamPlan plan;
    plan.bytes = bytes;
    plan.tcp.local_namespace = container.path();
    return plan;
}

void skip(const Container& container) {
    GTEST_SKIP() << "The kernel lends no queues to containers (" << container.lacking()
                 << "); type: zcrxlab run --kernel 7.3";
}
bool skipped(const Container& container) {
    if (container.lacking().empty()) return false;
    skip(container);
    return true;
}

SCENARIO(neighbours, container_receives,
         "a queue lent to a container receives there as it does for its owner",
         Terms(kNeeds).claims({"neighbours.lease-receives"})) {
    Container container(scene);
    if (skipped(container)) return;
    ReceivePath rx(scene, container.rx(container.lease()));
    const uint32_t stream = rx.connect(plan_into(container, 2_MiB));
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 2_MiB);
    const QueueState lent = scene.must(scene.nic().netdev().receive_queue(kQueue));
    EXPECT_TRUE(lent.io_uring);
    EXPECT_EQ(lent.lease, container.inner());
}

struct Refusal {
    const char* name;
    int expected;
    Result<uint32_t> (*lease)(Container& container);
};
constexpr Refusal kRefusals[] = {
    {"beyond_the_last_queue", ERANGE, [](Container& c) { return c.lease(c.nic(), 1000); }},
    {"a_queue_of_no_interface", ENODEV, [](Container& c) { return c.lease(INT32_MAX, kQueue); }},
    {"a_queue_of_nowhere", ENONET, [](Container& c) { return c.lease(c.nic(), kQueue, 99); }},
    {"a_queue_of_loopback", EINVAL, [](Container& c) { return c.lease(1, 0); }},
    {"a_queue_twice", EBUSY,
     [](Container& c) {
         static_cast<void>(c.lease());
         return c.lease(c.nic(), kQueue);
     }},
};

SCENARIO_TABLE(neighbours, container_lease, "a lease that cannot be is refused, and leaves nothing",
               Terms(kNeeds).claims({"neighbours.lease-excludes"}), kRefusals, row) {
    {
        Container container(scene);
        if (skipped(container)) return;
        const Result<uint32_t> made = row.lease(container);
        scene.returned(std::string("NETDEV_CMD_QUEUE_CREATE: ") + row.name, row.expected,
                       made ? 0 : made.error().code);
    }
    IfqOptions options = small_ifq(scene);
    options.queue = kQueue;
    expect_registers(scene, options);
}

SCENARIO(neighbours, container_excludes_owner,
         "the owner of a queue that is lent is refused, and has it again when the container goes",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true, .queues = 2})
             .claims({"neighbours.lease-excludes"})) {
    IfqOptions options = small_ifq(scene);
    options.queue = kQueue;
    {
        Container container(scene);
        if (skipped(container)) return;
        static_cast<void>(container.lease());
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        scene.returned("IORING_REGISTER_ZCRX_IFQ of a queue that is lent", EBUSY,
                       errno_of(register_raw(ring, &request->registration)));
        scene.returned("IORING_REGISTER_ZCRX_IFQ of the container's own queue", EOPNOTSUPP,
                       container.register_inside(ring, *request, 0));
        IfqOptions other = options;
        other.number = scene.next_ifq();
        other.queue = kQueue + 1;
        expect_registers(scene, other);
    }
    expect_registers(scene, options);
}

SCENARIO(neighbours, container_of_a_bound_queue, "a queue that is bound cannot be lent",
         Terms(kNeeds).claims({"neighbours.lease-excludes"})) {
    Container container(scene);
    if (skipped(container)) return;
    ReceivePath rx(scene, {.queue = kQueue});
    const Result<uint32_t> made = container.lease(container.nic(), kQueue);
    scene.returned("NETDEV_CMD_QUEUE_CREATE of a bound queue", EBUSY, made ? 0 : made.error().code);
    container.remove();
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
}

SCENARIO(neighbours, container_closes,
         "a queue that stays lent is free for the container when its ring closes",
         Terms(kNeeds).claims({"neighbours.lease-closes"})) {
    Container container(scene);
    if (skipped(container)) return;
    const uint32_t leased = container.lease();
    for (unsigned rings = 0; rings < 2; ++rings) {
        {
            ReceivePath rx(scene, container.rx(leased));
            rx.connect(plan_into(container, 500_KiB));
            rx.receive_all();
        }
        scene.wait_for_release(kQueue);
        const QueueState lent = scene.must(scene.nic().netdev().receive_queue(kQueue));
        EXPECT_FALSE(lent.io_uring) << "The provider stays on the queue.";
        EXPECT_EQ(lent.lease, container.inner());
    }
}

struct Length {
    const char* name;
    uint32_t bytes;
};
constexpr Length kLengths[] = {{"8_kib", 8192}, {"32_kib", 32768}};

SCENARIO_TABLE(neighbours, container_large_buffers,
               "a queue that is lent has the large buffers that the container asks for",
               Terms(Needs{.where = Where::kDevice,
                           .flow_rules = true,
                           .queues = 1,
                           .memory = 100_MiB,
                           .features = {Feature::kRxBufferSize}})
                   .claims({"areas.large-buffers", "neighbours.lease-receives"}),
               kLengths, row) {
    if (const auto why = why_not_buffers_of(scene, row.bytes, kQueue); !why.empty())
        GTEST_SKIP() << why;
    reserve_until_end(scene, kReservedForLargeBuffers);
    Container container(scene);
    if (skipped(container)) return;
    ReceivePathOptions options = container.rx(container.lease());
    options.ifq = large_ifq(row.bytes);
    ReceivePath rx(scene, std::move(options));
    EXPECT_EQ(rx.ifq().buffer_size(), row.bytes);
    StreamPlan plan = plan_into(container, 4_MiB);
    plan.chunks = {262144, 4097};
    const uint32_t stream = rx.connect(plan);
    rx.receive_all();
    const StreamState& state = rx.receiver().state(stream);
    EXPECT_EQ(state.bytes, 4_MiB);
    EXPECT_LT(state.data_cqes, 4_MiB / kPageSize) << "No CQE was larger than a page.";
    rx.measure_capacity();
}

struct Removal {
    const char* name;
    ReturnPolicy returns;
};
constexpr Removal kRemovals[] = {{"idle", ReturnPolicy::kAtOnce},
                                 {"with_buffers_held", ReturnPolicy::kNever}};

SCENARIO_TABLE(neighbours, container_removed,
               "a container's interface that is removed gives its bound queue back at once",
               Terms(kNeeds).within(20s).claims({"neighbours.lease-removed"}), kRemovals, row) {
    Container container(scene);
    if (skipped(container)) return;
    {
        ReceivePathOptions options = container.rx(container.lease());
        options.receiver.returns = row.returns;
        options.uncounted = Uncounted::kNothingArrives;
        ReceivePath rx(scene, std::move(options));
        StreamPlan plan = plan_into(container, 100000);
        plan.end = PeerEnd::kIdle;
        const uint32_t stream = rx.connect(plan);
        rx.receive(100000);
        container.remove();
        counts_start_over(scene, rx, {stream});
        // The ring is still there, and so are the buffers.
        const QueueState back = scene.must(scene.nic().netdev().receive_queue(kQueue));
        EXPECT_FALSE(back.io_uring) << "The provider stays on the queue.";
        EXPECT_FALSE(back.lease) << "The queue is still lent.";
        IfqOptions owner = small_ifq(scene);
        owner.queue = kQueue;
        expect_registers(scene, owner);
        rx.abandon();
        scene.must(rx.receiver().return_held());
    }
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 100000});
    rx.receive_all();
}

// A real NIC is taken away only where a person says that nobody else needs the card.
struct Departure {
    const char* name;
    DeviceRemoval::How how;
    Terms terms;
};
const Needs kUnbinding{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .disruptive = true, .queues = 1};
const Needs kUnplugging{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .emulated = true, .queues = 1};
const Departure kDepartures[] = {
    {"driver_unbound", DeviceRemoval::How::kUnbound, kUnbinding},
    {"device_removed", DeviceRemoval::How::kRemoved, kUnplugging},
};

SCENARIO_TABLE(neighbours, container_loses_nic,
               "a NIC that goes while a container receives takes the interface that has its queue "
               "with it, and comes back with its queues free",
               Terms(kUnbinding).claims({"teardown.removal"}), kDepartures, row) {
    DeviceRemoval departure(scene, row.how);
    {
        Container container(scene);
        if (skipped(container)) return;
        ReceivePathOptions options = container.rx(container.lease());
        options.receiver.returns = ReturnPolicy::kNever;
        options.steer = false;
        options.uncounted = Uncounted::kNothingArrives;
        ReceivePath rx(scene, std::move(options));
        StreamPlan plan = plan_into(container, 0);
        plan.end = PeerEnd::kIdle;
        const uint32_t stream = rx.connect(plan);
        steer_until_gone(scene, local_port(scene, rx.socket(stream)), kQueue);
        rx.peer(stream).send_more(500000);
        rx.receive(500000);
        departure.leave();
        EXPECT_FALSE(container.there()) << "The container's interface is still there.";
        scene.must(rx.receiver().return_held());
        rx.abandon();
        departure.come_back();
        counts_start_over(scene, rx, {stream});
    }
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

// A reference that a lease takes too much or gives back too much holds the interface up.
SCENARIO(neighbours, container_gone_before_nic, "a NIC whose queue was lent and given back can go",
         Terms(kUnbinding).claims({"teardown.removal"})) {
    DeviceRemoval departure(scene, DeviceRemoval::How::kUnbound);
    {
        Container container(scene);
        if (skipped(container)) return;
        static_cast<void>(container.lease());
    }
    departure.leave();
    departure.come_back();
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 100000});
    rx.receive_all();
}

}  // namespace
}  // namespace zcrxlab::neighbours_container
