// Chapter neighbours, containers: a queue of the NIC that a network namespace has by a lease,
// through a netkit interface, while the NIC itself stays outside.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>

#include <climits>
#include <optional>
#include <thread>
#include <utility>

#include "harness/net/namespace.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/bpf.hpp"

namespace zcrxlab::neighbours_container {
namespace {

using namespace std::chrono_literals;

const Needs kNeeds{.where = Where::kDevice, .flow_rules = true, .queues = 1};
constexpr uint32_t kQueue = 1;        // of the NIC
constexpr uint32_t kOutside = 0;      // what the container calls the namespace of the NIC
constexpr uint32_t kTcxIngress = 46;  // BPF_TCX_INGRESS, Linux 6.6
const char* const kOuter = "zcrxlab-nk";
const char* const kInner = "zcrxlab-nkc";

bpf_insn instruction(uint8_t code, uint8_t to, uint8_t from, int16_t jump, int32_t value) {
    bpf_insn made{};
    made.code = code;
    made.dst_reg = static_cast<uint8_t>(to & 15U);
    made.src_reg = static_cast<uint8_t>(from & 15U);
    made.off = jump;
    made.imm = value;
    return made;
}
bpf_insn set(uint8_t to, int32_t value) {
    return instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}
bpf_insn call(int32_t function) {
    return instruction(BPF_JMP | BPF_CALL, 0, 0, 0, function);
}
bpf_insn leave() {
    return instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

// TCP over IPv4 goes to the other end of a netkit pair, everything else on.
std::vector<bpf_insn> to_container(uint32_t outer) {
    return {instruction(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
            instruction(BPF_LD | BPF_ABS | BPF_H, 0, 0, 0, 12),  // the Ethernet type
            instruction(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 6, 0x0800),
            instruction(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 23),  // the protocol of IPv4
            instruction(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 4, 6),
            set(1, static_cast<int32_t>(outer)),
            set(2, 0),
            call(BPF_FUNC_redirect_peer),
            leave(),
            set(0, -1),  // TCX_NEXT
            leave()};
}

// Whatever the container sends goes out through the NIC, to the neighbour it is for.
std::vector<bpf_insn> out_of_container(uint32_t nic) {
    return {set(1, static_cast<int32_t>(nic)), set(2, 0), set(3, 0), set(4, 0),
            call(BPF_FUNC_redirect_neigh),     leave()};
}

Result<Fd> new_namespace() {
    Result<Fd> made = Error{EINVAL, ""};
    std::thread([&] {
        if (::unshare(CLONE_NEWNET) != 0) {
            made = error_from_errno("make a network namespace");
            return;
        }
        Fd here(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        made = here ? Result<Fd>(std::move(here)) : error_from_errno("open a network namespace");
    }).join();
    return made;
}

Result<void> remove_outer() {
    Result<Links> links = Links::open();
    return links ? links->remove(kOuter) : Result<void>(links.error());
}

// A network namespace with the address of the NIC, to which TCP packets are diverted, and with an
// interface that takes leases. All of it goes with it.
class Container {
  public:
    explicit Container(Scene& scene) : scene_(scene), namespace_(scene.must(new_namespace())) {
        const Endpoints& ends = scene.endpoints();
        scene.prepare_nic();
        nic_ = if_nametoindex(ends.interface.c_str());
        const Fd outside(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        Links& links = scene.nic().links();
        const uint32_t mtu = scene.must(links.get(ends.interface)).mtu;
        const Result<void> pair = links.add_netkit(kOuter, kInner, namespace_.get(), 3, mtu);
        if (!pair) {
            lacking_ = pair.error().sentence;
            return;
        }
        // For a scenario that gives up.
        scene.undo_later("the container", []() -> Result<void> {
            return if_nametoindex(kOuter) != 0 ? remove_outer() : Result<void>();
        });
        scene.must(links.set_up(kOuter, true));
        scene.must(in_namespace(path(), [&]() -> Result<void> {
            Result<Links> inside = Links::open();
            if (!inside) return inside.error();
            if (auto numbered = inside->number_namespace(outside.get(), kOutside); !numbered)
                return numbered;
            if (auto given = inside->add_address(kInner, ends.local_v4, 24); !given) return given;
            if (auto up = inside->set_up(kInner, true); !up) return up;
            Result<Netdev> netdev = Netdev::open(kInner);
            if (!netdev) return netdev.error();
            inner_.emplace(std::move(*netdev));
            return {};
        }));
        // No interface has this number: a kernel that knows leases says so.
        const Result<uint32_t> probe = lease(INT32_MAX, 0);
        if (!probe && probe.error().code == EOPNOTSUPP) lacking_ = probe.error().sentence;
        const uint32_t outer = if_nametoindex(kOuter);
        divert(nic_, to_container(outer));
        divert(outer, out_of_container(nic_));
    }
    ~Container() {
        if (inner_) remove();
    }
    Container(const Container&) = delete;
    Container& operator=(const Container&) = delete;

    // Empty, or why there are no leases here.
    const std::string& lacking() const { return lacking_; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(namespace_.get()); }
    uint32_t nic() const { return nic_; }
    uint32_t inner() const { return inner_->ifindex(); }

    // A queue of the container that is queue `queue` of the interface `lender`.
    Result<uint32_t> lease(uint32_t lender, uint32_t queue, uint32_t where = kOutside) {
        return inner_->lease_queue(lender, queue, where);
    }
    uint32_t lease() { return scene_.must(lease(nic_, kQueue)); }
    // IORING_REGISTER_ZCRX_IFQ as a process inside does it: the errno.
    int register_inside(Ring& ring, const IfqRequest& good, uint32_t queue) {
        uapi::ZcrxIfqReg registration = good.registration;
        registration.interface = inner();
        registration.queue = queue;
        const Fd back = enter(namespace_);
        const int code = errno_of(register_raw(ring, &registration));
        static_cast<void>(enter(back));
        return code;
    }
    // A rx whose ifq is registered inside, on the container's queue. `queue` is that of the NIC,
    // and what is judged.
    ReceivePathOptions rx(uint32_t leased, uint32_t queue = kQueue) {
        ReceivePathOptions options;
        options.queue = queue;
        options.open = [this, leased](Ring& ring, std::unique_ptr<IfqRequest> request) {
            request->registration.interface = inner();
            request->registration.queue = leased;
            const Fd back = enter(namespace_);
            auto opened = Ifq::open(ring, std::move(request), &scene_.trace());
            static_cast<void>(enter(back));
            return opened;
        };
        return options;
    }
    // The container's interfaces; what was bound to them is not any more.
    void remove() {
        if (std::exchange(removed_, true)) return;
        programs_.clear();
        scene_.must(remove_outer());
    }

  private:
    // The way back. The kernel looks an interface up in the namespace of the thread that registers,
    // which must be the one that made the ring.
    Fd enter(const Fd& where) {
        Fd back(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        if (!back || ::setns(where.get(), CLONE_NEWNET) != 0)
            scene_.give_up(error_from_errno("enter a network namespace").sentence);
        return back;
    }
    void divert(uint32_t at, const std::vector<bpf_insn>& code) {
        const Fd program = scene_.must(load_program(BPF_PROG_TYPE_SCHED_CLS, code));
        programs_.push_back(scene_.must(attach_program(program, at, kTcxIngress)));
    }

    Scene& scene_;
    Fd namespace_;
    uint32_t nic_ = 0;
    std::optional<Netdev> inner_;
    std::vector<Fd> programs_;
    std::string lacking_;
    bool removed_ = false;
};

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

}  // namespace
}  // namespace zcrxlab::neighbours_container
