// The contract, chapter steering: which packets come to the queue, and what cannot be changed while
// it is bound.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> steering_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "steering.rule-tcp4",
            .promise = "an IPv4 flow rule brings its connection to the queue",
            .source = "iou-zcrx.rst",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "steering.rule-tcp6",
            .promise = "an IPv6 flow rule brings its connection to the queue",
            .source = "iou-zcrx.rst",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "steering.rss-off-queue",
            .promise = "RSS kept off the queue keeps all other traffic off it",
            .source = "iou-zcrx.rst",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "steering.rule-removed",
            .promise = "a rule that goes in mid-stream costs no byte",
            .source = "zcrx.c:io_zcrx_recv_frag",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "steering.foreign-tcp",
            .promise = "a plain socket whose data lands on the queue gets EFAULT or its data, "
                       "never wrong bytes",
            .source = "tcp.c:tcp_recvmsg",
            .seen_red_by = "unreadable-is-read",
        },
        {
            .id = "steering.foreign-packets",
            .promise = "UDP and ICMP on the queue disturb nothing",
            .source = "core/dev.c",
            .seen_red_by = "datagram-disturbs",
        },
        {
            .id = "steering.vlan",
            .promise =
                "TCP in a VLAN costs no byte, whether its rule brings it to the queue or not",
            .source = "8021q/vlan_core.c:vlan_do_receive",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "steering.foreign-tag",
            .promise = "a packet of which the NIC has taken a tag off whose protocol the kernel "
                       "does not know is dropped",
            .source = "broadcom/bnxt/bnxt.c:bnxt_rx_vlan",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "steering.queue-zero",
            .promise = "queue 0 receives as every other queue where its driver gives it away",
            .source = "iou-zcrx.rst",
            .seen_red_by = "length-off",
        },
        {
            .id = "steering.split-locked",
            .promise = "header split cannot be turned off while the queue is bound",
            .source = "ethtool/rings.c:ethnl_set_rings",
            .seen_red_by = "bound-queues-overlooked",
        },
        {
            .id = "steering.xdp-locked",
            .promise =
                "XDP that cannot take unreadable memory cannot be attached while a queue is bound",
            .source = "dev.c:dev_xdp_install",
            .seen_red_by = "xdp-beside-provider",
        },
        {
            .id = "steering.channels-locked",
            .promise = "channels cannot shrink below a bound queue",
            .source = "ethtool/common.c:ethtool_check_max_channel",
            .seen_red_by = "bound-queue-shrinks-away",
        },
        {
            .id = "steering.channels-exact",
            .promise = "keeping exactly the queues up to the bound one is allowed",
            .source = "ethtool/common.c:ethtool_check_max_channel",
        },
        {
            .id = "steering.rss-context",
            .promise = "a rule may bring its connection to the queue by way of an RSS context, "
                       "which stays while the rule does, and keeps the queues that it names",
            .source = "ethtool/ioctl.c:ethtool_set_rxfh",
            .seen_red_by = "wrong-queue",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
