// The contract, chapter teardown: what a closed ring gives back, and what a device that changes
// keeps.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> teardown_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "teardown.close",
            .promise = "closing the ring frees the queue within 5 s",
            .source = "zcrx.c:io_terminate_zcrx",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "teardown.kill",
            .promise = "a killed process frees the queue within 5 s",
            .source = "zcrx.c:io_terminate_zcrx",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "teardown.held-buffers",
            .promise = "buffers held by the user do not keep the queue",
            .source = "zcrx.c:io_shutdown_zcrx_ifqs",
            .seen_red_by = "scrub-takes-one",
        },
        {
            .id = "teardown.socket-buffers",
            .promise = "data in a socket does not keep the queue",
            .source = "zcrx.c:io_shutdown_zcrx_ifqs",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "teardown.again",
            .promise = "the queue can be registered again at once",
            .source = "zcrx.c:io_terminate_zcrx",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "teardown.unacked-send",
            .promise = "an un-acked zero-copy send does not keep the queue",
            .source = "io_uring.c:io_ring_exit_work",
        },
        {
            .id = "teardown.fork",
            .promise = "a child that inherited nothing of the ring does not keep the queue",
            .source = "io_uring.c",
            .seen_red_by = "queue-is-kept",
        },
        {
            .id = "teardown.link",
            .promise = "link down and up keep held buffers valid and return them to the area",
            .source = "zcrx.c:io_pp_zc_release_netmem",
            .seen_red_by = "released-and-lost",
        },
        {
            .id = "teardown.ring-size",
            .promise = "changing the receive ring's size while bound keeps held buffers valid",
            .source = "zcrx.c:io_pp_zc_release_netmem",
            .seen_red_by = "dma-after-destroy",
        },
        {
            .id = "teardown.device-reset",
            .promise = "a device reset while bound costs no byte and no buffer",
            .source = "google/gve/gve_main.c:gve_reset",
            .seen_red_by = "released-and-lost",
        },
        {
            .id = "teardown.device-dies",
            .promise =
                "a device that dies while bound, and comes back, costs no byte and no buffer",
            .source = "broadcom/bnxt/bnxt.c:bnxt_fw_reset_task",
            .seen_red_by = "buffer-kept",
        },
        {
            .id = "teardown.reset-amid-packet",
            .promise = "a device reset amid a coalesced packet costs no byte and no buffer",
            .source = "broadcom/bnxt/bnxt.c:bnxt_free_one_rx_ring_skbs",
            .seen_red_by = "buffer-kept",
        },
        {
            .id = "teardown.reset-keeps-rules",
            .promise = "a device reset keeps the flow rules",
            .source = "google/gve/gve_main.c:gve_reset_recovery",
        },
        {
            .id = "teardown.reset-keeps-rss",
            .promise = "a device reset keeps the RSS table",
            .source = "google/gve/gve_main.c:gve_reset_recovery",
        },
        {
            .id = "teardown.driver-memory",
            .promise =
                "a device reset, and unbinding its driver, give all DMA memory of the driver back",
            .source = "google/gve/gve_main.c:gve_reset, gve_remove",
        },
        {
            .id = "teardown.half-a-packet",
            .promise = "a queue that goes while its driver has a part of a packet gives back the "
                       "buffers of that part, too",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_stop_ring_dqo",
        },
        {
            .id = "teardown.unread-packets",
            .promise = "a queue that goes before its driver has read its packets is as good as "
                       "new when it comes back, and costs its interface no carrier",
            .source = "broadcom/bnxt/bnxt.c:bnxt_queue_start",
            .seen_red_by = "buffer-kept",
        },
        {
            .id = "teardown.removal",
            .promise = "removing the device leaves the ring usable for what is queued",
            .source = "zcrx.c:io_pp_uninstall",
            .seen_red_by = "removal-ends-requests",
        },
        {
            .id = "teardown.accounting",
            .promise = "pins and locked memory return to where they were",
            .source = "zcrx.c:io_zcrx_free_area",
            .seen_red_by = "memory-stays-charged",
        },
        {
            .id = "teardown.memory",
            .promise = "what the kernel allocates for an instance, an area or an event is freed",
            .source = "zcrx.c:io_zcrx_ifq_free, io_zcrx_free_area, zcrx_notif_tw",
            .seen_red_by = "event-never-freed",
        },
        {
            .id = "teardown.cgroup",
            .promise = "what the kernel allocates for an area is charged to the memory cgroup of "
                       "who registers it, and given back with the ring",
            .source = "zcrx.c:__zcrx_create_area",
            .seen_red_by = "array-not-charged",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
