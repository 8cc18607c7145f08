// The contract, chapter refill: how buffers go back to the kernel.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> refill_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "refill.wrap",
            .promise = "the refill ring works on over its end",
            .source = "zcrx.c:io_zcrx_ring_refill",
            .seen_red_by = "refill-forgets",
        },
        {
            .id = "refill.index-wrap",
            .promise = "head and tail are free-running 32-bit numbers",
            .source = "zcrx.c:io_zcrx_rqring_entries",
            .seen_red_by = "head-of-16-bits",
        },
        {
            .id = "refill.overfull",
            .promise = "more than rq_entries entries count as rq_entries",
            .source = "zcrx.c:io_zcrx_rqring_entries",
            .seen_red_by = "double-return",
        },
        {
            .id = "refill.any-order",
            .promise = "buffers may come back in any order",
            .source = "zcrx.c:io_zcrx_ring_refill",
            .seen_red_by = "buffer-kept",
        },
        {
            .id = "refill.other-thread",
            .promise = "another thread may give buffers back",
            .source = "iou-zcrx.rst",
            .seen_red_by = "refill-forgets",
        },
        {
            .id = "refill.twice",
            .promise = "a buffer given back twice is not given out twice",
            .source = "zcrx.c:io_zcrx_put_niov_uref",
            .seen_red_by = "double-return",
        },
        {
            .id = "refill.invalid-ignored",
            .promise = "an entry with a bad area, index or padding, or of a buffer that is not "
                       "held, is used up without effect",
            .source = "zcrx.c:io_parse_rqe",
            .seen_red_by = "area-not-checked",
        },
        {
            .id = "refill.offset-anywhere",
            .promise = "an offset anywhere inside the buffer names the buffer",
            .source = "zcrx.c:io_parse_rqe",
            .seen_red_by = "refill-forgets",
        },
        {
            .id = "refill.length-ignored",
            .promise = "the length of an entry does not matter",
            .source = "zcrx.c:io_parse_rqe",
            .seen_red_by = "refill-forgets",
        },
        {
            .id = "refill.one-reference",
            .promise = "an entry gives back one reference; a buffer of several CQEs needs as many",
            .source = "zcrx.c:io_zcrx_put_niov_uref",
            .seen_red_by = "entry-returns-two",
        },
        {
            .id = "refill.one-too-many",
            .promise = "an entry too many for a buffer does not lose the valid ones before it",
            .source = "zcrx.c:zcrx_return_niovs",
        },
        {
            .id = "refill.after-hold",
            .promise = "a buffer may be held for any time",
            .source = "iou-zcrx.rst",
            .seen_red_by = "buffer-twice",
        },
        {
            .id = "refill.head-published",
            .promise = "the kernel's head never passes the tail",
            .source = "zcrx.c:io_zcrx_ring_refill",
            .seen_red_by = "head-passes-tail",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
