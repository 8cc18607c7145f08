// The contract, chapter areas: which memory an area may be of.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> areas_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "areas.huge-pages",
            .promise = "an area of huge pages works",
            .source = "zcrx.c:io_import_umem",
            .seen_red_by = "file-areas-refused",
        },
        {
            .id = "areas.above-4-gib",
            .promise = "offsets above 4 GiB are right",
            .source = "zcrx.c:io_zcrx_queue_cqe",
        },
        {
            .id = "areas.shared-memory",
            .promise = "an area of shared memory works",
            .source = "zcrx.c:io_import_umem",
            .seen_red_by = "file-areas-refused",
        },
        {
            .id = "areas.unmapped-while-registered",
            .promise = "an area that is unmapped while registered harms nobody else",
            .source = "zcrx.c:io_import_umem",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "areas.dmabuf",
            .promise = "a dmabuf area works, or is refused cleanly",
            .source = "zcrx.c:io_import_dmabuf",
            .seen_red_by = "dmabuf-areas-refused",
        },
        {
            .id = "areas.large-buffers",
            .promise = "buffers larger than a page take more than a page, and are as good as those "
                       "of a page",
            .source = "zcrx.c:io_zcrx_create_area",
            .seen_red_by = "large-buffer-is-a-page",
        },
        {
            .id = "areas.page-buffers-everywhere",
            .promise = "asking for a buffer length of a page works wherever 0 works",
            .source = "zcrx.c:io_register_zcrx",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
