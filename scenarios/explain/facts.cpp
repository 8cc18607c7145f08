// Facts: reads the state of this machine and of one of its interfaces.
#include <linux/capability.h>
#include <net/if.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "harness/net/ethtool.hpp"
#include "harness/net/netdev.hpp"
#include "scenarios/explain/explain.hpp"

namespace zcrxlab {
namespace {

bool capable(unsigned capability) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> data{};
    if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
    return (data.at(capability / 32).effective >> (capability % 32) & 1) != 0;
}

void read_interface(Facts& facts) {
    facts.interface_there = ::if_nametoindex(facts.interface.c_str()) != 0;
    if (!*facts.interface_there) return;
    if (Result<Ethtool> ethtool = Ethtool::open(facts.interface)) {
        if (const Result<Channels> channels = ethtool->channels())
            facts.queues = channels->receive();
        if (const Result<RingSizes> rings = ethtool->rings()) {
            if (rings->data_split) facts.header_split = *rings->data_split == DataSplit::kEnabled;
            facts.split_threshold = rings->hds_thresh;
        }
    }
    if (Result<Netdev> netdev = Netdev::open(facts.interface)) {
        if (const Result<QueueState> queue = netdev->receive_queue(facts.queue)) {
            facts.io_uring_provider = queue->io_uring;
            facts.dmabuf_provider = queue->dmabuf.has_value();
            facts.xsk_pool = queue->xsk;
        }
    }
}

}  // namespace

Facts facts_of_this_machine(const std::string& interface, uint32_t queue) {
    Facts facts;
    facts.net_admin = capable(CAP_NET_ADMIN);
    rlimit limit{};
    if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        facts.lock_unlimited = limit.rlim_cur == RLIM_INFINITY || capable(CAP_IPC_LOCK);
    std::ifstream setting("/proc/sys/kernel/io_uring_disabled");
    if (int value = 0; setting >> value) facts.io_uring_disabled = value;
    facts.interface = interface;
    facts.queue = queue;
    if (!interface.empty()) read_interface(facts);
    return facts;
}

}  // namespace zcrxlab
