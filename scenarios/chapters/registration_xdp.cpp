// Chapters registration and steering: XDP programs and AF_XDP sockets at the interface whose queue
// zcrx is to have, or has.
#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/base/mapping.hpp"
#include "harness/uapi/netlink.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/bpf.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::registration_xdp {
namespace {

const Needs kDevice{.where = Where::kDevice, .queues = 1};
constexpr uint32_t kQueue = 1;

// How a program meets a packet: `frags`, it takes packets of several buffers; `native`, the driver
// runs it.
struct Kind {
    const char* name;
    bool frags;
    bool native;
};
constexpr Kind kKinds[] = {{"single_buffer", false, false},
                           {"multi_buffer", true, false},
                           {"native_single_buffer", false, true},
                           {"native_multi_buffer", true, true}};

// A program that passes every packet, at the interface until the descriptor is closed.
Result<Fd> attach(Scene& scene, const Kind& kind) {
    bpf_insn code[2] = {};
    code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;  // r0 = XDP_PASS
    code[0].imm = XDP_PASS;
    code[1].code = BPF_JMP | BPF_EXIT;
    const Fd program = scene.must(
        load_program(BPF_PROG_TYPE_XDP, code, kind.frags ? uint32_t{BPF_F_XDP_HAS_FRAGS} : 0));
    return attach_program(program, if_nametoindex(scene.endpoints().interface.c_str()), BPF_XDP,
                          kind.native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
}

template <typename T>
int code_of(const Result<T>& result) {
    return result ? 0 : result.error().code;
}

// Packets that fit into one small buffer, as drivers want it; coalescing the kernel would switch
// off itself at the first program, and leave it off.
void make_packets_small(Scene& scene) {
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    scene.must(scene.nic().set_mtu(1500));
}

int register_now(Scene& scene, const IfqOptions& options) {
    Ring ring = scene.must(Ring::create());
    const std::unique_ptr<IfqRequest> request = scene.must(IfqRequest::prepare(options));
    return errno_of(register_raw(ring, &request->registration));
}

SCENARIO(registration, xdp_there,
         "where an XDP program is there already a queue is EEXIST, and free when the program goes",
         Terms(kDevice).claims({"registration.xdp-there"})) {
    make_packets_small(scene);
    const IfqOptions options = small_ifq(scene);
    {
        // Only such a program can be there together with header split.
        const Fd program = scene.must(attach(scene, {"", true, false}));
        scene.returned("IORING_REGISTER_ZCRX_IFQ with XDP there", EEXIST,
                       register_now(scene, options));
    }
    expect_registers(scene, options);
}

constexpr Kind kSingleBuffer[] = {{"generic", false, false}, {"native", false, true}};

SCENARIO_TABLE(
    registration, single_buffer_xdp_there,
    "where XDP is there that takes single buffers only, header split stays off, and a queue is "
    "refused",
    Terms(kDevice).claims({"registration.xdp-there"}), kSingleBuffer, row) {
    const IfqOptions options = small_ifq(scene);
    make_packets_small(scene);
    scene.must(scene.nic().disable_header_split());
    if (row.native)
        static_cast<void>(use_receive_buffers(scene, 2048));  // what gve runs programs with
    {
        const Fd program = scene.must(attach(scene, row));
        const int split =
            code_of(scene.nic().ethtool().set_rings({.data_split = DataSplit::kEnabled}));
        // Kernels differ in who sees it first: ethtool, the driver, or the registration.
        scene.returned("tcp-data-split on with XDP there",
                       split == EOPNOTSUPP || (split == 0 && !row.native) ? split : EINVAL, split);
        scene.returned("IORING_REGISTER_ZCRX_IFQ with XDP there", split == 0 ? EEXIST : EINVAL,
                       register_now(scene, options));
    }
    scene.must(scene.nic().enable_header_split());
    expect_registers(scene, options);
    scene.wait_for_release(options.queue);
}

SCENARIO_TABLE(steering, xdp_locked,
               "while a queue is bound no XDP program can be attached, and afterwards one can",
               Terms(kDevice).claims({"steering.xdp-locked"}), kKinds, row) {
    make_packets_small(scene);
    {
        ReceivePath rx(scene, {.ifq = {.area_size = 8U << 20}, .queue = kQueue});
        scene.returned(std::string("attaching XDP while a queue is bound: ") + row.name, EBUSY,
                       code_of(attach(scene, row)));
        rx.connect({.bytes = 100000});
        rx.receive_all();
    }
    scene.wait_for_release(kQueue);
    // Single buffers do not go together with header split, nor does this driver run programs then.
    if (row.frags && !row.native) {
        scene.returned("attaching XDP when no queue is bound", 0, code_of(attach(scene, row)));
    }
}

// ---- AF_XDP

// A socket with its memory and rings on a queue.
class XdpSocket {
  public:
    // The errno of the bind is in code().
    XdpSocket(Scene& scene, uint32_t queue, uint16_t flags)
        : memory_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)),
          socket_(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0)) {
        if (!socket_ || memory_ == MAP_FAILED)
            scene.give_up(error_from_errno("make an AF_XDP socket").sentence);
        xdp_umem_reg umem{};
        umem.addr = reinterpret_cast<uintptr_t>(memory_);
        umem.len = kBytes;
        umem.chunk_size = 4096;
        set(scene, XDP_UMEM_REG, &umem, sizeof umem);
        const int entries = 64;
        for (const int ring : {XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING})
            set(scene, ring, &entries, sizeof entries);
        sockaddr_xdp address{};
        address.sxdp_family = AF_XDP;
        address.sxdp_flags = flags;
        address.sxdp_ifindex = if_nametoindex(scene.endpoints().interface.c_str());
        address.sxdp_queue_id = queue;
        if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            code_ = errno;
    }
    ~XdpSocket() {
        socket_.reset();
        ::munmap(memory_, kBytes);
    }
    XdpSocket(const XdpSocket&) = delete;
    XdpSocket& operator=(const XdpSocket&) = delete;
    int code() const { return code_; }

  private:
    static constexpr size_t kBytes = 64 * 4096;
    void set(Scene& scene, int option, const void* value, size_t size) {
        if (::setsockopt(socket_.get(), SOL_XDP, option, value, static_cast<socklen_t>(size)) != 0)
            scene.give_up(error_from_errno("set up an AF_XDP socket").sentence);
    }

    void* memory_;
    Fd socket_;
    int code_ = 0;
};

