// The io_uring zero-copy receive ABI of Linux 6.15 to 7.3, declared by us: distribution headers
// lag, and names have moved.
//
// Facts: include/uapi/linux/io_uring/zcrx.h of Linux 7.3 (before 7.1: linux/io_uring.h). Fields
// that came later were reserved and had to be 0 before, so one layout serves all versions. The
// names are the kernel's without their prefix; `reserved` fields must be 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/uapi/io_uring.hpp"

namespace zcrxlab::uapi {

// io_uring_zcrx_rqe: a reference that the user gives back through the refill ring.
struct ZcrxRqe {
    uint64_t offset;  // as in the CQE: area id << 48 | anywhere inside the buffer
    uint32_t length;  // ignored by the kernel
    uint32_t padding;
};
static_assert(sizeof(ZcrxRqe) == 16 && offsetof(ZcrxRqe, length) == 8);

// io_uring_zcrx_cqe: the second half of a data CQE.
struct ZcrxCqe {
    uint64_t offset;  // area id << 48 | byte offset inside the area
    uint64_t padding;
};
static_assert(sizeof(ZcrxCqe) == 16);

inline constexpr uint32_t kZcrxAreaShift = 48;
inline constexpr uint64_t kZcrxOffsetMask = (uint64_t{1} << kZcrxAreaShift) - 1;

// io_uring_zcrx_offsets: where the parts of the refill ring lie in its region. They differ between
// versions (rqes at 8, 64 or 128), so what the kernel returns is to be used.
struct ZcrxOffsets {
    uint32_t head;
    uint32_t tail;
    uint32_t rqes;
    uint32_t reserved2;
    uint64_t reserved[2];
};
static_assert(sizeof(ZcrxOffsets) == 32);

// io_uring_zcrx_area_reg: memory that payload goes into.
struct ZcrxAreaReg {
    uint64_t address;  // user address; with kAreaDmabuf an offset, 0
    uint64_t length;   // bytes, a multiple of the page size
    uint64_t token;    // out: area id << 48, to be added to offsets in ZcrxRqe
    uint32_t flags;    // kAreaDmabuf or 0
    uint32_t dmabuf_fd;
    uint64_t reserved[2];
};
static_assert(sizeof(ZcrxAreaReg) == 48);
static_assert(offsetof(ZcrxAreaReg, token) == 16 && offsetof(ZcrxAreaReg, flags) == 24);
inline constexpr uint32_t kAreaDmabuf = 1;  // Linux 6.16

// zcrx_event_desc: what the kernel shall tell by CQEs and count in shared memory. Linux 7.2.
struct ZcrxEventDesc {
    uint64_t user_data;     // of the event CQEs
    uint32_t type_mask;     // 1 << ZcrxEvent
    uint32_t flags;         // kEventDescStats or 0
    uint64_t stats_offset;  // where ZcrxStats lies in the refill ring's region
    uint64_t reserved[9];
};
static_assert(sizeof(ZcrxEventDesc) == 96);
static_assert(offsetof(ZcrxEventDesc, stats_offset) == 16);
inline constexpr uint32_t kEventDescStats = 1;
enum class ZcrxEvent : uint32_t { kAllocFail = 0, kCopy = 1 };

// zcrx_stats, written by the kernel.
struct ZcrxStats {
    uint64_t copy_count;  // fragments copied in place of zero copy
    uint64_t copy_bytes;
};
static_assert(sizeof(ZcrxStats) == 16);

// io_uring_zcrx_ifq_reg: the argument of IORING_REGISTER_ZCRX_IFQ.
struct ZcrxIfqReg {
    uint32_t interface;   // ifindex; with kRegImport the fd of an exported instance
    uint32_t queue;       // receive queue of the interface
    uint32_t rq_entries;  // entries of the refill ring; out: rounded up to a power of two
    uint32_t flags;       // kReg*
    uint64_t area;        // address of a ZcrxAreaReg
    uint64_t region;      // address of a RegionDesc
    ZcrxOffsets offsets;  // out
    uint32_t zcrx_id;     // out; goes into RECV_ZC requests and ZcrxCtrl
    uint32_t rx_buf_len;  // 0 or a power of two >= page size; out: used. Linux 7.0
    uint64_t event_desc;  // address of a ZcrxEventDesc, 0 = none. Linux 7.2
    uint64_t reserved[2];
};
static_assert(sizeof(ZcrxIfqReg) == 96);
static_assert(offsetof(ZcrxIfqReg, area) == 16 && offsetof(ZcrxIfqReg, offsets) == 32);
static_assert(offsetof(ZcrxIfqReg, zcrx_id) == 64 && offsetof(ZcrxIfqReg, event_desc) == 72);
inline constexpr uint32_t kRegImport = 1;  // ZCRX_REG_IMPORT, Linux 6.19
inline constexpr uint32_t kRegNodev = 2;   // ZCRX_REG_NODEV, Linux 7.1

// zcrx_ctrl: the argument of IORING_REGISTER_ZCRX_CTRL.
enum class ZcrxCtrlOp : uint32_t {
    kFlushRq = 0,   // Linux 6.19
    kExport = 1,    // Linux 6.19
    kArmEvent = 2,  // Linux 7.2
    kAddArea = 3,   // Linux 7.3
};
struct ZcrxCtrl {
    uint32_t zcrx_id;
    uint32_t op;  // ZcrxCtrlOp; a plain number, so that wrong ones can be tried
    uint64_t reserved[2];
    union {
        struct {
            uint64_t reserved[6];
        } flush;
        struct {
            uint32_t fd;  // out: the exported instance, close-on-exec
            uint32_t reserved[11];
        } box;
        struct {
            uint32_t type;  // ZcrxEvent
            uint32_t reserved[11];
        } arm;
        struct {
            uint64_t area;  // address of a ZcrxAreaReg
            uint64_t reserved[5];
        } add;
    };
};
static_assert(sizeof(ZcrxCtrl) == 72);
static_assert(offsetof(ZcrxCtrl, flush) == 24 && offsetof(ZcrxCtrl, add) == 24);

// io_uring_query_zcrx, the answer to QueryOp::kZcrx. Linux 6.19, `features` 7.0.
struct QueryZcrx {
    uint64_t register_flags;  // kReg* that are known
    uint64_t area_flags;      // kArea* that are known
    uint32_t ctrl_opcodes;    // how many ZcrxCtrlOp there are
    uint32_t features;        // kFeature*
    uint32_t rq_header_size;  // bytes before the entries of the refill ring
    uint32_t rq_header_alignment;
    uint64_t reserved;
};
static_assert(sizeof(QueryZcrx) == 40);
inline constexpr uint32_t kFeatureRxPageSize = 1U << 0;
inline constexpr uint32_t kFeatureEvent = 1U << 1;

// io_uring_query_zcrx_event, the answer to QueryOp::kZcrxEvent. Linux 7.2.
struct QueryZcrxEvent {
    uint32_t event_flags;
    uint32_t stats_size;
    uint32_t stats_alignment;
    uint32_t reserved1;
    uint64_t reserved2[4];
};
static_assert(sizeof(QueryZcrxEvent) == 48);

}  // namespace zcrxlab::uapi
