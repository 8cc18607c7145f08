// Makes the namespace, the netkit pair, and the programs that divert packets.
#include "scenarios/chapters/container.hpp"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>

#include <cerrno>
#include <climits>
#include <thread>
#include <utility>

#include "harness/net/namespace.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/surroundings/bpf.hpp"

namespace zcrxlab {
namespace {

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

}  // namespace

Container::Container(Scene& scene) : scene_(scene), namespace_(scene.must(new_namespace())) {
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

Container::~Container() {
    if (inner_) remove();
}

Result<uint32_t> Container::lease(uint32_t lender, uint32_t queue, uint32_t where) {
    return inner_->lease_queue(lender, queue, where);
}

int Container::register_inside(Ring& ring, const IfqRequest& good, uint32_t queue) {
    uapi::ZcrxIfqReg registration = good.registration;
    registration.interface = inner();
    registration.queue = queue;
    const Fd back = enter(namespace_);
    const int code = errno_of(register_raw(ring, &registration));
    static_cast<void>(enter(back));
    return code;
}

ReceivePathOptions Container::rx(uint32_t leased, uint32_t queue) {
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

void Container::remove() {
    if (std::exchange(removed_, true)) return;
    programs_.clear();
    if (there()) scene_.must(remove_outer());
}

bool Container::there() const {
    return if_nametoindex(kOuter) != 0;
}

Fd Container::enter(const Fd& where) {
    Fd back(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!back || ::setns(where.get(), CLONE_NEWNET) != 0)
        scene_.give_up(error_from_errno("enter a network namespace").sentence);
    return back;
}

void Container::divert(uint32_t at, const std::vector<bpf_insn>& code) {
    const Fd program = scene_.must(load_program(BPF_PROG_TYPE_SCHED_CLS, code));
    programs_.push_back(scene_.must(attach_program(program, at, kTcxIngress)));
}

}  // namespace zcrxlab
