// The known issues of kernels that are in use.
#include "scenarios/known_issues/known_issues.hpp"

namespace zcrxlab {

std::span<const KnownIssue> known_issues() {
    static const std::vector<KnownIssue> list = {
        {"flush-stops-at-invalid-entry",
         "FLUSH_RQ stops behind the first invalid entry and returns 0, while a refill steps over "
         "it",
         "io_uring/zcrx.c:zcrx_parse_rq, no fix known",
         "7.3.4",
         {"control.flush_over_invalid_entries"},
         "FLUSH_RQ took up 1 of 4 entries and returned 0"},
        {"control-reserved-efault",
         "reserved fields of zcrx_ctrl that are not zero give EFAULT, and every other one EINVAL",
         "io_uring/zcrx.c:io_zcrx_ctrl, no fix known",
         "7.3.4",
         {"control.refused/reserved_first", "control.refused/reserved_last"},
         "returned EFAULT, but EINVAL is promised"},
        {"import-tells-no-geometry",
         "an import returns 0 refill entries and echoes rx_buf_len, so that an importer cannot "
         "learn "
         "the refill ring's size or the buffer length",
         "io_uring/zcrx.c:import_zcrx, no fix known",
         "7.3.4",
         {"control.import_tells_geometry"},
         "The import tells 0 entries and buffers of 0 bytes"},
        {"import-ignores-buffer-length",
         "an import takes any rx_buf_len, and refuses every other field that it does not use",
         "io_uring/zcrx.c:import_zcrx, no fix known",
         "7.3.4",
         {"control.import_with/buffer_length"},
         "an import with buffer_length succeeded, but EINVAL is promised"},
        {"refused-area-keeps-token",
         "a refused ADD_AREA leaves a token in the caller's structure, so that trying again with "
         "it "
         "is EINVAL",
         "io_uring/zcrx.c:zcrx_ctrl_add_area, no fix known",
         "7.3.4",
         {"control.add_area_again"},
         "ADD_AREA again, with a good length returned EINVAL, but success is promised"},
        {"reset-behind-data-is-missed",
         "a request that is woken once, for data and a reset together, delivers the data and is "
         "never told of the reset",
         "io_uring/poll.c:io_poll_check_events, which looks again for POLLHUP only if it was woken "
         "more than once, no fix known",
         "6.18.15, 7.3.4",
         {"cqe32.end_found_waiting/reset", "cqe32.ending/reset", "tcp.reset/after_data",
          "tcp.reset/while_data_waits", "tcp.reset/while_data_waits_behind_a_hole"},
         "its socket is CLOSE POLLIN POLLRDHUP POLLHUP POLLERR"},
        {"queue-zero-warns",
         "asking for queue 0, which gve cannot stop, is ERANGE and a warning in the kernel log",
         "net/core/dev.h:napi_assert_will_not_race in page_pool_disable_direct_recycling, no fix "
         "known",
         "6.18.5, 6.18.15, 7.2.6, 7.2.12, 7.3.4, gve",
         {"registration.queue_zero", "registration.each_step_fails"},
         " page_pool_disable_direct_recycling+"},
        {"page-buffers-refused",
         "asking for buffers of a page is EOPNOTSUPP with drivers that only have those",
         "io_uring/zcrx.c:zcrx_register_netdev, no fix known",
         "7.3.4, gve",
         {"areas.buffers_of_a_page"},
         "IORING_REGISTER_ZCRX_IFQ with buffers of a page returned EOPNOTSUPP"},
        {"area-segments-too-long",
         "an area is mapped in as few segments as its pages allow, whatever length of a segment "
         "the "
         "device says that it can take (64 KiB if it says nothing)",
         "io_uring/zcrx.c:io_import_umem, sg_alloc_table_from_pages without "
         "dma_get_max_seg_size, no fix known",
         "7.3.4, with CONFIG_DMA_API_DEBUG",
         {kAnyScenario},
         "mapping sg segment longer than device claims to support",
         {" at debug_dma_map_sg+"}},
        {"sockmap-verdict-reads-wild",
         "data that a sockmap's program passed on is read from an address that is none: its pages "
         "are taken for readable ones",
         "net/core/skmsg.c:sk_msg_recvmsg, no fix known",
         "7.3.4, with CONFIG_KASAN",
         {"neighbours.sockmap_verdict"},
         "KASAN: wild-memory-access in _copy_to_iter"},
        {"channels-one-too-many",
         "keeping exactly the queues up to the highest bound one is refused: a channel more than "
         "needed is asked for",
         "net/ethtool/common.c:ethtool_check_max_channel, no fix known",
         "6.18.15, 7.2.12, 7.3.4",
         {"steering.channels_exact"},
         "3 channels, with queue 2 bound returned EINVAL"},
        {"refused-header-split-is-logged",
         "a driver that refuses header split because XDP is there logs an error for each try",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_set_hsplit_config; later kernels refuse "
         "before they ask it",
         "6.18.15, gve",
         {"registration.single_buffer_xdp_there/native"},
         "Header-split not supported"},
        {"copy-count-counts-fragments",
         "copy_count is documented as the number of copy-fallback CQEs, and counts fragments, of "
         "which each may be several CQEs",
         "io_uring/zcrx.c:io_zcrx_copy_frag, no fix known",
         "7.2.12, 7.3.4",
         {"copy_fallback.copy_count"},
         "copy_count is not the number of CQEs"},
        {"copy-statistics-without-linear-data",
         "copy_bytes and copy_count leave out what is copied from the linear part of a packet, "
         "which is where a header split that failed puts payload",
         "io_uring/zcrx.c:io_zcrx_recv_skb, no fix known",
         "7.2.12, 7.3.4",
         {"copy_fallback.copy_bytes_of_linear_data"},
         "copy_bytes leaves out linear data: it says 0"},
        {"checksum-of-unreadable-payload-warns",
         "a packet whose checksum the NIC could not confirm is summed in software although its "
         "payload cannot be read; the sum is wrong, so the packet is dropped, with a warning",
         "net/core/skbuff.c:skb_checksum from tcp4_gro_receive, no fix known",
         "6.18.15, 7.2.12, 7.3.4, gve",
         {"tcp.corrupt"},
         " skb_checksum+"},
        {"urgent-byte-ends-stream",
         "reading stops for ever in front of an urgent byte, also with SO_OOBINLINE; once the peer "
         "has closed, this looks like the end of the stream, and what follows is lost",
         "net/ipv4/tcp.c:__tcp_read_sock, no fix known",
         "7.2.12, 7.3.4",
         {"tcp.urgent"},
         "is finished with 1499 bytes, but the peer sent 3000"},
        {"splice-says-end",
         "splice from a socket whose payload cannot be read returns 0, as at the end of the "
         "stream, where recv says EFAULT",
         "net/core/skbuff.c:__skb_splice_bits and tcp_splice_read, no fix known",
         "7.2.12, 7.3.4",
         {"neighbours.reader/splice"},
         "It says that the stream has ended"},
        {"lent-queue-unsupported",
         "the owner of a queue that is lent to a container is told that the queue cannot do zero "
         "copy, since the lease hides its DMA device; the answer EBUSY is never reached",
         "net/core/netdev_queues.c:netdev_queue_get_dma_dev before "
         "net/core/netdev_rx_queue.c:netif_mp_open_rxq, no fix known",
         "7.2.12, 7.3.4",
         {"neighbours.container_excludes_owner"},
         "IORING_REGISTER_ZCRX_IFQ of a queue that is lent returned EOPNOTSUPP"},
        {"entry-too-many-loses-buffer",
         "entries of one buffer in a row are added up before they are compared with what the user "
         "holds, so that one too many undoes the valid ones, and the buffer is lost",
         "io_uring/zcrx.c:io_zcrx_ring_refill since 7b188cf990ab, no fix known",
         "7.3.4",
         {"refill.one_too_many"},
         "An entry too many lost"},
        {"reset-forgets-flow-rules",
         "the driver does not give its flow rules to the device again after a reset",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_recovery, no fix known",
         "7.2.12, 7.3.4, gve",
         {"teardown.rules_after_reset"},
         "The device reset took the flow rule away."},
        {"reset-forgets-rss-table",
         "the driver gives its device the default RSS table after a reset, so that connections "
         "come to queues of zero-copy receive",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_init_rss_config, no fix known",
         "7.2.12, 7.3.4, gve",
         {"teardown.rss_after_reset"},
         "The device reset took the RSS table away."},
        {"reset-loses-admin-queue",
         "a reset that the device has asked for loses the memory of the driver's admin queue: it "
         "is marked as gone by the reset, and then not freed since it is gone",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_and_teardown, whose "
         "gve_adminq_release clears what gve_adminq_free asks for, no fix known",
         "7.3.4, gve",
         {"teardown.driver_memory/reset"},
         "The driver lost DMA pools: adminq_pool"},
        // The same, when the device goes: until then its list of pools still names what was lost.
        {"lost-admin-queue-is-unreferenced",
         "memory of an admin queue that a reset has lost is named by kmemleak once its device is "
         "gone",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_and_teardown, no fix known",
         "7.3.4, gve, with CONFIG_DEBUG_KMEMLEAK",
         {kAnyScenario},
         " gve_adminq_"},
        {"offset-above-4-gib",
         "the offset of a data CQE above 4 GiB loses its upper half, so that the user reads other "
         "memory",
         "io_uring/zcrx.c:io_zcrx_queue_cqe; 7.2.0 to 7.2.13 and 7.3.0 to 7.3.2, fixed in 7.3.3",
         "7.2.6, 7.2.12",
         {"areas.above_4_gib"},
         "Nothing above 4 GiB was used",
         {},
         "7.3.3"},
        {"mixed-last-slot",
         "a mixed CQ whose free slots are odd in number puts its tail one slot too far, and shows "
         "what an earlier round left there, as a CQE that belongs to no request",
         "io_uring/io_uring.c:io_get_cqe, fixed in 7.3.3",
         "6.18.15, 7.2.12",
         {"cqe32.mixed_nearly_full/1", "cqe32.mixed_nearly_full/3"},
         "A CQE came that belongs to no request.",
         {},
         "7.3.3"},
        {"mixed-stale-cqe",
         "a mixed CQ that gives out its last slot again shows what an earlier round left there, as "
         "a "
         "CQE that belongs to no request",
         "io_uring/io_uring.c:io_get_cqe, fixed in 7.3.3",
         "6.18.15, 7.3-rc7 (not in every run)",
         {"cqe32.mixed_padding"},
         "A CQE came that belongs to no request.",
         {},
         "7.3.3"},
        {"burst-then-silence",
         "a request that a full CQ or an empty area has stopped is not tried again before the next "
         "packet: its data waits in the socket, with neither data nor final CQE",
         "io_uring/net.c:io_recvzc; 6.15 to 7.2.9, fixed in 7.2.10 by 98ad5b63f504",
         "6.18.5, 6.18.15, 7.2.6, 7.2.9",
         {"copy_fallback.small_cq", "cqe32.burst_then_silence/1_entry",
          "cqe32.burst_then_silence/2_entries", "cqe32.burst_then_silence/3_entries",
          "cqe32.burst_then_silence/8_entries", "cqe32.small_cq/1_entry",
          "exhaustion.burst_then_silence/1_page", "exhaustion.burst_then_silence/4_pages",
          "exhaustion.burst_then_silence/8_pages_small_segments", "exhaustion.tiny_area/1_page",
          "exhaustion.tiny_area/2_pages", kAnyScenario},
         "data waits in its socket, armed, last final result",
         {},
         "7.2.10"},
        {"full-cq-ends-nothing",
         "a request that a full CQ has stopped goes on with the next packet instead of ending with "
         "-ENOSPC",
         "io_uring/net.c:io_recvzc; 6.15 to 7.2.9, fixed in 7.2.10 by 98ad5b63f504",
         "6.18.5",
         {"cqe32.small_cq/1_entry", "cqe32.small_cq/2_entries", "cqe32.small_cq/3_entries"},
         "The CQ was full, and no request ended.",
         {},
         "7.2.10"},
        {"dirty-refill-ring",
         "the refill ring's header is not cleared at registration: the kernel takes what the "
         "memory "
         "held for head and tail",
         "io_uring/zcrx.c:io_allocate_rbuf_ring; 6.15 to 7.0, fixed in 7.1 by 4f02cc4071a1",
         "6.18.5, 6.18.15",
         {"registration.dirty_region"},
         "The memory kept what was in it.",
         {},
         "7.1"},
        {"queue-without-buffers-stays-so",
         "a receive queue that has run out of buffers is silent for ever: without packets the "
         "driver "
         "does not ask for buffers, though the user has given many back",
         "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_post_buffers_dqo; 6.18, 6.19 and "
         "7.1.0 "
         "to 7.1.5, fixed in 7.1.6 by b65352a1bac6",
         "6.18.5, 6.18.15, gve",
         {"receive.register_again", "exhaustion.small_area/512_pages", kAnyScenario},
         "buffers were handed out; the device starves with",
         {},
         "7.1.6"},
        {"stream-without-buffers-stays-so",
         "the same, seen by a stream: it stops for ever when its device has run out of buffers",
         "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_post_buffers_dqo; 6.18, 6.19 and "
         "7.1.0 "
         "to 7.1.5, fixed in 7.1.6 by b65352a1bac6",
         "6.18.5, 6.18.15, gve",
         {"exhaustion.all_held", "exhaustion.again_and_again", kAnyScenario},
         "; the device starves with",
         {},
         "7.1.6"},
        {"unacked-send-keeps-queue",
         "a closed ring keeps its queue until a zero-copy send is acknowledged, and who wants the "
         "queue gets EEXIST",
         "io_uring/io_uring.c:io_ring_exit_work; 7.0.0 to 7.0.3 and before, fixed in 7.0.4 by "
         "e5361d25e241",
         "6.18.15",
         {"teardown.unacked_send"},
         "still has its provider",
         {"The provider is still on queue", "pinned pages was 0 before"},
         "7.0.4"},
        {"restart-strands-connection",
         "the same, seen by a connection: its SYN never reaches the wire, probably because TCP "
         "does "
         "not send again what it believes to be on its way",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_turnup, fixed in 7.3 so far that the "
         "link event sends it, up to a second later (net/sched/sch_generic.c:transition_one_qdisc)",
         "7.2.9, 7.2.11, gve (not in every run)",
         {"device.reset"},
         ": nothing happened for ",
         {},
         "7.3"},
        {"restart-strands-packet",
         "a packet that is sent while the driver restarts a receive queue waits until another one "
         "leaves through the same transmit queue: the driver starts its queues and does not wake "
         "them",
         "drivers/net/ethernet/google/gve/gve_main.c:gve_turnup, fixed in 7.3 so far that the "
         "link event sends it, up to a second later (net/sched/sch_generic.c:transition_one_qdisc)",
         "6.18.5, 6.18.15, 7.2.6, 7.2.12, gve",
         {"device.sent_during_restart"},
         "To the peer: Datagram",
         {},
         "7.3"},
    };
    return list;
}

}  // namespace zcrxlab
