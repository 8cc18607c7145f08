// The contract, chapter copy_fallback: what the kernel copies, and how it counts that.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> copy_fallback_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "copy_fallback.other-queue",
            .promise = "data that came through another queue is copied and right",
            .source = "zcrx.c:io_zcrx_copy_frag",
            .seen_red_by = "copies-from-elsewhere",
        },
        {
            .id = "copy_fallback.loopback",
            .promise = "loopback data is copied and right",
            .source = "zcrx.c:io_zcrx_copy_frag",
            .seen_red_by = "copy-offset",
        },
        {
            .id = "copy_fallback.linear",
            .promise = "data in the linear part of a packet is copied and right",
            .source = "zcrx.c:io_zcrx_recv_skb",
            .seen_red_by = "copies-from-elsewhere",
        },
        {
            .id = "copy_fallback.page-limit",
            .promise = "a CQE of copied data never exceeds a page",
            .source = "zcrx.c:io_zcrx_copy_chunk",
            .seen_red_by = "more-than-a-page",
        },
        {
            .id = "copy_fallback.copy-event",
            .promise = "a copied fragment raises COPY",
            .source = "zcrx.c:io_zcrx_copy_frag",
            .seen_red_by = "no-event",
        },
        {
            .id = "copy_fallback.copy-statistics",
            .promise = "copy_count counts CQEs and copy_bytes bytes that were copied",
            .source = "uapi:zcrx_stats",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
