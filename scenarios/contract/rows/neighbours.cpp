// The contract, chapter neighbours: what else reads the sockets, shares the queue or lends it.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> neighbours_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "neighbours.plain-recv",
            .promise = "a plain recv of unreadable payload is refused or right",
            .source = "tcp.c:tcp_recvmsg_locked",
            .seen_red_by = "unreadable-is-read",
        },
        {
            .id = "neighbours.peek",
            .promise = "MSG_PEEK of unreadable payload is refused or right",
            .source = "tcp.c:tcp_recvmsg_locked",
            .seen_red_by = "unreadable-is-peeked",
        },
        {
            .id = "neighbours.splice",
            .promise = "splice of unreadable payload is refused or right",
            .source = "skbuff.c:skb_splice_bits",
        },
        {
            .id = "neighbours.zerocopy-receive",
            .promise = "TCP_ZEROCOPY_RECEIVE of unreadable payload is refused or right",
            .source = "tcp.c:tcp_zerocopy_receive",
            .seen_red_by = "unreadable-is-mapped",
        },
        {
            .id = "neighbours.packet-socket",
            .promise = "a packet socket never shows unreadable payload",
            .source = "af_packet.c",
            .seen_red_by = "frame-is-longer",
        },
        {
            .id = "neighbours.coalesced",
            .promise =
                "who is shown a packet that the NIC has joined is told of what segments it is, "
                "and where its checksum begins",
            .source =
                "broadcom/bnxt/bnxt.c:bnxt_gro_skb, google/gve/gve_rx_dqo.c:gve_rx_complete_rsc",
            .seen_red_by = "segments-are-longer",
        },
        {
            .id = "neighbours.joined-for-itself",
            .promise = "who is shown a packet that the NIC has joined for this machine alone (LRO) "
                       "is not told of segments that it could be cut into again",
            .source = "broadcom/bnxt/bnxt.c:bnxt_tpa_end",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "neighbours.classifier",
            .promise = "a classifier is refused payload that cannot be read",
            .source = "filter.c:bpf_skb_load_bytes, bpf_skb_pull_data",
            .seen_red_by = "unreadable-is-classified",
        },
        {
            .id = "neighbours.hash",
            .promise = "a packet has the hash that its NIC gave it, as that of its connection",
            .source = "skbuff.h:skb_set_hash, broadcom/bnxt/bnxt.c:bnxt_rx_pkt, "
                      "google/gve/gve_rx_dqo.c:gve_rx_skb_hash",
            .seen_red_by = "hash-is-of-addresses",
        },
        {
            .id = "neighbours.hash-of-addresses",
            .promise = "a hash of addresses alone is not taken for that of a connection",
            .source = "skbuff.h:skb_set_hash, broadcom/bnxt/bnxt.c:bnxt_rx_pkt, "
                      "google/gve/gve_rx_dqo.c:gve_rx_skb_hash",
            .seen_red_by = "hash-is-of-connection",
        },
        {
            .id = "neighbours.queued",
            .promise = "packets that wait for a program's verdict go on as they were, and show it "
                       "nothing that was not in them",
            .source = "nfnetlink_queue.c:nfqnl_build_packet_message",
            .seen_red_by = "queued-packet-is-longer",
        },
        {
            .id = "neighbours.mirrored",
            .promise = "packets that a filter mirrors or redirects show nobody bytes that were not "
                       "in them, and cost their stream no byte",
            .source = "act_mirred.c:tcf_mirred_to_dev, dev.c:validate_xmit_unreadable_skb",
            .seen_red_by = "frame-is-longer",
        },
        {
            .id = "neighbours.lease-receives",
            .promise = "a queue that a container has by a lease receives without a copy",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "neighbours.lease-excludes",
            .promise = "a queue that is lent cannot be lent again, nor taken by its owner, until "
                       "it is given back",
            .source = "netdev-genl.c:netdev_nl_queue_create_doit",
            .seen_red_by = "lease-refusals-are-eio",
        },
        {
            .id = "neighbours.lease-removed",
            .promise =
                "a container's interface that goes while its queue is bound gives the queue back",
            .source = "netdev_rx_queue.c:netif_rxq_cleanup_unlease",
            .seen_red_by = "lease-ends-alone",
        },
        {
            .id = "neighbours.lease-closes",
            .promise = "a ring that closes in a container frees the queue, which stays lent",
            .source = "netdev_rx_queue.c:netif_mp_close_rxq",
            .seen_red_by = "lent-queue-stays-bound",
        },
        {
            .id = "neighbours.other-protocols",
            .promise = "protocols on top of TCP refuse unreadable payload or get the right bytes",
            .source = "tcp.c",
            .seen_red_by = "mptcp-reads-unreadable",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
