// Container: a network namespace that has a queue of the NIC by a lease, through a netkit
// interface, while the NIC itself stays outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/net/netdev.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

struct bpf_insn;

namespace zcrxlab {

// The namespace has the address of the NIC, TCP packets over IPv4 are diverted to it, and its
// interface takes leases. All of it goes with it.
class Container {
  public:
    static constexpr uint32_t kQueue = 1;    // of the NIC, the one that is lent
    static constexpr uint32_t kOutside = 0;  // what the container calls the namespace of the NIC

    explicit Container(Scene& scene);
    ~Container();
    Container(const Container&) = delete;
    Container& operator=(const Container&) = delete;

    // Empty, or why there are no leases here.
    const std::string& lacking() const { return lacking_; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(namespace_.get()); }
    uint32_t nic() const { return nic_; }
    uint32_t inner() const { return inner_->ifindex(); }

    // A queue of the container that is queue `queue` of the interface `lender`.
    Result<uint32_t> lease(uint32_t lender, uint32_t queue, uint32_t where = kOutside);
    uint32_t lease() { return scene_.must(lease(nic_, kQueue)); }
    // IORING_REGISTER_ZCRX_IFQ as a process inside does it: the errno.
    int register_inside(Ring& ring, const IfqRequest& good, uint32_t queue);
    // A path whose ifq is registered inside, on the container's queue. `queue` is that of the NIC,
    // and what is judged.
    ReceivePathOptions rx(uint32_t leased, uint32_t queue = kQueue);
    // The container's interfaces, if they are there; what was bound to them is not any more.
    void remove();
    // They go with the NIC that has lent a queue, too.
    bool there() const;

  private:
    // The way back. The kernel looks an interface up in the namespace of the thread that registers,
    // which must be the one that made the ring.
    Fd enter(const Fd& where);
    void divert(uint32_t at, const std::vector<bpf_insn>& code);

    Scene& scene_;
    Fd namespace_;
    uint32_t nic_ = 0;
    std::optional<Netdev> inner_;
    std::vector<Fd> programs_;
    std::string lacking_;
    bool removed_ = false;
};

}  // namespace zcrxlab
