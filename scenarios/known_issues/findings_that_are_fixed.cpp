// Findings that a later kernel does not have: known on the older ones, a failure where they come
// back.
#include <cerrno>
#include <utility>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

namespace {

std::vector<std::string_view> all_that_receive() {
    return {"receive.*", "device.*",      "steering.*",   "refill.*",        "exhaustion.*",
            "cqe32.*",   "tcp.*",         "teardown.*",   "copy_fallback.*", "header_split.*",
            "areas.*",   "concurrency.*", "neighbours.*", "control.*",       "registration.*"};
}

// One for each scenario, as each has requests of one length.
std::vector<Rule> rules_of_more_than_the_length() {
    constexpr std::pair<std::string_view, int64_t> kLengths[] = {
        {"cqe32.limit/page_less_1", 4095},
        {"cqe32.limit/page_and_1", 4097},
        {"cqe32.limit/64_kib", 65536},
        {"teardown.close/buffers_held_in_pieces", 300},
        {"copy_fallback.part_linear/merged_limit", 1000},
    };
    std::vector<Rule> rules;
    for (const auto& [test, length] : kLengths)
        rules.push_back({
            .tests = {test},
            .symptom = {.kind = ComplaintKind::kBehindLength, .length = length},
            // The stream ends with fewer of them.
            .consequences = {{.kind = ComplaintKind::kCheck,
                              .subject = "The stream did not take a request for each length."}},
            .by_chance = "a length has to end within a packet behind which others hang, which were "
                         "joined to it",
        });
    return rules;
}

}  // namespace

