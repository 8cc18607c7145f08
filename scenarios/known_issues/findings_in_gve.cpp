// Findings in the driver gve, and in how the kernel and it work together. No fix is known.
#include <cerrno>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {
namespace {

// What a kernel with CONFIG_KCSAN tells of.
std::vector<Symptom> plain_looks() {
    return symptoms_of(
        ComplaintKind::kKernelLog,
        {"BUG: KCSAN: data-race in gve_rx_poll_dqo (read of 1 bytes) / unknown",
         "BUG: KCSAN: data-race in gve_tx_poll_dqo (read of 1 bytes) / unknown",
         "BUG: KCSAN: data-race in gve_clean_tx_done_dqo (read of 1 bytes) / unknown"});
}

}  // namespace

std::vector<Finding> findings_in_gve() {
    using enum ComplaintKind;
    return {
        {
            .id = "rest-of-broken-packet-counts-as-no-memory",
            .promised =
                "what a driver counts as a packet that it had no memory for (rx-alloc-fail) "
                "is one",
            .happens = "each buffer behind one that failed, of the same packet, counts as a packet "
                       "for which there was no memory, though there was",
            .details =
                "The packet's skb is freed with the buffer that failed. The next buffer then looks "
                "like the first of a packet whose headers were not split off and lie where "
                "the kernel cannot read, which gve_rx_dqo() answers with -ENOMEM, too",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_dqo, behind error",
            .seen_on = "6.18.15, 7.0.13, 7.1.3, 7.1.13, 7.2.9, 7.3.4, gve",
            .shown_by = {{.filter = "header_split.broken_buffer_counted/first"}},
            .rules = {{
                .tests = {"header_split.broken_buffer_counted/first"},
                .symptom = {.kind = kCheck,
                            .subject =
                                "Of # broken packets # buffers count as if there had been no "
                                "memory."},
                .target = "gve",
            }},
        },
        {
            .id = "queue-zero-warns",
            .breaks = {"registration.queue-zero-is-quiet"},
            .happens =
                "asking for queue 0, which gve cannot stop, is ERANGE and a warning in the kernel "
                "log",
            .source = "net/core/dev.h:napi_assert_will_not_race in "
                      "page_pool_disable_direct_recycling",
            .seen_on = "6.18.5, 6.18.15, 7.2.6, 7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "registration.queue_zero"}},
            .rules = {{
                          .tests = {"registration.queue_zero"},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "page_pool_disable_direct_recycling"},
                          .target = "gve",
                      },
                      {
                          .id = "failed-registration-warns",
                          .tests = {"registration.each_step_fails"},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "page_pool_disable_direct_recycling"},
                          .by_chance = "seen with the kernel 7.3-faults",
                          .target = "gve",
                      },
                      {
                          .id = "refused-provider-warns",
                          .happens = "a queue that a driver without memory providers was asked for "
                                     "is a warning in the kernel log, too",
                          .seen_on = "6.16.3, 6.16.12, 6.17.8, 6.17.13, gve",
                          .fixed_in = {"6.18"},
                          .tests = {kFeatureProbe},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "page_pool_disable_direct_recycling"},
                      }},
        },
        // Its warning is the one above, which has the rule for both.
        {
            .id = "failed-allocation-warns",
            .promised = "an allocation that fails in a registration leaves no warning",
            .happens =
                "the driver frees a page pool whose NAPI still runs, and the same warning as "
                "for queue 0 is in the kernel log",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_alloc_ring_dqo",
            .seen_on = "7.3.4, gve",
            .shown_by = {{.filter = "registration.each_step_fails",
                          .options = "--kernel 7.3-faults"}},
        },
        {
            .id = "reset-forgets-flow-rules",
            .breaks = {"teardown.reset-keeps-rules"},
            .happens = "the driver does not give its flow rules to the device again after a reset",
            .details = "The stream goes on through queue 0, copied",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_recovery",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .assumes =
                "it forgets its rules in a reset, of which the interface says nothing; with a "
                "device that keeps them nothing is lost",
            .shown_by = {{.filter = "teardown.rules_after_reset"}},
            .rules = {{
                .tests = {"teardown.rules_after_reset"},
                .symptom = {.kind = kCheck, .subject = "The device reset took the flow rule away."},
                .target = "gve",
            }},
        },
        {
            .id = "reset-forgets-rss-table",
            .breaks = {"teardown.reset-keeps-rss"},
            .happens = "the driver gives its device the default RSS table after a reset, so that "
                       "connections come to queues of zero-copy receive",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_init_rss_config",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .assumes =
                "it forgets its table in a reset, of which the interface says nothing; with a "
                "device that keeps them nothing is lost",
            .shown_by = {{.filter = "teardown.rss_after_reset"}},
            .rules = {{
                .tests = {"teardown.rss_after_reset"},
                .symptom = {.kind = kCheck, .subject = "The device reset took the RSS table away."},
                .target = "gve",
            }},
        },
        {
            .id = "reset-loses-admin-queue",
            .breaks = {"teardown.driver-memory"},
            .happens =
                "a reset that the device has asked for loses the memory of the driver's admin "
                "queue: it is marked as gone by the reset, and then not freed since it is gone",
            .details = "Each time 8 KiB and more are lost. The device's list of DMA pools (pools "
                       "in sysfs) "
                       "still names the pool; kmemleak does once the device is gone. Unbinding and "
                       "removing "
                       "alone lose nothing",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_and_teardown, "
                      "whose gve_adminq_release clears what gve_adminq_free asks for",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "teardown.driver_memory/reset"}},
            .rules = {{
                          .tests = {"teardown.driver_memory/reset"},
                          .symptom = {.kind = kCheck,
                                      .subject = "The driver lost DMA pools: adminq_pool, there # "
                                                 "times now, and # times before"},
                          .target = "gve",
                      },
                      {
                          .id = "lost-admin-queue-is-unreferenced",
                          .happens = "memory of an admin queue that a reset has lost is named by "
                                     "kmemleak once its device is gone",
                          .seen_on = "7.3.4, gve, with CONFIG_DEBUG_KMEMLEAK",
                          // The detector looks behind those that disturb the driver, and behind
                          // whichever is the last of a machine.
                          .tests = {"receive.*", "device.*", "registration.*", "steering.*",
                                    "cqe32.*", "refill.*", "exhaustion.*", "copy_fallback.*",
                                    "header_split.*", "tcp.*", "teardown.*", "concurrency.*",
                                    "control.*", "areas.*", "neighbours.*"},
                          .symptom = {.kind = kLostMemory, .function = "gve_adminq_alloc"},
                          .by_chance = "only with CONFIG_DEBUG_KMEMLEAK",
                          .target = "gve",
                      }},
        },
        {
            .id = "part-of-packet-is-forgotten",
            .breaks = {"teardown.half-a-packet"},
            .happens =
                "the driver forgets the part of a packet that it has when its queue stops, so "
                "that the page pool, the area and its pinned pages stay until the next boot",
            .details =
                "A device completes the buffers of a packet one by one, and the driver makes an "
                "skb of the first. When the queue stops before the last, the driver sets its "
                "pointer to that skb to NULL and frees nothing. With header split that skb "
                "holds buffers of the area. Any packet of several buffers will do (an MTU above "
                "4096, or hardware GRO), and a peer that sends while the ring is closed: in 3 "
                "of 28 runs of the whole suite a stream of jumbo frames met that moment by "
                "chance. With a driver that frees the skb there nothing stays",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_init_ring_state_dqo, "
                      "called by gve_rx_stop_ring_dqo",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .assumes = "it may complete the first buffer of a packet before the last; whether a "
                       "real one does so for long is not known",
            .shown_by = {{.filter = "alone.queue_goes_amid_packet"}},
            .rules = {{
                .tests = {"alone.queue_goes_amid_packet"},
                .symptom = {.kind = kCounter, .subject = "page pools that wait for pages"},
                .consequences = {{.kind = kCounter, .subject = "page pools of io_uring"},
                                 {.kind = kCounter, .subject = "pinned pages"}},
                .target = "gve",
            }},
        },
        {
            .id = "close-while-down-warns",
            .breaks = {"teardown.close"},
            .happens =
                "closing a ring while the interface of its queue is down warns (WARN), since "
                "the driver answers EAGAIN where the kernel expects ENETDOWN at most",
            .details = "The queue is free when the interface is up again. A driver that is unbound "
                       "closes the interface first, so that a ring which closes at that moment "
                       "warns, too. bnxt, which makes a queue's memory also while it is down, does "
                       "not",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_rx_queue_mem_alloc, "
                      "net/core/netdev_rx_queue.c:__netif_mp_close_rxq",
            .seen_on = "6.18.15, 6.19.14, 7.0.13, 7.1.8, 7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "teardown.closed_while_down"}},
            .rules = {{
                          .tests = {"teardown.closed_while_down"},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "__netif_mp_close_rxq"},
                          .target = "gve",
                      },
                      {
                          .id = "close-while-down-warns-by-another-name",
                          .happens = "the same, where the function is called __net_mp_close_rxq",
                          .seen_on = "6.18.15, 6.19.14, 7.0.13, gve",
                          .tests = {"teardown.closed_while_down"},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "__net_mp_close_rxq"},
                          .by_chance = "on the kernels that call it so",
                          .target = "gve",
                      },
                      {
                          .id = "close-amid-unbinding-warns",
                          .happens = "a ring that closes while the driver lets go of its device "
                                     "warns (WARN)",
                          .tests = {"races.unbinding_against_close"},
                          .symptom = {.kind = kKernelLog,
                                      .subject = "WARNING",
                                      .function = "__netif_mp_close_rxq"},
                          .consequences = plain_looks(),
                          .by_chance = "the ring closes in the middle of it, before or behind it",
                          .target = "gve",
                      }},
        },
        // The guest is lost, so that no rule matches there; a machine that goes on after an oops
        // has the symptom.
        {
            .id = "statistics-while-down-panic",
            .promised = "anybody can ask for the statistics of a NIC that is not up",
            .happens = "asking netdev's qstats-get for the sum over all queues follows a NULL "
                       "pointer, since the driver has no queues while its interface is down",
            .details =
                "The request needs no capability (the operation has no GENL_ADMIN_PERM), so that "
                "any user can make it wherever a NIC of this driver is not up: not configured yet, "
                "or taken down. Taking it down takes CAP_NET_ADMIN. With the scope \"queue\" "
                "the kernel looks whether the interface is up; with the other one it does not. The "
                "kernel's own drivers/net/stats.py (check_down) asks so",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_get_rx_queue_stats",
            .seen_on = "6.18.15, 7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "alone.statistics_while_down"}},
            .rules = {{
                .tests = {"alone.statistics_while_down"},
                .symptom = {.kind = kKernelLog,
                            .subject = "BUG: kernel NULL pointer dereference",
                            .function = "gve_get_rx_queue_stats"},
                .by_chance = "a kernel that panics on an oops says nothing any more",
                .target = "gve",
            }},
            .embargoed = true,
        },
        // Its scenario runs on request only, and has failed once.
        {
            .id = "hole-behind-full-area",
            .breaks = {"exhaustion.out-of-order-holds"},
            .happens = "with an area of 256 pages, out-of-order data takes every buffer, the "
                       "retransmission finds none and is dropped; the user holds nothing, so "
                       "nothing can be "
                       "given back",
            .details =
                "On gve the device had 0 buffers posted, before and 8 s after the faults were "
                "gone; its doorbell step of 32 probably strands the rest. On bnxt, without any "
                "fault: of the 512 buffers that the driver does not keep posted, segments behind "
                "the hole had 510, and the one that would have closed it came again for 14 s and "
                "was dropped each time, since the driver replaces a buffer before it delivers it. "
                "TCP keeps no buffer for the hole; a receive buffer of the socket (SO_RCVBUF) that "
                "is smaller than the area prevents it",
            .source = "TCP with the driver: no buffer is kept for a segment that closes a hole",
            .seen_on = "7.3.4, gve (in one run); 7.3.4, bnxt",
            .shown_by = {{.filter = "stall.small_area_out_of_order"}},
        },
        {
            .id = "completions-read-plainly",
            .promised = "a driver reads by READ_ONCE what its device may be writing",
            .happens = "the driver looks at the generation bit of a completion by a plain read",
            .details =
                "KCSAN told of a byte that changed while it was read, and of nobody in the kernel "
                "who wrote it. The rest of a completion is read behind dma_rmb(), and nothing "
                "wrong "
                "was seen to follow; but a compiler may make two reads of a plain one",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_poll_dqo, "
                      "drivers/net/ethernet/google/gve/gve_tx_dqo.c:gve_clean_tx_done_dqo and "
                      "gve_tx_poll_dqo",
            .seen_on = "7.3.4 with CONFIG_KCSAN, gve",
            .shown_by = {{.filter = "races.*",
                          .options = "--kernel 7.3-kcsan",
                          .remark = "by chance"}},
            .rules = rules_for_each(
                plain_looks(),
                {
                    .tests = {"races.*", "concurrency.*"},
                    .symptom = {},
                    .by_chance = "the device has to write while the kernel watches that read",
                    .target = "gve",
                }),
        },
    };
}

}  // namespace zcrxlab
