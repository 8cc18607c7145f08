// The contract, chapter control: the operations of IORING_REGISTER_ZCRX_CTRL, imports and queries.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> control_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "control.unknown-id",
            .promise = "an unknown zcrx_id is ENXIO",
            .source = "zcrx.c:io_zcrx_ctrl",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.unknown-operation",
            .promise = "an unknown operation is EOPNOTSUPP",
            .source = "zcrx.c:io_zcrx_ctrl",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.nr-args",
            .promise = "an argument count other than 0 is EINVAL",
            .source = "zcrx.c:io_zcrx_ctrl",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.payload-reserved",
            .promise = "reserved fields of an operation are EINVAL",
            .source = "zcrx.c:io_zcrx_ctrl",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.reserved",
            .promise = "a reserved field of the control structure is EINVAL",
            .source = "zcrx.c:io_zcrx_ctrl",
        },
        {
            .id = "control.result",
            .promise = "an operation that succeeds returns 0",
            .source = "zcrx.c:zcrx_flush_rq, zcrx_export",
            .seen_red_by = "success-is-one",
        },
        {
            .id = "control.flush",
            .promise = "FLUSH_RQ takes up all entries of the refill ring",
            .source = "zcrx.c:zcrx_flush_rq",
            .seen_red_by = "flush-does-nothing",
        },
        {
            .id = "control.flush-skips-invalid",
            .promise = "FLUSH_RQ steps over invalid entries as refilling does",
            .source = "zcrx.c:zcrx_parse_rq",
        },
        {
            .id = "control.export",
            .promise = "EXPORT returns a close-on-exec descriptor",
            .source = "zcrx.c:zcrx_export",
            .seen_red_by = "not-close-on-exec",
        },
        {
            .id = "control.export-descriptor",
            .promise = "EXPORT by a process without a free descriptor is EMFILE",
            .source = "zcrx.c:zcrx_export",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.unwritable",
            .promise = "an operation or import whose answer cannot be written is EFAULT",
            .source = "zcrx.c:zcrx_export, import_zcrx, zcrx_ctrl_add_area",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.unreadable",
            .promise = "ADD_AREA of an area whose description cannot be read is EFAULT",
            .source = "zcrx.c:zcrx_ctrl_add_area",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.failing",
            .promise = "EXPORT, an import or ADD_AREA of which an allocation fails is ENOMEM or "
                       "EFAULT, and leaves nothing",
            .source = "zcrx.c:zcrx_export, import_zcrx, zcrx_ctrl_add_area",
            .seen_red_by = "failed-export-goes-on",
        },
        {
            .id = "control.import",
            .promise = "an imported instance receives through the same area",
            .source = "zcrx.c:import_zcrx",
            .seen_red_by = "export-keeps-queue",
        },
        {
            .id = "control.import-fields",
            .promise = "an import with other fields set is EINVAL",
            .source = "zcrx.c:import_zcrx",
        },
        {
            .id = "control.import-geometry",
            .promise = "an import tells the refill ring's geometry and buffer length",
            .source = "zcrx.c:import_zcrx",
        },
        {
            .id = "control.outlives-exporter",
            .promise = "data and recycling go on after the exporter's ring is gone",
            .source = "zcrx.c:io_put_zcrx_ifq",
            .seen_red_by = "exporter-takes-buffers",
        },
        {
            .id = "control.arm-event",
            .promise = "ARM_EVENT of an event that has not fired is EINVAL",
            .source = "zcrx.c:zcrx_arm_event",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.add-area",
            .promise = "ADD_AREA adds buffers that are used",
            .source = "zcrx.c:zcrx_ctrl_add_area",
            .seen_red_by = "area-is-always-the-first",
        },
        {
            .id = "control.add-area-refused",
            .promise = "ADD_AREA that mixes kinds or has a token is EINVAL",
            .source = "zcrx.c:zcrx_ctrl_add_area",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.add-area-retry",
            .promise = "a refused ADD_AREA leaves the caller's structure as it was",
            .source = "zcrx.c:zcrx_ctrl_add_area",
        },
        {
            .id = "control.query",
            .promise = "IORING_REGISTER_QUERY tells what there is",
            .source = "query.c",
            .seen_red_by = "query-refused",
        },
        {
            .id = "control.export-keeps-queue",
            .promise = "an exported descriptor keeps the queue when the rings are gone",
            .source = "zcrx.c:zcrx_export",
            .seen_red_by = "descriptor-keeps-nothing",
        },
        {
            .id = "control.export-frees-queue",
            .promise = "the last descriptor of an instance without rings frees its queue",
            .source = "zcrx.c:zcrx_box_release",
            .seen_red_by = "descriptor-keeps-queue",
        },
        {
            .id = "control.events-of-imports",
            .promise = "events of what importers receive come to the ring that registered",
            .source = "zcrx.c:zcrx_send_notif",
            .seen_red_by = "no-event",
        },
        {
            .id = "control.event-full-cq",
            .promise = "an event that finds a full CQ is told once there is room",
            .source = "zcrx.c:zcrx_send_notif",
            .seen_red_by = "no-event",
        },
        {
            .id = "control.both-events",
            .promise = "events of both kinds that find a full CQ are told once each, in order",
            .source = "zcrx.c:zcrx_send_notif",
            .seen_red_by = "no-event",
        },
        {
            .id = "control.import-region",
            .promise = "refill memory of the kernel can be mapped through an import",
            .source = "memmap.c",
            .seen_red_by = "only-first-region-is-mapped",
        },
        {
            .id = "control.most-areas",
            .promise = "an instance may have 1024 areas, and one more is EINVAL",
            .source = "zcrx.c:io_zcrx_append_area",
            .seen_red_by = "other-errno-of-control",
        },
        {
            .id = "control.add-area-without-device",
            .promise = "ADD_AREA to an instance whose device is gone is EFAULT",
            .source = "zcrx.c:zcrx_ctrl_add_area",
            .seen_red_by = "other-errno-of-control",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