// The kernel lets go of the memory some time after the close.
void wait_for_pool_gone(Scene& scene, uint32_t queue) {
    scene.wait_for("The AF_XDP pool stays on its queue.",
                   [&] { return !scene.must(scene.nic().netdev().receive_queue(queue)).xsk; });
}

SCENARIO(registration, xsk_there,
         "a queue with an AF_XDP pool is EBUSY, another one is not, and it is free when that goes",
         Terms(Needs{.where = Where::kDevice, .queues = 2}).claims({"registration.xsk-there"})) {
    const IfqOptions options = small_ifq(scene);
    const IfqOptions other = small_ifq(scene);
    {
        const XdpSocket socket(scene, options.queue, XDP_COPY);
        scene.returned("binding an AF_XDP socket", 0, socket.code());
        EXPECT_TRUE(scene.must(scene.nic().netdev().receive_queue(options.queue)).xsk);
        scene.returned("IORING_REGISTER_ZCRX_IFQ with an AF_XDP pool there", EBUSY,
                       register_now(scene, options));
        expect_registers(scene, other);
    }
    wait_for_pool_gone(scene, options.queue);
    expect_registers(scene, options);
}

SCENARIO(steering, xsk_locked, "while a queue is bound no AF_XDP socket gets zero copy on it",
         Terms(kDevice).claims({"steering.xdp-locked"})) {
    // What the kernel says before it looks at the queue. That a queue is refused proves nothing:
    // gve refuses each while header split is on.
    if ((scene.must(scene.nic().netdev().xdp_features()) & uapi::netdev::kXdpXskZeroCopy) == 0)
        GTEST_SKIP() << "The driver has no AF_XDP zero copy; type: zcrxlab run --nic gve";
    make_packets_small(scene);
    ReceivePath rx(scene, {.queue = kQueue});
    const XdpSocket socket(scene, kQueue, XDP_ZEROCOPY);
    scene.returned("binding an AF_XDP socket for zero copy to a bound queue", EBUSY, socket.code());
    rx.connect({.bytes = 100000});
    rx.receive_all();
}

}  // namespace
}  // namespace zcrxlab::registration_xdp
