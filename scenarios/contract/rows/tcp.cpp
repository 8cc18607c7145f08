// The contract, chapter tcp: what TCP does to a stream costs no byte of it.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> tcp_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "tcp.loss",
            .promise = "loss and reordering cost no byte",
            .source = "tcp_input.c",
            .seen_red_by = "hole-is-overlooked",
        },
        {
            .id = "tcp.duplicates",
            .promise = "duplicates cost and add no byte",
            .source = "tcp_input.c",
            .seen_red_by = "duplicate-is-next",
        },
        {
            .id = "tcp.overlap",
            .promise = "segments that overlap in any way cost and add no byte",
            .source = "tcp_input.c",
            .seen_red_by = "hole-is-overlooked",
        },
        {
            .id = "tcp.memory-full",
            .promise = "a socket whose receive memory is full loses no byte",
            .source = "tcp_input.c:tcp_prune_queue",
            .seen_red_by = "hole-is-overlooked",
        },
        {
            .id = "tcp.keep-alive",
            .promise = "keep-alive probes add no byte",
            .source = "tcp_input.c",
            .seen_red_by = "duplicate-is-next",
        },
        {
            .id = "tcp.peer-vanishes",
            .promise = "a connection that times out ends its request with ETIMEDOUT after what had "
                       "arrived",
            .source = "tcp_timer.c:tcp_write_err",
            .seen_red_by = "other-errno-of-receiving",
        },
        {
            .id = "tcp.trailing-bytes",
            .promise = "bytes behind the IP packet in its frame are cut off, and nothing else",
            .source = "ip_input.c:ip_rcv_core",
            .seen_red_by = "nothing-is-cut-off",
        },
        {
            .id = "tcp.corrupt",
            .promise = "a packet with a wrong checksum never reaches the application",
            .source = "google/gve/gve_rx_dqo.c:gve_rx_skb_csum",
            .seen_red_by = "checksum-is-right",
        },
        {
            .id = "tcp.zero-window",
            .promise = "a closed window opens again",
            .source = "tcp_output.c",
            .seen_red_by = "window-stays-closed",
        },
        {
            .id = "tcp.tiny",
            .promise = "tiny segments arrive right",
            .source = "tcp_input.c",
            .seen_red_by = "tiny-from-elsewhere",
        },
        {
            .id = "tcp.fin-with-data",
            .promise = "data that comes with the FIN arrives before the end",
            .source = "tcp_input.c",
            .seen_red_by = "fin-swallows-data",
        },
        {
            .id = "tcp.reset-mid-stream",
            .promise = "a reset in mid-stream ends the request and leaks nothing",
            .source = "tcp_input.c",
            .seen_red_by = "buffer-kept",
        },
        {
            .id = "tcp.urgent",
            .promise = "urgent data does not break the stream",
            .source = "tcp_input.c",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
