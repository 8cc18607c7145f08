// The contract, chapter header_split: packets of any shape arrive right, or stop their own
// connection only.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> header_split_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "header_split.small-payloads",
            .promise = "payload of one byte and of none arrives right",
            .source = "google/gve/gve_rx_dqo.c",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.options",
            .promise = "headers with options of any length are split off",
            .source = "google/gve/gve_rx_dqo.c",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.too-long",
            .promise =
                "headers longer than the NIC has room for stop their connection and nothing else",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_dqo",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.copied",
            .promise = "headers that a driver copies out of their buffer (rx-copybreak) cost no "
                       "byte and no buffer",
            .source = "broadcom/bnxt/bnxt.c:bnxt_copy_skb",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.failed",
            .promise = "a packet whose headers the kernel cannot read is dropped, never misread",
            .source = "skbuff.c:__pskb_pull_tail",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.jumbo",
            .promise = "a packet of several buffers arrives right",
            .source = "google/gve/gve_rx_dqo.c",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.empty-buffer",
            .promise = "an empty buffer that ends a packet adds no byte, and is given back",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_append_frags",
            .seen_red_by = "length-off",
        },
        {
            .id = "header_split.broken-buffer",
            .promise = "a packet of which a buffer failed is dropped whole, and all of its buffers "
                       "are given back",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_dqo",
            .seen_red_by = "broken-buffer-is-lost",
        },
        {
            .id = "header_split.interleaved",
            .promise = "coalesced packets of two flows, of which one begins before the other ends, "
                       "keep their own headers and buffers",
            .source = "broadcom/bnxt/bnxt.c:bnxt_alloc_agg_idx",
            .seen_red_by = "buffer-twice",
        },
        {
            .id = "header_split.broken-headers",
            .promise = "a packet whose headers failed is dropped whole, its buffers are given back "
                       "or taken from the NIC, and its driver counts it or starts the NIC again",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_dqo, broadcom/bnxt/bnxt.c:bnxt_rx_pkt",
            .seen_red_by = "broken-buffer-is-lost",
        },
        {
            .id = "header_split.overtaken",
            .promise = "packets that are completed in another order than their buffers were posted "
                       "keep their own headers",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_dqo",
            .seen_red_by = "buffer-twice",
        },
        {
            .id = "header_split.out-of-order",
            .promise = "packets that are completed in the wrong order arrive, if need be when they "
                       "are sent again, and cost no buffer",
            .source = "broadcom/bnxt/bnxt.c:bnxt_discard_rx",
            .seen_red_by = "buffer-twice",
        },
        {
            .id = "header_split.coalesced",
            .promise = "coalesced packets arrive right",
            .source = "google/gve/gve_rx_dqo.c, broadcom/bnxt/bnxt.c:bnxt_tpa_end",
            .seen_red_by = "header-in-payload",
        },
        {
            .id = "header_split.unfinished",
            .promise = "a coalesced packet that has begun when its queue goes is lost whole, and "
                       "its buffers are given back",
            .source = "broadcom/bnxt/bnxt.c:bnxt_free_one_rx_ring_skbs",
            .seen_red_by = "dma-after-destroy",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
