// The contract, chapter concurrency: several rings, queues, listeners and processes at once.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> concurrency_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "concurrency.reactor-per-queue",
            .promise = "each connection's data lands in the area of the ring that its rule names",
            .source = "iou-zcrx.rst",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.listener-per-queue",
            .promise = "listeners of one port that are chosen by receive queue give each ring its "
                       "connections",
            .source = "sock_reuseport.c:run_bpf_filter",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.napi-names-queue",
            .promise =
                "the NAPI id of a connection names the queue whose ring receives it without a copy",
            .source = "sock.c:sk_getsockopt",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.undisturbed",
            .promise = "rings that come and go on one queue disturb no other",
            .source = "netdev_rx_queue.c:netdev_rx_queue_restart",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "concurrency.import-across-processes",
            .promise =
                "another process may import an instance, and receives into the exporter's area",
            .source = "zcrx.c:import_zcrx",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.two-ifqs-one-ring",
            .promise = "one ring may have several ifqs",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.two-processes",
            .promise = "two processes may have a queue each",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "wrong-queue",
        },
        {
            .id = "concurrency.other-ring",
            .promise = "a connection received through the ring of another queue ends with -EFAULT",
            .source = "zcrx.c:io_zcrx_recv_frag",
            .seen_red_by = "other-errno-of-receiving",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