std::vector<Finding> findings_that_are_fixed() {
    using enum ComplaintKind;
    return {
        {
            .id = "offset-above-4-gib",
            .breaks = {"areas.above-4-gib"},
            .happens =
                "the offset of a data CQE above 4 GiB loses its upper half, so that the user reads "
                "other memory",
            .source = "io_uring/zcrx.c:io_zcrx_queue_cqe",
            .affected = "7.2.0 to 7.2.13 and 7.3.0 to 7.3.1",
            .seen_on = "7.2.6, 7.2.12",
            .not_on = "7.3.4",
            .since = "7.2",
            .fixed_in = {"7.2.14", "7.3.2"},
            .shown_by = {{.filter = "areas.above_4_gib"}},
            .rules = {{
                .tests = {"areas.above_4_gib"},
                .symptom = {.kind = kCheck, .subject = "Nothing above 4 GiB was used."},
            }},
        },
        // The guest is lost, so that no rule can match.
        {
            .id = "mapping-what-cannot-be-read-panics",
            .breaks = {"neighbours.zerocopy-receive"},
            .happens =
                "TCP_ZEROCOPY_RECEIVE of a stream that goes on in payload that cannot be read "
                "follows a NULL pointer: what it cannot read has no page, which is not asked for",
            .details = "CVE-2026-99055. Its record says that nobody has reached it on a NIC: a "
                       "connection does whose packets come to a bound queue from some byte on",
            .source = "net/ipv4/tcp.c:can_map_frag",
            .seen_on = "6.18.15, gve",
            .not_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "alone.half_readable/mapped"}},
            .embargoed = true,
        },
        {
            .id = "mixed-last-slot",
            .breaks = {"cqe32.mixed-one-slot"},
            .happens =
                "a mixed CQ whose free slots are odd in number puts its tail one slot too far, and "
                "shows what an earlier round left there, as a CQE that belongs to no request",
            .details =
                "Seen with one slot left and with three. The tail goes over a slot that nobody has "
                "read yet. What is stale can also be a second final CQE",
            .source = "io_uring/io_uring.c:io_get_cqe",
            .seen_on = "6.18.15, 7.2.12, 7.2.13",
            .not_on = "7.3.4",
            .fixed_in = {"7.3.3"},
            .shown_by = {{.filter = "cqe32.mixed_nearly_full/*"},
                         {.filter = "cqe32.mixed_padding", .remark = "by chance"}},
            .rules = {{
                          .tests = {"cqe32.mixed_nearly_full/1", "cqe32.mixed_nearly_full/3"},
                          .symptom = {.kind = kCheck,
                                      .subject = "A CQE came that belongs to no request."},
                          .consequences = {{.kind = kStrayCqe}, {.kind = kCqOverrun}},
                      },
                      {
                          .id = "mixed-stale-cqe",
                          .happens =
                              "a mixed CQ that gives out its last slot again shows what an earlier "
                              "round left there, as a CQE that belongs to no request",
                          .seen_on = "6.18.15, 7.3-rc7 (not in every run)",
                          .tests = {"cqe32.mixed_padding"},
                          .symptom = {.kind = kCheck,
                                      .subject = "A CQE came that belongs to no request."},
                          .consequences = {{.kind = kStrayCqe}, {.kind = kCqOverrun}},
                          .by_chance = "an earlier round must have left something there",
                      }},
        },
        {
            .id = "burst-then-silence",
            .breaks = {"cqe32.full-cq-then-silence", "exhaustion.burst-then-silence"},
            .happens =
                "a request that a full CQ or an empty area has stopped is not tried again before "
                "the next packet: its data waits in the socket, with neither data nor final CQE",
            .source = "io_uring/net.c:io_recvzc",
            .affected = "6.15 to 7.2.9",
            .seen_on = "6.18.5, 6.18.15, 7.2.6, 7.2.9",
            .not_on = "7.2.12, 7.3.4",
            .fixed_in = {"7.2.10"},
            .fix = "by 98ad5b63f504",
            .shown_by = {{.filter = "cqe32.burst_then_silence/8_entries"},
                         {.filter = "exhaustion.burst_then_silence/4_pages",
                          .options = "--nic nodev"},
                         {.filter = "exhaustion.tiny_area/2_pages",
                          .options = "--nic nodev",
                          .remark = "7.2.6"}},
            .rules = {{
                          .tests = {"cqe32.burst_then_silence/1_entry",
                                    "cqe32.burst_then_silence/2_entries",
                                    "cqe32.burst_then_silence/3_entries",
                                    "cqe32.burst_then_silence/8_entries",
                                    "exhaustion.burst_then_silence/1_page",
                                    "exhaustion.burst_then_silence/4_pages"},
                          .blocks = {"copy_fallback.small_cq", "cqe32.mixed_padding",
                                     "cqe32.small_cq/1_entry", "exhaustion.tiny_area/1_page",
                                     "exhaustion.tiny_area/2_pages",
                                     "exhaustion.tiny_area/16_pages", "exhaustion.enomem",
                                     "exhaustion.again_and_again",
                                     "header_split.shape/coalesced_small_cq",
                                     "header_split.shape/coalesced_small_buffers_small_cq"},
                          .symptom = {.kind = kStalled,
                                      .data_waits = true,
                                      .socket = "ESTABLISHED POLLIN"},
                      },
                      {
                          .id = "burst-of-small-segments-then-silence",
                          .tests = {"exhaustion.burst_then_silence/8_pages_small_segments"},
                          .symptom = {.kind = kStalled,
                                      .data_waits = true,
                                      .socket = "ESTABLISHED POLLIN"},
                          .by_chance = "the last segments have to come while the area is empty",
                      }},
        },
        {
            .id = "wake-up-is-lost",
            .promised = "a request goes on while data waits for it",
            .happens =
                "a request that more than 128 packets have woken before it could run loses the "
                "wake-up of a packet that comes as it ends its turn: its data waits in the socket, "
                "and it sleeps until the next packet",
            .details =
                "So many wake-ups are not counted any more: a flag stands for the rest of them. "
                "Where the references are given back, the flag is not looked at again. In the run "
                "that showed it, 28 whole packets of 64 KiB and the FIN behind them waited. A "
                "packet that the socket throws away for want of memory wakes the request, too",
            .source = "io_uring/poll.c:io_poll_check_events",
            .seen_on = "6.19.10, 6.19.14, 7.0.7, 7.1.7, 7.1.13, 7.2.6, 7.2.12 (in one run of many)",
            .not_on = "7.3.4",
            .fixed_in = {"7.3"},
            .fix = "at the latest, which gives the references back only if nothing has changed",
            .shown_by = {{.filter = "refill.newest_first",
                          .options = "--nic nodev",
                          .remark = "by chance, on a busy machine"}},
            .rules = {{
                          .tests = {"copy_fallback.empty_area", "header_split.options/*",
                                    "refill.long_hold", "refill.newest_first"},
                          .symptom = {.kind = kStalled,
                                      .data_waits = true,
                                      .socket = "CLOSE_WAIT POLLIN POLLRDHUP"},
                          .by_chance = "a packet has to come at that very moment, as the last one",
                      },
                      {
                          // The peer waits for room, or for what the request does with its data.
                          .tests = {"copy_fallback.empty_area_linear", "tcp.memory_full"},
                          .symptom = {.kind = kStalled,
                                      .data_waits = true,
                                      .socket = "ESTABLISHED POLLIN"},
                          .by_chance = "a packet has to come at that very moment, as the last one",
                      }},
        },
        {
            .id = "resize-tells-no-array",
            .promised = "who gives rings another size is told where each of their parts is",
            .happens =
                "IORING_REGISTER_RESIZE_RINGS leaves sq_off.array at 0, where the head of the SQ "
                "is: who fills the array there overwrites heads, tails and sizes of both rings",
            .details =
                "Rings without that array (IORING_SETUP_NO_SQARRAY), which newer versions of "
                "liburing make, are not touched by it",
            .source = "io_uring/register.c:io_register_resize_rings",
            .seen_on = "6.16.12, 6.17.13, 6.18.15",
            .not_on = "6.19.13, 6.19.14, 7.0.13, 7.1.13, 7.2.12, 7.3.4",
            .fixed_in = {"6.19"},
            .fix = "at the latest",
            .shown_by = {{.filter = "cqe32.resized/mixed"}},
            .rules = {{
                .tests = {"cqe32.resized/cqe32", "cqe32.resized/mixed"},
                .symptom = {.kind = kCheck,
                            .subject = "The kernel does not say where the array of the SQ is."},
            }},
        },
        {
            .id = "resize-copies-half-of-large-cqes",
            .breaks = {"cqe32.resized"},
            .happens = "a CQ that is resized copies CQEs of 32 bytes as if they had 16: half of "
                       "them are lost, and others come that nobody has posted",
            .details = "Where resize-tells-no-array is, too, as on 6.18.15, that is seen first",
            .source = "io_uring/register.c:io_register_resize_rings",
            .affected = "6.18 to 6.18.26, 6.19 and 7.0 to 7.0.3",
            .seen_on = "6.19.6 to 6.19.14",
            .not_on = "7.0.4, 7.0.13, 7.2.12, 7.3.4",
            .fixed_in = {"6.18.27", "7.0.4"},
            .fix = "by 45cd95763e19",
            .shown_by = {{.filter = "cqe32.resized/cqe32"}},
            .rules =
                {{
                     .tests = {"cqe32.resized/cqe32"},
                     .symptom = {.kind = kTimedOut, .received = 20000, .sent = 40000},
                     .consequences = {{.kind = kStrayCqe}},
                 },
                 {
                     .happens =
                         "the last CQE that is copied has its first half only, so that its offset "
                         "is 0",
                     .tests = {"cqe32.resized/cqe32"},
                     .symptom = {.kind = kWrongByte, .received = 18948},
                     .consequences = {{.kind = kStrayCqe},
                                      {.kind = kWrongByte},
                                      {.kind = kWrongPlace, .received = 18948}},
                     .by_chance = "an odd number of CQEs has to lie in the CQ",
                 },
                 {
                     .tests = {"cqe32.resized/cqe32"},
                     .symptom = {.kind = kTimedOut, .received = 18948, .sent = 40000},
                     .consequences = {{.kind = kStrayCqe}},
                     .by_chance = "fewer CQEs than usual have to lie in the CQ",
                 }},
        },
        {
            .id = "wrong-mmap-is-enomem",
            .promised = "who maps a region that is not there gets EINVAL",
            .happens = "mmap of a ring at an offset at which it has nothing is ENOMEM",
            .details = "The answer of io_uring_validate_mmap_request, EINVAL, is not passed on",
            .source = "io_uring/memmap.c:io_uring_get_unmapped_area",
            .seen_on = "7.1.13",
            .not_on = "7.2.6, 7.2.12, 7.3.4",
            .fixed_in = {"7.2"},
            .fix = "at the latest",
            .shown_by = {{.filter = "control.region_through_import"}},
            .rules = {{
                .tests = {"control.region_through_import"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "mmap of the region of no instance",
                            .seen = ENOMEM,
                            .promised = EINVAL},
            }},
        },
        {
            .id = "resize-tears-large-cqe",
            .breaks = {"cqe32.resized"},
            .happens =
                "a CQE of two slots that comes to lie at the end of a resized mixed CQ has its "
                "second half at the beginning, where it is read as a CQE of its own",
            .source = "io_uring/register.c:io_register_resize_rings",
            .seen_on = "6.18.15, 7.2.12, 7.3-rc7 (not in every run)",
            .not_on = "7.3.4",
            .fixed_in = {"7.3.4"},
            .fix = "at the latest, by 0edf1930b8ed, which refuses such a size with EOVERFLOW",
            .shown_by = {{.filter = "cqe32.resized/mixed", .remark = "by chance"}},
            .rules = {{
                .tests = {"cqe32.resized/mixed"},
                .symptom = {.kind = kCheck,
                            .subject = "A CQE of two slots lies at the end and the beginning of "
                                       "the new CQ."},
                .by_chance = "one of the bursts has to have its end in the right slot",
            }},
        },
        {
            .id = "full-cq-ends-nothing",
            .breaks = {"cqe32.final-cq-full"},
            .happens =
                "a request that a full CQ has stopped goes on with the next packet instead of "
                "ending with -ENOSPC",
            .source = "io_uring/net.c:io_recvzc",
            .seen_on = "6.18.5, 6.18.15",
            .not_on = "7.2.6, 7.2.9, 7.3.4",
            .fixed_in = {"7.2"},
            .fix = "at the latest",
            .shown_by = {{.filter = "cqe32.small_cq/3_entries"}},
            .rules = {{
                .tests = {"cqe32.small_cq/1_entry", "cqe32.small_cq/2_entries",
                          "cqe32.small_cq/3_entries"},
                .symptom = {.kind = kCheck, .subject = "The CQ was full, and no request ended."},
            }},
        },
        {
            .id = "more-than-the-length",
            .breaks = {"cqe32.limit"},
            .happens =
                "a request with a length goes on behind it where it ends within a packet that was "
                "joined of several: what is delivered is taken off the length twice, which then "
                "becomes huge",
            .details = "CVE-2025-40046",
            .source = "io_uring/zcrx.c:io_zcrx_recv_skb",
            .affected = "6.15 to 6.17.2",
            .seen_on = "6.16.12, bnxt",
            .not_on = "6.17.13, 6.18.15, 7.2.12, 7.3.4",
            .fixed_in = {"6.17.3"},
            .fix = "by 09cfd3c52ea7",
            .shown_by = {{.filter = "cqe32.limit/64_kib",
                          .options = "--nic bnxt",
                          .remark = "by chance"},
                         {.filter = "cqe32.limit/page_less_1",
                          .options = "--nic bnxt",
                          .remark = "by chance"},
                         {.filter = "cqe32.limit/page_and_1",
                          .options = "--nic bnxt",
                          .remark = "by chance"},
                         {.filter = "teardown.close/buffers_held_in_pieces",
                          .options = "--nic bnxt",
                          .remark = "by chance"}},
            .rules = rules_of_more_than_the_length(),
        },
        {
            .id = "interface-without-lock-warns",
            .promised =
                "a registration for an interface that has no such queues is refused quietly",
            .happens = "a registration for the loopback interface warns that RTNL is not held, and "
                       "is refused",
            .details = "An interface whose driver has no queue operations has no lock of its own, "
                       "and the kernel asks it for its DMA device with that lock only",
            .source = "net/core/netdev_queues.c:netdev_queue_get_dma_dev",
            .seen_on = "7.1.3, 7.1.7, 7.1.8, gve, bnxt",
            .not_on = "6.19.14, 7.0.13, 7.1.13, 7.2.6, 7.3.4",
            .since = "7.1",
            .fixed_in = {"7.1.13", "7.2"},
            .fix = "at the latest",
            .shown_by = {{.filter = "registration.refused/interface_loopback"}},
            .rules = {{
                .tests = {"registration.refused/interface_loopback"},
                .symptom = {.kind = kKernelLog,
                            .subject = "WARNING",
                            .function = "netdev_queue_get_dma_dev"},
            }},
        },
        {
            .id = "segments-of-ipv6-options-warn",
            .promised = "a peer may send IPv6 packets with extension headers",
            .happens = "a packet of several segments with an IPv6 extension header warns when it "
                       "is sent, where the interface's checksum offload takes no such header",
            .source = "net/core/dev.c:gso_features_check",
            .seen_on = "6.16.3, bnxt",
            .not_on = "6.16.12, 6.17.8, 6.18.15, 7.2.12, 7.3.4",
            .fixed_in = {"6.16.12", "6.17"},
            .fix = "at the latest, by 864e3396976e",
            .shown_by = {{.filter = "header_split.options/ipv6_*", .options = "--nic bnxt"}},
            .rules = {{
                .tests = {"header_split.options/ipv6_8", "header_split.options/ipv6_24",
                          "header_split.options/ipv6_40"},
                .symptom = {.kind = kKernelLog,
                            .subject = "WARNING",
                            .function = "skb_warn_bad_offload"},
                .by_chance = "the peer has to have several segments to send at once",
                .target = "bnxt",
            }},
        },
        {
            .id = "queue-out-of-range-is-einval",
            .breaks = {"registration.queue-range"},
            .happens = "a queue that is not there is EINVAL",
            .source = "net/core/netdev_rx_queue.c:__net_mp_open_rxq",
            .seen_on = "6.16.12, bnxt",
            .not_on = "6.17.8, 6.17.13, 6.18.15, 7.2.12, 7.3.4",
            .fixed_in = {"6.17"},
            .fix = "at the latest",
            .shown_by = {{.filter = "registration.refused/queue_out_of_range",
                          .options = "--nic bnxt"}},
            .rules = {{
                .tests = {"registration.refused/queue_out_of_range"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "IORING_REGISTER_ZCRX_IFQ: queue_out_of_range",
                            .seen = EINVAL,
                            .promised = ERANGE},
            }},
        },
        {
            .id = "dirty-refill-ring",
            .breaks = {"registration.dirty-region"},
            .happens = "the refill ring's header is not cleared at registration: the kernel takes "
                       "what the "
                       "memory held for head and tail",
            .source = "io_uring/zcrx.c:io_allocate_rbuf_ring",
            .affected = "6.15 to 7.0",
            .seen_on = "6.18.5, 6.18.15, 6.19.14, 7.0.4, 7.0.13",
            .not_on = "7.1.3, 7.2.6, 7.3.4",
            .fixed_in = {"7.1"},
            .fix = "by 4f02cc4071a1",
            .shown_by = {{.filter = "registration.dirty_region"}},
            .rules = {{
                .tests = {"registration.dirty_region"},
                .symptom = {.kind = kCheck, .subject = "The memory kept what was in it."},
            }},
        },
        {
            .id = "header-of-another-packet",
            .breaks = {"header_split.overtaken"},
            .happens =
                "a packet that is completed before one whose buffers were posted earlier gets the "
                "headers of that one: the driver has a header buffer for each place of the ring, "
                "and reads the one of the place of the completion. TCP drops it, or gives its "
                "payload to the connection of the other packet",
            .details = "CVE-2026-72046",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_dqo",
            .affected = "6.9 to 6.18.39, 6.19, 7.0 and 7.1.0 to 7.1.4",
            .seen_on = "6.18.15, gve",
            .not_on = "7.2.12, 7.3.4",
            .assumes = "that a NIC completes packets of different flows in another order than it "
                       "was given their buffers, as the fix says of one that joins packets",
            .fixed_in = {"6.18.40", "7.1.5"},
            .fix = "by d676c9a73bdc",
            .shown_by = {{.filter = "header_split.overtaken"}},
            .rules = {{
                .tests = {"header_split.overtaken"},
                .symptom = {.kind = kOfAnotherStream},
                .consequences = {{.kind = kWrongByte}},
            }},
        },
        {
            .id = "queued-packet-is-unreadable",
            .breaks = {"neighbours.queued"},
            .happens = "a program that asks for the packets that wait for its verdict (NFQUEUE, "
                       "NFQNL_COPY_PACKET) gets EFAULT in place of each with payload that cannot "
                       "be read, with no number to accept it by, so that the stream stands still",
            .source = "net/netfilter/nfnetlink_queue.c:nfqnl_build_packet_message",
            .seen_on = "6.18.15, 6.19.14, 7.0.13, 7.1.3, gve; 6.16.12, bnxt",
            .not_on = "7.1.7, 7.1.13, 7.2.6, 7.2.12, 7.3.4",
            .fixed_in = {"7.1.7"},
            .fix = "between 7.1.3 and 7.1.7: a message has no more than the linear part of such a "
                   "packet",
            .shown_by = {{.filter = "neighbours.queued/shown_whole"}},
            .rules = {{
                .tests = {"neighbours.queued/shown_whole", "neighbours.queued/shown_coalesced"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "a program hears of queued packets",
                            .seen = EFAULT,
                            .promised = 0},
            }},
        },
        {
            .id = "queue-without-buffers-stays-so",
            .breaks = {"exhaustion.throttled"},
            .happens =
                "a receive queue that has run out of buffers is silent for ever: without packets "
                "the driver does not ask for buffers, though the user has given many back",
            .details = "So it is with one or two, which a large packet does not fit into. As soon "
                       "as the queue is polled, as busy polling does, it has buffers again",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_post_buffers_dqo",
            .affected = "6.18 to 6.18.41, 6.19, 7.0 and 7.1.0 to 7.1.5",
            .seen_on = "6.18.5, 6.18.15, gve",
            .not_on = "7.2.12, 7.3.4",
            .fixed_in = {"6.18.42", "7.1.6"},
            .fix = "by b65352a1bac6",
            .shown_by = {{.filter = "exhaustion.all_held"},
                         {.filter = "exhaustion.again_and_again",
                          .remark = "and blocks what runs an area or a ring dry by chance, or to "
                                    "count its buffers"}},
            // Nothing behind the stall was judged, except where the stall is what is looked for. It
            // comes where the reader is slow for a moment: wherever something is received. That the
            // queue has buffers again once it is polled is what tells it from buffers that are
            // lost.
            .rules = {{
                          .tests = {"exhaustion.all_held", "exhaustion.again_and_again"},
                          .blocks = all_that_receive(),
                          .symptom = {.kind = kTimedOut,
                                      .posted_at_most = 16,
                                      .posted_when_polled_at_least = 17},
                          .target = "gve",
                      },
                      {
                          .id = "queue-without-buffers-keeps-area",
                          .happens = "the same, seen where an area is emptied to count its buffers",
                          .blocks = all_that_receive(),
                          .symptom = {.kind = kNotEmptied,
                                      .posted_at_most = 16,
                                      .posted_when_polled_at_least = 17},
                      }},
        },
        {
            .id = "foreign-tag-keeps-buffers",
            .breaks = {"steering.foreign-tag"},
            .happens =
                "the buffers of a coalesced packet that is dropped for its tag never go back "
                "to the page pool, which stays, with the area and its pinned pages",
            .details =
                "The packet is freed before it is marked as one of a page pool's buffers "
                "(skb_mark_for_recycle), which it is when it is delivered. A peer in the same "
                "network chooses the protocol of its tags, wherever a NIC takes these off",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c, where a coalesced packet is "
                      "dropped for its tag",
            .seen_on = "6.16.12, 6.17.13, 6.18.15, 7.0.13, 7.1.13, bnxt",
            .not_on = "7.2.11, 7.3.4",
            .assumes = "it takes tags off whose protocol the kernel does not know",
            .fixed_in = {"7.2"},
            .fix = "at the latest",
            .shown_by = {{.filter = "alone.foreign_tag_coalesced", .options = "--nic bnxt"}},
            .rules = {{
                .tests = {"alone.foreign_tag_coalesced"},
                .symptom = {.kind = kCounter, .subject = "page pools that wait for pages"},
                .consequences = {{.kind = kCounter, .subject = "page pools of io_uring"},
                                 {.kind = kCounter, .subject = "pinned pages"}},
                .target = "bnxt",
            }},
            .embargoed = true,
        },
        // The guest is lost, so that no rule can match.
        {
            .id = "fifth-aggregate-is-another",
            .promised = "a driver tells the packets apart that its NIC joins at the same time",
            .happens =
                "of five such packets of one queue two are taken for one, and the 18th buffer "
                "of the two ends the kernel (BUG_ON in bnxt_tpa_agg)",
            .details = "A free number is looked for among the first four of 256, and without one "
                       "all get the fifth. Numbers are taken and not freed, too, while the driver "
                       "waits for its device to start again, which is how the scenario comes there",
            .source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c:bnxt_alloc_agg_idx",
            .seen_on = "6.16.12, 6.17.13, bnxt",
            .not_on = "6.18.15, 7.0.13, 7.1.13, 7.2.11, 7.3.4",
            .assumes = "it gives the number of a coalesced packet to another one soon",
            .fixed_in = {"6.18.15"},
            .fix = "at the latest, by \"bnxt_en: Fix potential data corruption with HW GRO/LRO\"",
            .shown_by = {{.filter = "alone.broken_headers_coalesced",
                          .options = "--nic bnxt",
                          .remark = "in most runs"}},
        },
        {
            .id = "unacked-send-keeps-queue",
            .breaks = {"teardown.unacked-send"},
            .happens =
                "a closed ring keeps its queue until a zero-copy send is acknowledged, and who "
                "wants the queue gets EEXIST",
            .details = "On bnxt (6.16.12, 6.17.13, 6.18.15) the queue is free at once; why is not "
                       "known. From 7.0 on it is free at once in some runs; e5361d25e241, which is "
                       "said to mend it, is said to be in 7.0.4 and 7.1",
            .source = "io_uring/io_uring.c:io_ring_exit_work",
            .seen_on = "6.18.15, 6.19.14, 7.0.4, 7.0.13, 7.1.3, 7.1.8, gve",
            .not_on = "7.1.13, 7.2.12, 7.3.4",
            .fixed_in = {"7.1.13", "7.2"},
            .fix = "at the latest",
            .shown_by = {{.filter = "teardown.unacked_send"}},
            .rules = {{
                          .fixed_in = {"7.0"},
                          .tests = {"teardown.unacked_send"},
                          .symptom = {.kind = kProviderStays},
                          .consequences = {{.kind = kCounter, .subject = "pinned pages"},
                                           {.kind = kCounter, .subject = "page pools of io_uring"}},
                          .target = "gve",
                      },
                      {
                          .id = "unacked-send-keeps-queue-at-times",
                          .tests = {"teardown.unacked_send"},
                          .symptom = {.kind = kProviderStays},
                          .consequences = {{.kind = kCounter, .subject = "pinned pages"},
                                           {.kind = kCounter, .subject = "page pools of io_uring"}},
                          .by_chance =
                              "in some runs the queue is free at once, and why is not known",
                          .target = "gve",
                      }},
        },
        {
            .id = "refused-header-split-is-logged",
            .promised = "a setting that is refused is refused quietly",
            .happens = "a driver that refuses header split because XDP is there logs an error for "
                       "each try",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_set_hsplit_config",
            .seen_on = "6.18.15, 7.2.6, 7.2.9, gve",
            .not_on = "7.2.11, 7.2.12, 7.3.4",
            .fixed_in = {"7.2.11"},
            .fix = "at the latest, which refuses before it asks the driver",
            .shown_by = {{.filter = "registration.single_buffer_xdp_there/native"}},
            .rules = {{
                .tests = {"registration.single_buffer_xdp_there/native"},
                .symptom = {.kind = kKernelLog,
                            .subject = "gve 0000:#:#.#: Header-split not supported"},
                .target = "gve",
            }},
        },
        {
            .id = "linked-xdp-is-not-counted",
            .breaks = {"registration.xdp-there"},
            .happens =
                "header split is switched on beside a program that takes single buffers only, if "
                "that is attached by a link, and the driver does not refuse it",
            .source = "net/core/dev.c:dev_xdp_sb_prog_count",
            .seen_on = "7.2.6, 7.2.9, netdevsim",
            .not_on = "7.2.11, 7.2.12, 7.3.4",
            .fixed_in = {"7.2.11"},
            .fix = "at the latest, which looks at programs of links, too",
            .shown_by = {{.filter = "registration.single_buffer_xdp_there/native",
                          .options = "--nic netdevsim"}},
            .rules = {{
                .tests = {"registration.single_buffer_xdp_there/native"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "tcp-data-split on with XDP there",
                            .seen = 0,
                            .promised = EINVAL},
                .target = "netdevsim",
            }},
        },
        {
            .id = "restart-strands-packet",
            .promised = "a packet that is sent while a receive queue is taken or given back leaves",
            .happens =
                "a packet that is sent while the driver restarts a receive queue waits until "
                "another one leaves through the same transmit queue: the driver starts its queues "
                "and does not wake them",
            .details =
                "It stops all transmit queues for that time. A connection waits for ever if the "
                "packet was its SYN: none reaches the wire, probably since TCP does not send again "
                "what it believes to be on its way",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_turnup",
            .seen_on = "6.18.5, 6.18.15, 7.2.6, 7.2.9, 7.2.12, gve",
            .not_on = "7.3.4",
            .fixed_in = {"7.3"},
            .fix = "so far that the link event sends it, up to a second later "
                   "(net/sched/sch_generic.c:transition_one_qdisc)",
            .shown_by = {{.filter = "device.sent_during_restart"}, {.filter = "device.reset"}},
            .rules = {{
                          .id = "restart-strands-connection",
                          .happens =
                              "the same, seen by a connection: its SYN never reaches the wire, "
                              "probably because TCP does not send again what it believes to be on "
                              "its way",
                          .seen_on = "7.2.9, 7.2.11, gve (not in every run)",
                          .blocks = {"device.reset"},
                          .symptom = {.kind = kNotConnected,
                                      .posted_at_least = 17,
                                      .not_left_at_least = 1},
                          .by_chance = "a packet has to be sent at that very moment",
                      },
                      {
                          .tests = {"device.sent_during_restart"},
                          .symptom = {.kind = kCheck,
                                      .subject = "To the peer: Datagram # came only behind "
                                                 "another one."},
                          .by_chance = "a packet has to be sent at that very moment",
                          .target = "gve",
                      }},
        },
    };
}

}  // namespace zcrxlab
