// The contract, chapter races: two of the kernel's paths on two processors at once.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> races_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "races.refill-flush",
            .promise =
                "buffers that the driver and FLUSH_RQ take up at the same time come back once",
            .source = "zcrx.c:io_zcrx_ring_refill, zcrx_flush_rq",
            .seen_red_by = "refill-forgets",
        },
        {
            .id = "races.flush-ends",
            .promise = "FLUSH_RQ takes as many entries as the ring has at most, however many come",
            .source = "zcrx.c:zcrx_flush_rq",
            .seen_red_by = "flush-never-ends",
        },
        {
            .id = "races.close-receive",
            .promise = "a ring that is closed while many requests receive frees its queue and pool",
            .source = "zcrx.c:io_terminate_zcrx, io_unregister_zcrx",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "races.departure-close",
            .promise = "an interface that goes while the ring that has its queue closes leaves "
                       "the queue free when it comes back",
            .source = "zcrx.c:io_pp_uninstall, io_close_queue",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "races.request-fin",
            .promise = "a request that is armed beside data and a FIN ends once, behind the data",
            .source = "zcrx.c:io_zcrx_tcp_recvmsg",
            .seen_red_by = "end-is-not-told",
        },
        {
            .id = "races.refill-scrub",
            .promise =
                "a refill ring that is written while its owner dies frees its queue and pool",
            .source = "zcrx.c:io_zcrx_ring_refill, io_zcrx_scrub",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "races.cancel-last-buffer",
            .promise =
                "a request that is cancelled as the area runs empty ends once and loses no byte",
            .source = "zcrx.c:io_zcrx_copy_chunk, cancel.c:io_try_cancel",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "races.add-areas",
            .promise = "areas that several rings add at the same time have an id each, up to 1024",
            .source = "zcrx.c:zcrx_ctrl_add_area, io_zcrx_append_area",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "races.map-register",
            .promise = "a refill ring that is mapped while it is registered is its own or refused",
            .source = "memmap.c:io_uring_mmap",
            .seen_red_by = "only-first-region-is-mapped",
        },
        {
            .id = "races.arm-event",
            .promise = "an event that two rings arm at the same time is armed by one of them",
            .source = "zcrx.c:zcrx_arm_notif",
            .seen_red_by = "no-event",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
