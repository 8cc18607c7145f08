// Findings in io_uring: zero-copy receive itself, and what it uses of the rest. No fix is known.
#include <cerrno>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

std::vector<Finding> findings_in_io_uring() {
    using enum ComplaintKind;
    return {
        {
            .id = "flush-stops-at-invalid-entry",
            .breaks = {"control.flush-skips-invalid"},
            .happens =
                "FLUSH_RQ stops behind the first invalid entry and returns 0, while a refill steps "
                "over it",
            .source = "io_uring/zcrx.c:zcrx_parse_rq",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "control.flush_over_invalid_entries"}},
            .rules = {{
                .tests = {"control.flush_over_invalid_entries"},
                .symptom = {.kind = kCheck,
                            .subject = "FLUSH_RQ took up 1 of 4 entries and returned 0."},
            }},
        },
        {
            .id = "control-reserved-efault",
            .breaks = {"control.reserved"},
            .happens =
                "reserved fields of zcrx_ctrl that are not zero give EFAULT, and every other one "
                "EINVAL",
            .source = "io_uring/zcrx.c:io_zcrx_ctrl",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "control.refused/reserved_*"}},
            .rules = {{
                .tests = {"control.refused/reserved_first", "control.refused/reserved_last"},
                .symptom = {.kind = kOtherErrno, .seen = EFAULT, .promised = EINVAL},
            }},
        },
        {
            .id = "import-tells-no-geometry",
            .breaks = {"control.import-geometry"},
            .happens =
                "an import returns 0 refill entries and echoes rx_buf_len, so that an importer "
                "cannot learn the refill ring's size or the buffer length",
            .source = "io_uring/zcrx.c:import_zcrx",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "control.import_tells_geometry"}},
            .rules = {{
                .tests = {"control.import_tells_geometry"},
                .symptom = {.kind = kCheck,
                            .subject = "The import tells 0 entries and buffers of 0 bytes."},
            }},
        },
        {
            .id = "import-ignores-buffer-length",
            .breaks = {"control.import-fields"},
            .happens =
                "an import takes any rx_buf_len, and refuses every other field that it does not "
                "use",
            .source = "io_uring/zcrx.c:import_zcrx",
            .seen_on = "7.0.12, 7.0.13, 7.1.13, 7.2.12, 7.3.4",
            .not_on = "6.19.13, 6.19.14",
            .since = "7.0",
            .shown_by = {{.filter = "control.import_with/buffer_length"}},
            .rules = {{
                .tests = {"control.import_with/buffer_length"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "an import with buffer_length",
                            .seen = 0,
                            .promised = EINVAL},
            }},
        },
        {
            .id = "refused-area-keeps-token",
            .breaks = {"control.add-area-retry"},
            .happens =
                "a refused ADD_AREA leaves a token in the caller's structure, so that trying again "
                "with it is EINVAL",
            .source = "io_uring/zcrx.c:zcrx_ctrl_add_area",
            .seen_on = "7.3.4",
            .shown_by = {{.filter = "control.add_area_again"}},
            .rules = {{
                .tests = {"control.add_area_again"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "ADD_AREA again, with a good length",
                            .seen = EINVAL,
                            .promised = 0},
            }},
        },
        {
            .id = "reset-behind-data-is-missed",
            .breaks = {"cqe32.final-reset"},
            .happens = "a request that is woken once, for data and a reset together, delivers the "
                       "data and "
                       "is never told of the reset",
            .details =
                "It is woken once if it found both when it began to wait, which is always so with "
                "POLL_FIRST. It then waits for ever. With a FIN in place of the reset it looks "
                "again",
            .source = "io_uring/poll.c:io_poll_check_events, which looks again for POLLHUP only if "
                      "it was woken more than once",
            .seen_on = "6.18.15, 7.2.12, 7.3.4",
            .shown_by = {{.filter = "cqe32.end_found_waiting/reset"},
                         {.filter = "cqe32.ending/reset", .remark = "by chance"}},
            .rules =
                {{
                     .tests = {"cqe32.end_found_waiting/reset"},
                     .symptom = {.kind = kCheck,
                                 .subject = "The request waits, and its socket is CLOSE POLLIN "
                                            "POLLRDHUP POLLHUP POLLERR"},
                 },
                 {
                     .id = "reset-behind-data-is-missed-at-times",
                     .happens = "the same where data and reset come while the request waits",
                     .fixed_in = {"7.3"},
                     .tests = {"cqe32.ending/reset", "tcp.reset/after_data",
                               "tcp.reset/while_data_waits",
                               "tcp.reset/while_data_waits_behind_a_hole"},
                     .symptom = {.kind = kTimedOut,
                                 .socket = "CLOSE POLLIN POLLRDHUP POLLHUP POLLERR"},
                     .by_chance = "it takes one wake-up for both",
                 },
                 {
                     .id = "reset-behind-data-leaves-it-waiting-at-times",
                     .happens = "the same where a reset comes right behind data",
                     .fixed_in = {"7.3"},
                     .tests = {"tcp.reset/after_data", "tcp.reset/while_data_waits_behind_a_hole"},
                     .symptom = {.kind = kCheck,
                                 .subject = "The request waits, and its socket is CLOSE POLLIN "
                                            "POLLRDHUP POLLHUP POLLERR"},
                     .by_chance = "it takes one wake-up for both",
                 },
                 {
                     .id = "reset-behind-data-stalls-at-times",
                     .happens = "the same, and other data waits in front of the reset",
                     .fixed_in = {"7.3"},
                     .tests = {"cqe32.ending/reset", "tcp.reset/after_data",
                               "tcp.reset/while_data_waits",
                               "tcp.reset/while_data_waits_behind_a_hole"},
                     .symptom = {.kind = kStalled,
                                 .socket = "CLOSE POLLIN POLLRDHUP POLLHUP POLLERR"},
                     .by_chance = "it takes one wake-up for both",
                 }},
        },
        {
            .id = "page-buffers-refused",
            .breaks = {"areas.page-buffers-everywhere"},
            .happens =
                "asking for buffers of a page is EOPNOTSUPP with drivers that only have those",
            .details = "rx_buf_len 4096 is refused, and 0 works",
            .source = "io_uring/zcrx.c:zcrx_register_netdev",
            .seen_on = "7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "areas.buffers_of_a_page"}},
            .rules = {{
                .tests = {"areas.buffers_of_a_page"},
                .symptom = {.kind = kOtherErrno,
                            .subject = "IORING_REGISTER_ZCRX_IFQ with buffers of a page",
                            .seen = EOPNOTSUPP,
                            .promised = 0},
                .target = "gve",
            }},
        },
        {
            .id = "area-segments-too-long",
            .promised = "an area is mapped in segments that its device can take",
            .happens =
                "an area is mapped in as few segments as its pages allow, whatever length of a "
                "segment the device says that it can take (64 KiB if it says nothing)",
            .details =
                "Pages are joined as far as they lie together, up to 8 MiB; gve says nothing. "
                "DMA_API_DEBUG warns once per boot",
            .source = "io_uring/zcrx.c:io_import_umem, sg_alloc_table_from_pages without "
                      "dma_get_max_seg_size",
            .seen_on = "7.3.4, with CONFIG_DMA_API_DEBUG",
            .shown_by = {{.filter = "receive.one_byte", .options = "--kernel 7.3-debug"}},
            .rules = {{
                .tests = {"receive.*", "device.*", "registration.*", "steering.*", "cqe32.*",
                          "refill.*", "exhaustion.*", "copy_fallback.*", "header_split.*", "tcp.*",
                          "teardown.*", "concurrency.*", "control.*", "areas.*", "neighbours.*"},
                .symptom = {.kind = kKernelLog,
                            .subject = "DMA-API: gve 0000:#:#.#: mapping sg segment longer than "
                                       "device claims to support [len=#] [max=#]"},
                .consequences =
                    {{.kind = kKernelLog, .subject = "WARNING", .function = "debug_dma_map_sg"}},
                .by_chance = "the first area of a boot, with CONFIG_DMA_API_DEBUG only",
            }},
        },
        {
            .id = "copy-count-counts-fragments",
            .breaks = {"copy_fallback.copy-statistics"},
            .happens = "copy_count is documented as the number of copy-fallback CQEs, and counts "
                       "fragments, of which each may be several CQEs",
            .source = "io_uring/zcrx.c:io_zcrx_copy_frag",
            .seen_on = "7.2.12, 7.3.4",
            .shown_by = {{.filter = "copy_fallback.copy_count"}},
            .rules = {{
                .tests = {"copy_fallback.copy_count"},
                .symptom = {.kind = kCheck,
                            .subject = "copy_count is not the number of CQEs: it says # for # CQEs "
                                       "of copied data."},
            }},
        },
        {
            .id = "copy-statistics-without-linear-data",
            .breaks = {"copy_fallback.copy-statistics"},
            .happens =
                "copy_bytes and copy_count leave out what is copied from the linear part of a "
                "packet, which is where a header split that failed puts payload",
            .source = "io_uring/zcrx.c:io_zcrx_recv_skb",
            .seen_on = "7.2.12, 7.3.4",
            .assumes =
                "it splits in the wrong place when it is told to; whether a real device ever "
                "puts payload of TCP there is its maker's affair",
            .shown_by = {{.filter = "copy_fallback.copy_bytes_of_linear_data"}},
            .rules = {{
                .tests = {"copy_fallback.copy_bytes_of_linear_data"},
                .symptom =
                    {.kind = kCheck,
                     .subject =
                         "copy_bytes leaves out linear data: it says # where # bytes were copied."},
            }},
        },
        {
            .id = "entry-too-many-loses-buffer",
            .breaks = {"refill.one-too-many"},
            .happens =
                "entries of one buffer in a row are added up before they are compared with what "
                "the "
                "user holds, so that one too many undoes the valid ones, and the buffer is lost",
            .source = "io_uring/zcrx.c:io_zcrx_ring_refill since 7b188cf990ab",
            .seen_on = "7.3.4",
            .not_on = "7.2.12",
            .since = "7.3",
            .shown_by = {{.filter = "refill.one_too_many"}},
            .rules = {{
                .tests = {"refill.one_too_many"},
                .symptom = {.kind = kCheck, .subject = "An entry too many lost # of # buffers."},
            }},
        },
        {
            .id = "too-many-buffers-warn",
            .breaks = {"registration.too-many-buffers"},
            .happens = "an area of 128 GiB or more is refused with ENOMEM and a warning at "
                       "__kvmalloc_node, by a registration as by ADD_AREA",
            .details =
                "The array of net_iovs is above INT_MAX bytes then. The array of pages, which "
                "io_pin_pages() allocates before, is kept below that. Nothing is left behind. A "
                "kernel with panic_on_warn stops. The area may be a few pages, mapped again and "
                "again; the caller has CAP_NET_ADMIN",
            .source = "io_uring/zcrx.c:__zcrx_create_area",
            .affected = "7.2 and later, where an area may be above 1 GiB",
            .seen_on = "7.2.12, 7.3.4",
            .since = "7.2",
            .shown_by = {{.filter = "alone.too_many_buffers"},
                         {.filter = "alone.add_too_many_buffers"}},
            .rules = {{
                .tests = {"alone.too_many_buffers", "alone.add_too_many_buffers"},
                .symptom = {.kind = kKernelLog,
                            .subject = "WARNING",
                            .function = "__kvmalloc_node_noprof"},
            }},
        },
        {
            .id = "area-writes-buffer-size-again",
            .promised = "what is read without a lock while data comes is not written meanwhile",
            .happens =
                "each ADD_AREA writes the size of buffers of its instance (niov_shift) again, "
                "while a CQE is made of it without a lock",
            .details = "The size was compared just before, so that the value stays what it was, "
                       "and nothing "
                       "wrong follows. Both accesses are plain",
            .source = "io_uring/zcrx.c:__zcrx_create_area and io_zcrx_queue_cqe",
            .seen_on = "7.3.4 with CONFIG_KCSAN, without a NIC",
            .shown_by = {{.filter = "races.areas_against_areas",
                          .options = "--nic nodev --kernel 7.3-kcsan",
                          .remark = "by chance"}},
            .rules = {{
                .tests = {"races.areas_against_areas"},
                .symptom = {.kind = kKernelLog,
                            .subject = "BUG: KCSAN: data-race in __zcrx_create_area (write of 4 "
                                       "bytes) / io_zcrx_queue_cqe (read of 4 bytes)"},
                .by_chance = "the kernel has to watch one of the two accesses",
            }},
        },
    };
}

}  // namespace zcrxlab
