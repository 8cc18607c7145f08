// The contract, chapter registration: what IORING_REGISTER_ZCRX_IFQ takes, refuses and writes back.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> registration_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "registration.eperm",
            .promise = "without CAP_NET_ADMIN registration is EPERM",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.eperm-import",
            .promise = "without CAP_NET_ADMIN an import is EPERM",
            .source = "zcrx.c:import_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.control-unprivileged",
            .promise = "control operations need no capability",
            .source = "zcrx.c:io_zcrx_ctrl",
            .seen_red_by = "control-takes-capability",
        },
        {
            .id = "registration.nr-args",
            .promise = "more or less than one argument, or none at all, is EINVAL",
            .source = "register.c:IORING_REGISTER_ZCRX_IFQ",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.defer-taskrun",
            .promise = "a ring without DEFER_TASKRUN is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.cqe-size",
            .promise = "a ring that only has 16-byte CQEs is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.foreign-ring",
            .promise = "a ring that another task owns is EEXIST",
            .source = "register.c:__io_uring_register",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.reserved",
            .promise = "a reserved field or zcrx_id that is not zero is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.flags",
            .promise = "an unknown flag is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.rxq-minus-one",
            .promise = "queue -1 is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.rq-entries-zero",
            .promise = "no refill ring entries is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.rq-entries-clamp",
            .promise =
                "more than 32768 refill entries is EINVAL, and is clamped with IORING_SETUP_CLAMP",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.rq-entries-round",
            .promise =
                "the number of refill entries is rounded up to a power of two and written back",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "entries-not-rounded",
        },
        {
            .id = "registration.nodev-device",
            .promise = "ZCRX_REG_NODEV with an interface or a queue is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.nodev-buffer",
            .promise = "ZCRX_REG_NODEV with buffers other than pages is EOPNOTSUPP",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.nodev-dmabuf",
            .promise = "ZCRX_REG_NODEV with a dmabuf area is EINVAL",
            .source = "zcrx.c:io_import_dmabuf",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.area-token",
            .promise = "an area token that is set on input is EINVAL",
            .source = "zcrx.c:io_import_area",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.area-flags",
            .promise = "unknown area flags, reserved area fields, or a dmabuf fd without its flag "
                       "are EINVAL",
            .source = "zcrx.c:io_import_area",
            .seen_red_by = "skipped-unlock",
        },
        {
            .id = "registration.area-alignment",
            .promise = "an area whose address or length is not page aligned is EINVAL",
            .source = "zcrx.c:io_import_area",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.area-memory",
            .promise = "an area without address, without length, unmapped or read-only is EFAULT",
            .source = "zcrx.c:io_import_umem",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.area-wrap",
            .promise = "an area that wraps around the address space is EOVERFLOW",
            .source = "zcrx.c:io_import_area",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.area-too-large",
            .promise = "an area above the limit of the kernel is refused",
            .source = "zcrx.c:io_import_area",
            .seen_red_by = "refusal-says-success",
        },
        {
            .id = "registration.memlock",
            .promise = "an area above RLIMIT_MEMLOCK is ENOMEM for a task without CAP_IPC_LOCK",
            .source = "zcrx.c:io_import_umem",
            .seen_red_by = "pins-left-by-error",
        },
        {
            .id = "registration.buffer-length",
            .promise = "a buffer length that is not a power of two of at least a page is EINVAL",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.buffer-contiguity",
            .promise = "a buffer length above the physical contiguity of the area is ERANGE",
            .source = "zcrx.c:io_zcrx_create_area",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.buffer-unsupported",
            .promise = "a buffer length that the driver does not have is EOPNOTSUPP",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.region-size",
            .promise = "a refill region that is too small, of size 0, with an id or with an offset "
                       "is EINVAL",
            .source = "zcrx.c:io_allocate_rbuf_ring",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.region-memory",
            .promise = "a region whose address and USER flag do not match is EFAULT",
            .source = "memmap.c:io_create_region",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.pointers",
            .promise = "bad pointers to the registration, region, area or events are EFAULT",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.unwritable",
            .promise =
                "a registration whose answer cannot be written is EFAULT and leaves nothing behind",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.event-fields",
            .promise = "an unknown event type or event flag is EINVAL",
            .source = "zcrx.c:zcrx_validate_event",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.statistics-offset",
            .promise = "statistics that are misaligned or not asked for are EINVAL, inside the "
                       "entries or outside the region ERANGE",
            .source = "zcrx.c:zcrx_validate_event",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.no-device",
            .promise = "an unknown interface is ENODEV",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.no-dma-device",
            .promise = "an interface without DMA or without the queue API is EOPNOTSUPP",
            .source = "zcrx.c:io_register_netdev",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.queue-range",
            .promise = "a queue that is not there is ERANGE",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.header-split",
            .promise = "a queue whose header split is not on is EINVAL",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.provider-there",
            .promise = "a queue that has a memory provider already is EEXIST",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.xdp-there",
            .promise = "a queue of an interface with XDP is EEXIST, and single-buffer XDP keeps "
                       "header split off",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.xsk-there",
            .promise = "a queue with an AF_XDP pool is EBUSY",
            .source = "netdev_rx_queue.c:netif_mp_open_rxq",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.import-fd",
            .promise = "an import of a bad or foreign descriptor is EBADF",
            .source = "zcrx.c:import_zcrx",
            .seen_red_by = "other-errno-of-registration",
        },
        {
            .id = "registration.order-pointers-first",
            .promise = "pointers and constants are judged before the region, the region before the "
                       "interface, the interface before the area",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "interface-judged-first",
        },
        {
            .id = "registration.failure-leaves-nothing",
            .promise = "a refused registration leaves no pins, no locked memory, no descriptor and "
                       "the queue free",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "region-is-kept",
        },
        {
            .id = "registration.failure-writes-nothing",
            .promise = "a refused registration writes nothing back",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "refusal-writes-id",
        },
        {
            .id = "registration.offsets",
            .promise = "offsets of head, tail and entries lie inside the region and do not overlap",
            .source = "zcrx.c:io_allocate_rbuf_ring",
            .seen_red_by = "head-is-tail",
        },
        {
            .id = "registration.result",
            .promise = "a registration that succeeds returns 0",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "success-is-one",
        },
        {
            .id = "registration.id",
            .promise = "each instance of a ring has an id of its own",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "always-id-zero",
        },
        {
            .id = "registration.area-token-written",
            .promise = "the area's token is written back",
            .source = "zcrx.c:io_zcrx_create_area",
            .seen_red_by = "token-not-written",
        },
        {
            .id = "registration.buffer-length-written",
            .promise = "the buffer length in use is written back",
            .source = "zcrx.c:io_register_zcrx",
            .seen_red_by = "no-buffer-length",
        },
        {
            .id = "registration.kernel-region",
            .promise =
                "refill memory of the kernel can be mapped at the offset that is written back",
            .source = "zcrx.c:io_allocate_rbuf_ring",
            .seen_red_by = "region-offset-not-written",
        },
        {
            .id = "registration.dirty-region",
            .promise = "head and tail are 0 after registration whatever the memory held before",
            .source = "zcrx.c:io_allocate_rbuf_ring",
        },
        {
            .id = "registration.queue-zero-is-quiet",
            .promise = "a refused queue leaves no warning in the kernel log",
            .source = "google/gve/gve_main.c:gve_rx_queue_stop",
        },
        {
            .id = "registration.too-many-buffers",
            .promise = "an area of more buffers than there can be arrays for is ENOMEM, and leaves "
                       "no warning in the kernel log",
            .source = "zcrx.c:__zcrx_create_area",
        },
        {
            .id = "registration.told-by-netlink",
            .promise = "netlink tells who provides the memory of a queue and of its page pool",
            .source = "zcrx.c:io_pp_nl_fill",
            .seen_red_by = "provider-is-not-told",
        },
        {
            .id = "registration.pool-counts",
            .promise = "a queue's page pool counts what it hands out, and what comes back to its "
                       "cache and to its ring",
            .source = "net/core/page_pool.c:page_pool_get_stats",
            .seen_red_by = "pool-counts-nothing",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
