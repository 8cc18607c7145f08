// The contract, chapter bring_up: what a driver with the queue API promises the kernel.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> bring_up_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "bring-up.cycles",
            .promise = "taking a queue and giving it back leaves no page pool, no pinned or locked "
                       "memory and no object of the kernel",
            .source = "include/net/netdev_queues.h:struct netdev_queue_mgmt_ops",
            .seen_red_by = "stop-forgets-pool",
        },
        {
            .id = "bring-up.restart-under-traffic",
            .promise = "a queue can be taken and given back while packets come in to it",
            .source = "net/core/netdev_rx_queue.c:netdev_rx_queue_reconfig",
            .seen_red_by = "start-returns-one",
        },
        {
            .id = "bring-up.refused",
            .promise = "a queue operation that fails returns an errno, and leaves a queue that can "
                       "be taken",
            .source = "net/core/netdev_rx_queue.c:netdev_rx_queue_reconfig",
            .seen_red_by = "failed-start-returns-one",
        },
        {
            .id = "bring-up.unanswered",
            .promise = "a queue whose device answers its driver no more is free in bounded time, "
                       "and its memory is when the device is reset",
            .source = "net/core/netdev_rx_queue.c:__netif_mp_close_rxq",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
