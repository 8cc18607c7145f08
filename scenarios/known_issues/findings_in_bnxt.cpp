// Findings in the driver bnxt_en. No fix is known.
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {
namespace {

// One poll may end with several of these.
std::vector<Symptom> doorbells_of_freed_rings() {
    return symptoms_of(ComplaintKind::kForbidden,
                       {"receive ring #: its doorbell was rung, and it is not there",
                        "aggregation ring #: its doorbell was rung, and it is not there",
                        "completion ring #: its doorbell was rung, and it is not there",
                        "notification queue #: its doorbell was rung, and it is not there"});
}

// The device tells these from any other old number: no receive ring is left. Several queues may end
// so, and the same polls ring for what is freed.
std::vector<Symptom> old_doorbells_while_closing() {
    std::vector<Symptom> symptoms =
        symptoms_of(ComplaintKind::kForbidden,
                    {"notification queue #: its doorbell was rung with # behind #, to disarm it "
                     "where no receive ring is left"});
    for (const Symptom& symptom : doorbells_of_freed_rings()) symptoms.push_back(symptom);
    return symptoms;
}

// Wherever a queue is stopped or an interface goes down while packets come.
std::vector<std::string_view> all_that_stop_queues() {
    return {"receive.*",  "device.*",      "registration.*",  "steering.*",     "cqe32.*",
            "refill.*",   "exhaustion.*",  "copy_fallback.*", "header_split.*", "tcp.*",
            "teardown.*", "concurrency.*", "control.*",       "areas.*",        "neighbours.*",
            "bring_up.*", "races.*",       "alone.*",         "stall.*",        "soak.*",
            "bench.*"};
}

}  // namespace

std::vector<Finding> findings_in_bnxt() {
    using enum ComplaintKind;
    return {
        {
            .id = "area-all-posted-receives-nothing",
            .breaks = {"exhaustion.small-area"},
            .happens =
                "with an area of no more buffers than the driver posts (four for each entry "
                "of the receive ring, 2044 by default) every packet with payload is dropped, "
                "for ever",
            .details =
                "The driver takes a new buffer before it delivers one, finds none, and gives "
                "the buffer with the payload to the device again (rx_total_oom_discards)",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:__bnxt_rx_agg_netmems",
            .seen_on = "6.16.12, 7.2.12, 7.3.4, bnxt",
            .shown_by = {{.filter = "exhaustion.area_all_posted", .options = "--nic bnxt"}},
            // What the kernel and the driver count, which a real card has, too.
            .rules = {{
                .tests = {"exhaustion.area_all_posted"},
                .symptom = {.kind = kTimedOut,
                            .received = 0,
                            .in_flight_at_least = 200,
                            .not_replaced_at_least = 1},
                .target = "bnxt",
            }},
        },
        {
            .id = "doorbell-of-freed-ring",
            .promised = "a driver rings no doorbell of a ring that it has freed",
            .happens = "the driver frees the rings of its device while polls of its queues go on, "
                       "and a poll that ends then gives buffers to a ring that is no longer there, "
                       "or arms it",
            .details = "On purpose, as the driver says: it waits for the end of RING_FREE in the "
                       "poll. It is so where a queue is stopped and where the interface goes down",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_queue_stop and "
                      "__bnxt_close_nic, where napi_disable comes behind the command",
            .seen_on = "7.2.12, 7.3.4, bnxt",
            .assumes = "it no longer has a ring that was freed; whether a real one takes note of "
                       "such a doorbell is its maker's affair",
            .shown_by = {{.filter = "steering.stray/*",
                          .options = "--nic bnxt",
                          .remark = "if a poll ends at the wrong moment"}},
            .rules = rules_for_each(doorbells_of_freed_rings(),
                                    {
                                        .tests = all_that_stop_queues(),
                                        .symptom = {},
                                        .by_chance = "a poll has to end at the wrong moment",
                                        .target = "bnxt",
                                    }),
        },
        {
            .id = "old-doorbell-while-closing",
            .promised = "a driver never takes back what it told its device that it has read",
            .happens = "the driver disarms a notification queue, before it frees it, with the "
                       "number of an entry that a poll of that queue has read meanwhile, and told "
                       "the device so",
            .details = "bnxt_disable_int() reads cp_raw_cons and rings while polls go on; "
                       "napi_disable() comes behind it, as it waits for the end of RING_FREE in "
                       "the poll. A driver that waits 20 ms between the two, and 8 ms where a poll "
                       "ends, showed it in several runs, of several queues at once. "
                       "Nothing wrong was seen to follow",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_disable_int, by "
                      "bnxt_hwrm_ring_free",
            .seen_on = "6.18.15; 7.3.4 with those delays; bnxt",
            .assumes = "it looks at the number of such a doorbell; whether a real one does is its "
                       "maker's affair",
            .shown_by = {{.filter = "copy_fallback.behind_interface_down",
                          .options = "--nic bnxt",
                          .remark = "if a poll ends at the wrong moment"}},
            .rules = {{
                .tests = all_that_stop_queues(),
                .symptom = old_doorbells_while_closing().front(),
                .consequences = old_doorbells_while_closing(),
                .by_chance = "a poll has to end between two lines of another processor",
                .target = "bnxt",
            }},
        },
        {
            .id = "unread-completions-restart-device",
            .breaks = {"teardown.unread-packets"},
            .happens = "the driver takes completions that it had not read of a queue's old life "
                       "for those of the new one, finds that they do not fit, and starts all of "
                       "its device again",
            .details =
                "bnxt_queue_stop() clears the completion ring only with TPH. A poll that ends "
                "early, since NAPI is to be disabled, leaves what it has not read, so that a peer "
                "that sends while a ring is closed is enough. Of coalesced packets the buffers "
                "are counted before the restart, those of several packets for one, and the 18th "
                "ends the kernel (BUG_ON in bnxt_tpa_agg)",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_clear_one_cp_ring, which a "
                      "queue that stops does not come to",
            .seen_on = "6.16.12, 6.18.15, 7.1.13, 7.3.4, bnxt",
            .assumes = "it gives the number of a coalesced packet to another one soon, which "
                       "counts for BUG_ON only",
            .shown_by = {{.filter = "teardown.unread_packets", .options = "--nic bnxt"},
                         {.filter = "alone.unread_coalesced_packets",
                          .options = "--nic bnxt",
                          .remark = "which may end the kernel"}},
            .rules = {{
                .tests = {"teardown.unread_packets", "alone.unread_coalesced_packets"},
                .symptom = {.kind = kCheck,
                            .subject = "The driver started all of its device again for what one "
                                       "queue left unread."},
                .consequences = doorbells_of_freed_rings(),
                .target = "bnxt",
            }},
            .embargoed = true,
        },
        {
            .id = "transmit-queue-is-not-woken",
            .promised = "a packet that is sent while a receive queue is taken or given back leaves",
            .happens = "a packet that is sent while the driver restarts a receive queue waits "
                       "until another one leaves through the transmit queue of the same number: "
                       "the driver stops that queue as well, starts it, and does not wake it",
            .details =
                "With netif_tx_wake_queue() in its place the scenario passes. gve had the same "
                "until 7.3 (restart-strands-packet)",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_tx_queue_start, which calls "
                      "netif_tx_start_queue()",
            .seen_on = "6.16.12, 6.17.13, 6.18.15, 6.19.14, 7.0.13, 7.1.13, 7.2.11, 7.3.4, bnxt",
            .shown_by = {{.filter = "device.sent_during_restart", .options = "--nic bnxt"}},
            .rules = {{
                .tests = {"device.sent_during_restart"},
                .symptom = {.kind = kCheck,
                            .subject = "To the peer: Datagram # came only behind another one."},
                .by_chance = "a packet has to be sent at that very moment",
                .target = "bnxt",
                .never_on = "gve",
            }},
        },
        {
            .id = "queue-starts-without-buffers",
            .promised = "a queue that gets no buffers while it starts gets them later",
            .happens = "a queue for which an allocation fails while it starts goes on with the "
                       "buffers that it has by then, which may be none, and then receives nothing, "
                       "for ever",
            .details =
                "The registration succeeds, and the kernel log says \"init'ed rx ring 1 with 0/64 "
                "skbs only\". The driver replaces buffers of packets that came, and asks for none "
                "where none can come. With gve the same scenarios pass",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_alloc_one_rx_ring_skb and "
                      "bnxt_alloc_one_rx_ring_netmem",
            .seen_on = "7.3.4 built with the fragment faults, bnxt",
            .shown_by = {{.filter = "registration.page_pool_fails_at_first/*",
                          .options = "--nic bnxt --kernel 7.3-faults"}},
            .rules = rules_for_each(
                {{.kind = kNotConnected, .posted_at_most = 0},
                 // No packet of 9000 bytes finds room in so few.
                 {.kind = kTimedOut, .received = 0, .posted_at_most = 2}},
                {
                    .tests = {"registration.page_pool_fails_at_first/*"},
                    .symptom = {},
                    .by_chance = "it has to be the first allocation of a ring that fails",
                    .target = "bnxt",
                }),
        },
        {
            .id = "failed-header-loses-payload-buffers",
            .promised = "a packet that the driver drops costs its queue no buffer",
            .happens = "a packet is dropped since no page was to be had in place of that with its "
                       "headers, and the buffers with its payload stay with the driver: its device "
                       "never has them again until the queue stops, and starves in the end",
            .details =
                "Where an aggregation buffer has no replacement, all of the packet's go back to "
                "the ring; so they do where a small packet cannot be copied. With "
                "bnxt_reuse_rx_agg_bufs() here, too, the scenarios pass",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_rx_pkt, where rx_skb_func() "
                      "returns NULL",
            .seen_on = "7.3.4 built with the fragment faults, bnxt",
            .shown_by = {{.filter = "registration.page_pool_fails_while_receiving/*",
                          .options = "--nic bnxt --kernel 7.3-faults"}},
            .rules = {{
                .tests = {"registration.page_pool_fails_while_receiving/*",
                          "registration.no_memory_for_headers/not_copied"},
                .symptom = {.kind = kCheck,
                            .subject = "# of # buffers did not go back to the device."},
                .by_chance = "it has to be a page for headers that cannot be had",
                .target = "bnxt",
            }},
        },
        // The guest is lost, so that no rule can match.
        {
            .id = "refused-ring-panics",
            .breaks = {"bring-up.refused", "bring-up.unanswered"},
            .happens = "the kernel panics in bnxt_queue_start, by a NULL pointer, where the device "
                       "refuses to allocate, or to free, a ring of a queue that is taken or given "
                       "back, or answers no command any more",
            .details = "The driver takes its interface down (netif_close()), without the RTNL "
                       "that this needs (RTNL: assertion failed), and frees all its receive rings "
                       "by that. The kernel then starts the old queue again, in a ring that is no "
                       "longer there. A ring that the device did not free is forgotten "
                       "(bnxt_queue_stop() returns 0 nevertheless), and the device then has none "
                       "left for the new queue",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_queue_start, behind "
                      "err_reset; net/core/netdev_rx_queue.c:netdev_rx_queue_reconfig, behind "
                      "err_start_queue",
            .seen_on = "7.3.4, bnxt",
            .assumes = "it has no more rings than it told the driver of",
            .shown_by = {{.filter = "bring_up.refused*", .options = "--nic bnxt"},
                         {.filter = "bring_up.unanswered",
                          .options = "--nic bnxt",
                          .remark = "after forty commands that time out, 5 s each"}},
        },
        {
            .id = "no-rfs-accel-panics",
            .promised = "an interface of bnxt_en can be opened, whatever the kernel was built with",
            .happens =
                "the kernel panics in bnxt_hwrm_vnic_set_rss_p5, by a NULL pointer, when the "
                "interface is opened, where it was built without CONFIG_RFS_ACCEL",
            .details =
                "bnxt_alloc_vnics() makes room for a second VNIC with CONFIG_RFS_ACCEL only. "
                "bnxt_alloc_mem() sets flags of that VNIC, and bnxt_alloc_rfs_vnics() "
                "allocates it, wherever the device has n-tuple filters, which is behind the "
                "end of the array. A stock kernel has the setting; one made from "
                "allnoconfig has it not, and then no scenario runs. Our base.config sets it",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_alloc_vnics",
            .seen_on = "7.3.4 built without CONFIG_RFS_ACCEL, bnxt",
            .not_on = "7.3.4 of Debian",
            .shown_by = {{.filter = "receive.one_byte",
                          .options = "--nic bnxt",
                          .remark = "on a kernel built without CONFIG_RFS_ACCEL"}},
        },
        {
            .id = "bnxt-completions-read-plainly",
            .promised = "a driver reads by READ_ONCE what its device may be writing",
            .happens =
                "the driver looks at the valid bit of a completion, and of a notification, by "
                "a plain read",
            .details =
                "KCSAN told of a word that changed while it was read, and of nobody in the kernel "
                "who wrote it. The rest is read behind dma_rmb(), and nothing wrong was seen to "
                "follow; but a compiler may make two reads of a plain one",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:__bnxt_poll_work and "
                      "bnxt_poll_p5, by TX_CMP_VALID and NQ_CMP_VALID",
            .seen_on = "7.3.4 with CONFIG_KCSAN, bnxt",
            .shown_by = {{.filter = "races.*",
                          .options = "--nic bnxt --kernel 7.3-kcsan",
                          .remark = "by chance"}},
            .rules = rules_for_each(
                symptoms_of(
                    kKernelLog,
                    {"BUG: KCSAN: data-race in bnxt_poll_p5 (read of 4 bytes) / unknown",
                     "BUG: KCSAN: data-race in __bnxt_poll_work (read of 4 bytes) / unknown"}),
                {
                    .tests = {"races.*", "concurrency.*"},
                    .symptom = {},
                    .by_chance = "the device has to write while the kernel watches that read",
                    .target = "bnxt",
                }),
        },
    };
}

}  // namespace zcrxlab
