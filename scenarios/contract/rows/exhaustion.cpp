// The contract, chapter exhaustion: what happens when no buffer is left.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> exhaustion_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "exhaustion.enomem",
            .promise = "copying without a buffer ends the request with -ENOMEM and loses no byte",
            .source = "zcrx.c:io_zcrx_copy_chunk",
            .seen_red_by = "other-errno-of-receiving",
        },
        {
            .id = "exhaustion.throttled",
            .promise = "with every buffer held the stream stops, and goes on when they come back",
            .source = "zcrx.c:io_pp_zc_alloc_netmems",
        },
        {
            .id = "exhaustion.burst-then-silence",
            .promise = "a burst larger than the area is received without another packet's help "
                       "once buffers come back",
            .source = "net.c:io_recvzc",
        },
        {
            .id = "exhaustion.small-area",
            .promise = "an area smaller than the receive ring works",
            .source = "zcrx.c:io_pp_zc_alloc_netmems",
            .seen_red_by = "empty-for-ever",
        },
        {
            .id = "exhaustion.alloc-fail-event",
            .promise = "an allocation that fails raises ALLOC_FAIL",
            .source = "zcrx.c:zcrx_send_event",
            .seen_red_by = "event-without-arming",
        },
        {
            .id = "exhaustion.event-only-when-empty",
            .promise = "ALLOC_FAIL is raised only where neither an area nor the refill ring has a "
                       "buffer",
            .source = "zcrx.c:io_pp_zc_alloc_netmems, zcrx_rq_iter_next",
            .seen_red_by = "refill-ring-overlooked",
        },
        {
            .id = "exhaustion.out-of-order-holds",
            .promise =
                "out-of-order data that holds the last buffers does not stop the stream for ever",
            .source = "tcp_input.c",
            .seen_red_by = "hole-is-never-filled",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
