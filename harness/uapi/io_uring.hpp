// The io_uring constants and structures that older system headers lack.
//
// Facts: include/uapi/linux/io_uring.h and include/uapi/linux/io_uring/query.h of Linux 7.3. The
// kernel never changes the meaning of a value it has published, so one declaration serves all
// versions; what a kernel does not know it refuses with EINVAL.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zcrxlab::uapi {

// io_uring_params::flags, IORING_SETUP_*.
inline constexpr uint32_t kSetupCqSize = 1U << 3;
inline constexpr uint32_t kSetupClamp = 1U << 4;
inline constexpr uint32_t kSetupRingDisabled = 1U << 6;
inline constexpr uint32_t kSetupSubmitAll = 1U << 7;
inline constexpr uint32_t kSetupCqe32 = 1U << 11;
inline constexpr uint32_t kSetupSingleIssuer = 1U << 12;
inline constexpr uint32_t kSetupDeferTaskrun = 1U << 13;
inline constexpr uint32_t kSetupNoSqarray = 1U << 16;  // Linux 6.6
inline constexpr uint32_t kSetupCqeMixed = 1U << 18;   // Linux 6.18

// io_uring_cqe::flags, IORING_CQE_F_*.
inline constexpr uint32_t kCqeMore = 1U << 1;
inline constexpr uint32_t kCqeSkip = 1U << 5;  // padding before the wrap of a CQE_MIXED ring
inline constexpr uint32_t kCqe32 = 1U << 15;   // a CQE of 32 bytes on a CQE_MIXED ring

// io_uring_enter flags, and bits of the SQ ring's flags word.
inline constexpr uint32_t kEnterGetEvents = 1U << 0;
inline constexpr uint32_t kEnterExtArg = 1U << 3;
inline constexpr uint32_t kSqCqOverflow = 1U << 1;

// IORING_OP_*, and bits of io_uring_sqe::ioprio for receives.
inline constexpr uint8_t kOpNop = 0;
inline constexpr uint8_t kOpAsyncCancel = 14;
inline constexpr uint8_t kOpRecvZc = 58;
inline constexpr uint16_t kRecvPollFirst = 1U << 0;
inline constexpr uint16_t kRecvMultishot = 1U << 1;

// io_uring_register operations.
inline constexpr uint32_t kRegisterZcrxIfq = 32;
inline constexpr uint32_t kRegisterResizeRings = 33;  // Linux 6.13
inline constexpr uint32_t kRegisterQuery = 35;        // Linux 6.18
inline constexpr uint32_t kRegisterZcrxCtrl = 36;     // Linux 6.19

// io_uring_region_desc: memory shared with the kernel, here the refill ring.
struct RegionDesc {
    uint64_t user_address;  // with kRegionUser; else 0
    uint64_t size;          // bytes, a multiple of the page size
    uint32_t flags;         // kRegionUser or 0
    uint32_t id;            // 0
    uint64_t mmap_offset;   // out: where to mmap kernel memory from the ring's fd
    uint64_t reserved[4];
};
static_assert(sizeof(RegionDesc) == 64);
static_assert(offsetof(RegionDesc, mmap_offset) == 24);
inline constexpr uint32_t kRegionUser = 1;  // IORING_MEM_REGION_TYPE_USER

// io_uring_query_hdr: one question of IORING_REGISTER_QUERY.
struct QueryHeader {
    uint64_t next;   // address of the next header, 0 = last
    uint64_t data;   // address of the answer
    uint32_t op;     // QueryOp
    uint32_t size;   // bytes behind `data`; out: bytes that the kernel knows
    int32_t result;  // out: 0 or a negative errno
    uint32_t reserved[3];
};
static_assert(sizeof(QueryHeader) == 40);
static_assert(offsetof(QueryHeader, result) == 24);

enum class QueryOp : uint32_t { kOpcodes = 0, kZcrx = 1, kScq = 2, kZcrxEvent = 3 };

// io_uring_query_opcode.
struct QueryOpcodes {
    uint32_t request_opcodes;   // how many IORING_OP_* there are
    uint32_t register_opcodes;  // how many IORING_REGISTER_* there are
    uint64_t feature_flags;
    uint64_t setup_flags;
    uint64_t enter_flags;
    uint64_t sqe_flags;
    uint32_t query_opcodes;
    uint32_t padding;
};
static_assert(sizeof(QueryOpcodes) == 48);

}  // namespace zcrxlab::uapi
