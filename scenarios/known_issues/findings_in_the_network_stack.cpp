// Findings in net/: what sockets, queues and ethtool do with payload that the kernel cannot read,
// and with queues that are bound. No fix is known.
#include <cerrno>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

std::vector<Finding> findings_in_the_network_stack() {
    using enum ComplaintKind;
    return {
        {
            .id = "sockmap-verdict-reads-wild",
            .breaks = {"neighbours.other-protocols"},
            .happens =
                "data that a sockmap's program passed on is read from an address that is none: its "
                "pages are taken for readable ones",
            .details = "4096 bytes at a time. Without KASAN nothing is said",
            .source = "net/core/skmsg.c:sk_msg_recvmsg",
            .seen_on = "7.3.4, with CONFIG_KASAN",
            .shown_by = {{.filter = "neighbours.sockmap_verdict", .options = "--kernel 7.3-debug"}},
            .rules = {{
                .tests = {"neighbours.sockmap_verdict"},
                .symptom = {.kind = kKernelLog,
                            .subject = "BUG: KASAN: wild-memory-access",
                            .function = "_copy_to_iter"},
                .by_chance = "only with CONFIG_KASAN",
            }},
            .embargoed = true,
        },
        {
            .id = "close-behind-unbinding-warns",
            .promised = "a ring may close while a driver lets go of the device of its queue",
            .happens = "a ring that has begun to close when the driver lets go of the device warns "
                       "(WARN), since the device has no queues any more",
            .details =
                "Nothing is left behind; a kernel with panic_on_warn stops. io_close_queue() has "
                "taken the device away from the instance and waits for the device's lock, while "
                "remove_queue_kobjects() sets the number of queues to 0. The driver has closed all "
                "of its queues by then. Only root can unbind a driver",
            .source = "io_uring/zcrx.c:io_close_queue, net/core/netdev_rx_queue.c:"
                      "netif_mp_close_rxq",
            .seen_on = "7.3.4, gve, with a delay in io_close_queue() (kernel-config/races)",
            .shown_by = {{.filter = "races.unbinding_against_close",
                          .options = "--kernel 7.3-races --module-parameter "
                                     "zcrx.delay_netdev=10000"}},
            .rules = {{
                .tests = {"races.unbinding_against_close"},
                .symptom = {.kind = kKernelLog,
                            .subject = "WARNING",
                            .function = "netif_mp_close_rxq"},
                // Of another of the rings: finding close-while-down-warns.
                .consequences = {{.kind = kKernelLog,
                                  .subject = "WARNING",
                                  .function = "__netif_mp_close_rxq"}},
                .by_chance = "the driver lets go between two steps of the ring's",
            }},
        },
        {
            .id = "channels-one-too-many",
            .breaks = {"steering.channels-exact"},
            .happens =
                "keeping exactly the queues up to the highest bound one is refused: a channel more "
                "than needed is asked for",
            .source = "net/ethtool/common.c:ethtool_check_max_channel",
            .seen_on = "6.18.15, 7.2.12, 7.3.4",
            .shown_by = {{.filter = "steering.channels_exact"}},
            .rules = {{
                .tests = {"steering.channels_exact"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "3 channels, with queue 2 bound",
                            .seen = EINVAL,
                            .promised = 0},
            }},
        },
        {
            .id = "checksum-of-unreadable-payload-warns",
            .promised = "a packet with a wrong checksum is dropped, quietly",
            .happens =
                "a packet whose checksum the NIC could not confirm is summed in software although "
                "its payload cannot be read; the sum is wrong, so the packet is dropped, with a "
                "warning",
            .source = "net/core/skbuff.c:skb_checksum from tcp4_gro_receive",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .assumes =
                "it delivers a packet with a wrong checksum, and marks it with error bits; a "
                "device may drop it",
            .shown_by = {{.filter = "tcp.corrupt"}},
            .rules = {{
                .tests = {"tcp.corrupt"},
                .symptom = {.kind = kKernelLog, .subject = "WARNING", .function = "skb_checksum"},
                .target = "gve",
            }},
            .embargoed = true,
        },
        {
            .id = "close-on-silent-device-warns",
            .breaks = {"bring-up.unanswered"},
            .happens = "closing a ring warns (WARN) where the driver cannot stop the queue, since "
                       "its device does not answer",
            .details = "The driver has reported the timeout by an errno, which the kernel can do "
                       "nothing with. The old page pool stays on the queue until the device is "
                       "reset",
            .source = "net/core/netdev_rx_queue.c:__netif_mp_close_rxq",
            .seen_on = "7.3.4, gve",
            .shown_by = {{.filter = "bring_up.unanswered"}},
            .rules = {{
                .tests = {"bring_up.unanswered"},
                .symptom = {.kind = kKernelLog,
                            .subject = "WARNING",
                            .function = "__netif_mp_close_rxq"},
                .target = "gve",
            }},
        },
        {
            .id = "urgent-byte-ends-stream",
            .breaks = {"tcp.urgent"},
            .happens =
                "reading stops for ever in front of an urgent byte, also with SO_OOBINLINE; once "
                "the peer has closed, this looks like the end of the stream, and what follows is "
                "lost",
            .source = "net/ipv4/tcp.c:__tcp_read_sock",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "tcp.urgent"}},
            .rules = {{
                .tests = {"tcp.urgent"},
                .symptom = {.kind = kStreamCut, .received = 1499, .sent = 3000},
            }},
        },
        // The guest is lost, so that no rule can match.
        {
            .id = "urgent-byte-panics",
            .breaks = {"tcp.urgent"},
            .happens =
                "the kernel panics, since it cannot copy an urgent byte out of payload that it "
                "cannot read",
            .details = "One segment of a connected peer is enough",
            .source = "net/ipv4/tcp_input.c:tcp_urg",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve; 7.3.4, netdevsim",
            .shown_by = {{.filter = "alone.urgent"}},
            .embargoed = true,
        },
        // The guest is lost here, too.
        {
            .id = "signature-panics",
            .breaks = {"neighbours.other-protocols"},
            .happens =
                "the kernel panics, since it sums up the payload of a signed segment (TCP_MD5SIG) "
                "that it cannot read: the address of its page is computed from none",
            .details = "It is summed up before the signature is compared, so that whoever knows "
                       "addresses and ports needs no key. tcp_ao_hash_skb_data of TCP-AO does the "
                       "same; no stock kernel has it",
            .source = "net/ipv4/tcp_ipv4.c:tcp_v4_md5_hash_skb",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve; 6.16.12, 7.3.4, bnxt",
            .shown_by = {{.filter = "alone.signed_segments"}},
            .embargoed = true,
        },
        // And here.
        {
            .id = "fragmenting-panics",
            .promised =
                "a packet for another host that cannot be read goes on as it is, or is dropped",
            .happens =
                "a host that forwards packets panics (BUG), since it cannot copy a payload that it "
                "cannot read into smaller packets",
            .details = "One packet without DF, for another host and longer than the MTU of the way "
                       "on, is enough. One that need not be cut is dropped, and ICMP errors quote "
                       "zeros in its place",
            .source = "net/ipv4/ip_output.c:ip_frag_next",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve; 6.16.12, 7.3.4, bnxt",
            .shown_by = {{.filter = "alone.forwarded/in_pieces"}},
            .embargoed = true,
        },
        {
            .id = "splice-says-end",
            .breaks = {"neighbours.splice"},
            .happens =
                "splice from a socket whose payload cannot be read returns 0, as at the end of the "
                "stream, where recv says EFAULT",
            .source = "net/core/skbuff.c:__skb_splice_bits and tcp_splice_read",
            .seen_on = "6.18.15, 7.2.12, 7.3.4",
            .shown_by = {{.filter = "neighbours.reader/splice"}},
            .rules = {{
                .tests = {"neighbours.reader/splice"},
                .symptom = {.kind = kCheck,
                            .subject = "It says that the stream has ended, and # bytes wait."},
            }},
        },
        {
            .id = "queued-packets-are-zeros",
            .breaks = {"neighbours.queued"},
            .happens =
                "coalesced packets that wait for a program which does not take them so (NFQUEUE "
                "without NFQA_CFG_F_GSO) are cut, and their payload, which cannot be read, becomes "
                "zeros; the stream has these zeros in place of its bytes, and nobody is told",
            .details = "The checksums of the new packets are computed over the zeros, so that TCP "
                       "takes them. They are delivered by copies",
            .source = "net/core/skbuff.c:skb_segment and skb_copy_and_csum_bits, from "
                      "net/netfilter/nfnetlink_queue.c:nfqnl_enqueue_packet",
            .seen_on = "6.18.15, 7.0.13, 7.1.13, 7.2.12, 7.3.4, gve; 6.16.12, 7.3.4, bnxt",
            .shown_by = {{.filter = "neighbours.queued/told_of_cut"}},
            .rules = {{
                          .tests = {"neighbours.queued/told_of_cut"},
                          .symptom = {.kind = kWrongByte, .received = 0},
                          // A count of all buffers has another stream put into those of the copies.
                          .consequences = {{.kind = kWrongByte},
                                           {.kind = kWrongPlace},
                                           {.kind = kOfAnotherStream}},
                      },
                      {
                          .happens = "the program is shown zeros in place of the payload, too",
                          .tests = {"neighbours.queued/shown_cut"},
                          .symptom = {.kind = kCheck,
                                      .subject = "bytes were shown that were not in the packets."},
                          .consequences = {{.kind = kWrongByte},
                                           {.kind = kWrongPlace},
                                           {.kind = kOfAnotherStream},
                                           // Of queued-packet-is-unreadable, for those that were
                                           // not coalesced.
                                           {.kind = kOtherErrno,
                                            .subject = "a program hears of queued packets",
                                            .seen = EFAULT,
                                            .promised = 0}},
                      }},
        },
        {
            .id = "lent-queue-unsupported",
            .promised = "a queue that is lent to a container is EBUSY for its owner",
            .happens =
                "the owner of a queue that is lent to a container is told that the queue cannot do "
                "zero copy, since the lease hides its DMA device; the answer EBUSY is never "
                "reached",
            .details = "The answer is EOPNOTSUPP",
            .source = "net/core/netdev_queues.c:netdev_queue_get_dma_dev before "
                      "net/core/netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "neighbours.container_excludes_owner"}},
            .rules = {{
                .tests = {"neighbours.container_excludes_owner"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "IORING_REGISTER_ZCRX_IFQ of a queue that is lent",
                            .seen = EOPNOTSUPP,
                            .promised = EBUSY},
            }},
        },
    };
}

}  // namespace zcrxlab
