// The causes of each errno, as the kernel's source has them. The source is io_uring/zcrx.c, if a
// sentence names no other part of the kernel.
#include <array>
#include <cerrno>

#include "scenarios/explain/explain.hpp"

namespace zcrxlab {
namespace {

using Known = std::optional<bool>;

Known opposite(Known fact) {
    return fact ? Known(!*fact) : fact;
}
Known no_net_admin(const Facts& facts) {
    return opposite(facts.net_admin);
}
Known io_uring_is_off(const Facts& facts) {
    return facts.io_uring_disabled ? Known(*facts.io_uring_disabled != 0) : std::nullopt;
}
Known limited_memory(const Facts& facts) {
    return opposite(facts.lock_unlimited);
}
Known no_interface(const Facts& facts) {
    return opposite(facts.interface_there);
}
Known no_such_queue(const Facts& facts) {
    return facts.queues ? Known(facts.queue >= *facts.queues) : std::nullopt;
}
Known queue_zero(const Facts& facts) {
    return facts.interface.empty() ? std::nullopt : Known(facts.queue == 0);
}
Known no_header_split(const Facts& facts) {
    return opposite(facts.header_split);
}
Known split_threshold(const Facts& facts) {
    return facts.split_threshold ? Known(*facts.split_threshold != 0) : std::nullopt;
}
Known provider_there(const Facts& facts) {
    if (facts.io_uring_provider.value_or(false) || facts.dmabuf_provider.value_or(false))
        return true;
    return facts.io_uring_provider && facts.dmabuf_provider ? Known(false) : std::nullopt;
}
Known xsk_there(const Facts& facts) {
    return facts.xsk_pool;
}

constexpr auto kCauses = std::to_array<Cause>({
    // ---- IORING_REGISTER_ZCRX_IFQ
    {"register", EPERM, "the task has no CAP_NET_ADMIN",
     "run it as root, or give it the capability", no_net_admin},
    {"register", EPERM, "io_uring is restricted on this machine",
     "sysctl kernel.io_uring_disabled=0", io_uring_is_off},
    {"register", EINVAL, "the kernel is older than 6.15, or built without CONFIG_IO_URING_ZCRX",
     "zgrep IO_URING_ZCRX /proc/config.gz /boot/config-$(uname -r)"},
    {"register", EINVAL, "nr_args is not 1, or the argument is NULL", ""},
    {"register", EINVAL, "the ring was not set up with IORING_SETUP_DEFER_TASKRUN",
     "IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN"},
    {"register", EINVAL, "the ring has 16-byte CQEs only",
     "IORING_SETUP_CQE32, or IORING_SETUP_CQE_MIXED since 6.18"},
    {"register", EINVAL, "zcrx_id, a reserved field, or an unknown flag is set",
     "clear the structure first; fields that came later were reserved in older kernels"},
    {"register", EINVAL, "if_rxq is -1, or rq_entries is 0 or above 32768",
     "IORING_SETUP_CLAMP makes too many entries 32768"},
    {"register", EINVAL, "ZCRX_REG_NODEV together with an interface, a queue or a dmabuf", ""},
    {"register", EINVAL,
     "the area has its token, flags or reserved fields set, a dmabuf_fd without its flag, or an "
     "address or length that is not a multiple of the page size",
     ""},
    {"register", EINVAL, "rx_buf_len is not a power of two of at least a page", ""},
    {"register", EINVAL,
     "the refill region is too small for the header and rq_entries entries of 16 bytes, or has an "
     "id or offset set",
     "ask IORING_REGISTER_QUERY for the header's size: it differs between versions"},
    {"register", EINVAL, "an event type or flag is unknown, or the statistics are misaligned", ""},
    {"register", EINVAL, "header split is off on the interface",
     "zcrxlab lab split IF; or, with ethtool 6.7 or newer: ethtool -G IF tcp-data-split on",
     no_header_split},
    {"register", EINVAL, "the interface splits headers only above a size",
     "zcrxlab lab split IF; or, with ethtool 6.15 or newer: ethtool -G IF hds-thresh 0",
     split_threshold},
    {"register", EFAULT,
     "the registration, region, area or event pointer is bad, or the area is not mapped, read-only "
     "or empty",
     ""},
    {"register", EFAULT, "the region's address and IORING_MEM_REGION_TYPE_USER do not match", ""},
    {"register", EFAULT, "the area is above 1 GB on a kernel before 7.2", ""},
    {"register", EOVERFLOW, "the area wraps around the end of the address space", ""},
    {"register", ENOMEM, "the area is above RLIMIT_MEMLOCK (charged since 6.17)",
     "ulimit -l unlimited", limited_memory},
    {"register", ENOMEM, "there is not enough memory to pin or to describe the area", "free -m"},
    {"register", ENODEV, "there is no interface of this index", "ip link", no_interface},
    {"register", EOPNOTSUPP,
     "the driver has no queue API, or the device does no DMA of its own "
     "(veth, loopback, netdevsim)",
     "ethtool -i IF; drivers that have it: bnxt 6.16, mlx5 6.17, gve and fbnic 6.18"},
    {"register", EOPNOTSUPP, "rx_buf_len is not 0 and the driver cannot choose its buffers",
     "rx_buf_len 0 takes pages"},
    {"register", ERANGE, "there is no such receive queue", "ethtool -l IF", no_such_queue},
    {"register", ERANGE, "the driver cannot stop queue 0 (gve)", "use another queue", queue_zero},
    {"register", ERANGE, "rx_buf_len is larger than what lies together in the area's memory",
     "use huge pages"},
    {"register", ERANGE, "the statistics lie inside the entries, or behind the region", ""},
    {"register", EEXIST, "another zcrx instance or a dmabuf is on the queue already",
     "end its process; a closed ring lets go a little later, a mapped SQ or CQ keeps it open",
     provider_there},
    {"register", EEXIST, "an XDP program is attached that cannot take several buffers",
     "ip link show IF; ip link set IF xdp off"},
    {"register", EEXIST, "the ring belongs to another task (IORING_SETUP_SINGLE_ISSUER)",
     "register from the thread that made the ring"},
    {"register", EBUSY, "an AF_XDP socket has a pool on the queue", "close it", xsk_there},
    {"register", ENODATA,
     "the driver made the queue's page pool without unreadable memory, although header split is on",
     "a driver or mode that does not support it; see ethtool -i IF and the kernel log"},
    // ---- ZCRX_REG_IMPORT
    {"import", EPERM, "the task has no CAP_NET_ADMIN, which an import needs, too", "",
     no_net_admin},
    {"import", EBADF, "the descriptor is none, or was not made by ZCRX_CTRL_EXPORT", ""},
    {"import", EINVAL,
     "another field than if_idx and the flag is set, or the kernel is before 6.19", ""},
    {"import", EINVAL, "the importing ring lacks DEFER_TASKRUN, or has 16-byte CQEs only", ""},
    // ---- IORING_OP_RECV_ZC, refused at once
    {"submit", EINVAL,
     "IORING_RECV_MULTISHOT is missing, another ioprio bit, msg_flags or an address is set, or "
     "zcrx_ifq_idx names no instance of this ring",
     ""},
    {"submit", EBADF, "the descriptor is none", ""},
    {"submit", ENOTSOCK, "the descriptor is no socket", ""},
    {"submit", EPROTONOSUPPORT,
     "the socket is not plain TCP: UDP, AF_UNIX, MPTCP, kernel TLS, or in a sockmap", ""},
    {"submit", ENOTCONN, "the socket is not connected, or listens", ""},
    {"submit", EOPNOTSUPP, "IOSQE_BUFFER_SELECT is set: zcrx has buffers of its own", ""},
    // ---- the final CQE of a request
    {"receive", ENOSPC, "the completion queue was full, which ends the request; no byte is lost",
     "take the CQEs, then arm it again; a larger CQ makes it rarer"},
    {"receive", ENOMEM,
     "data had to be copied and no buffer was free, which ends the request; no byte is lost",
     "give buffers back, then arm it again"},
    {"receive", EFAULT,
     "the data came through another queue's zcrx instance: the connection is steered elsewhere",
     "ethtool -n IF; ethtool -x IF"},
    {"receive", ECONNRESET, "the peer reset the connection", ""},
    {"receive", ETIMEDOUT, "the peer answers no more, neither to data nor to keep-alive probes",
     "ss -tino"},
    {"receive", ECANCELED, "the request was cancelled, or its ring is going", ""},
    // ---- IORING_REGISTER_ZCRX_CTRL
    {"control", ENXIO, "no instance of this ring has this zcrx_id", ""},
    {"control", EOPNOTSUPP, "the kernel does not know the operation",
     "IORING_REGISTER_QUERY tells nr_ctrl_opcodes"},
    {"control", EINVAL,
     "nr_args is not 0, a reserved field of the operation is set, an event is armed that has not "
     "fired, or an area is added of another kind or with its token set",
     ""},
    {"control", EFAULT, "the pointer is bad, or zcrx_ctrl.__resv is not zero",
     "every other reserved field gives EINVAL"},
    {"control", EFAULT, "an area is added and the device is gone", ""},
    {"control", EMFILE, "EXPORT needs a descriptor and the process has none free",
     "close what is not needed; ulimit -n has how many there may be"},
    // ---- what ethtool and ip refuse while a queue is bound
    {"ethtool", EINVAL, "the channels would not include a bound queue (and one more)",
     "ethtool -l IF", provider_there},
    {"ethtool", EBUSY, "header split cannot be turned off, nor its threshold set, while bound",
     "close the ring first", provider_there},
    {"ethtool", EEXIST, "an XDP program that takes a single buffer cannot be attached while bound",
     "close the ring first", provider_there},
});

}  // namespace

std::span<const Cause> causes() {
    return kCauses;
}

}  // namespace zcrxlab
