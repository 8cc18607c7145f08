// HWRM, the commands by which a driver asks the firmware of a bnxt NIC: their frame, their numbers
// and their errors. What is inside lies in bnxt_function_layout.hpp and bnxt_ring_layout.hpp.
//
// Source: Linux include/linux/bnxt/hsi.h; the name of each structure there is beside ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::bnxt {

// hwrm_cmd_hdr: in front of every request.
struct __attribute__((packed)) RequestHeader {
    Le16 type;
    Le16 completion_ring;  // which is told, too, that the answer is there; kNoRing: none is
    Le16 sequence;
    Le16 target;
    Le64 answer_address;  // of the guest
};
static_assert(sizeof(RequestHeader) == 0x10);
static_assert(offsetof(RequestHeader, answer_address) == 8);

// hwrm_short_input: in the window in place of a request that lies in guest memory.
struct __attribute__((packed)) ShortRequest {
    Le16 type;
    Le16 signature;
    Le16 target;
    Le16 size;  // bytes
    Le64 address;
};
static_assert(sizeof(ShortRequest) == 0x10);
static_assert(offsetof(ShortRequest, signature) == offsetof(RequestHeader, completion_ring));
static_assert(offsetof(ShortRequest, address) == 8);
inline constexpr uint16_t kShortSignature = 0x4321;

// hwrm_resp_hdr: in front of every answer. The last byte of an answer is 1, and is there when its
// length is.
struct __attribute__((packed)) AnswerHeader {
    Le16 error;
    Le16 type;
    Le16 sequence;
    Le16 length;  // bytes, of all of the answer
};
static_assert(sizeof(AnswerHeader) == 8);
static_assert(offsetof(AnswerHeader, length) == 6);

// hwrm_err_output, and the answer to all that only is to be done.
struct __attribute__((packed)) PlainAnswer {
    AnswerHeader header;
    Le32 opaque0;
    Le16 opaque1;
    uint8_t command_error;
    uint8_t valid;
};
static_assert(sizeof(PlainAnswer) == 0x10);

inline constexpr uint16_t kNoRing = 0xffff;
inline constexpr uint16_t kThisFunction = 0xffff;  // as a target, and as a function's number
inline constexpr uint16_t kFunctionNumber = 1;     // our own

inline constexpr size_t kLongestRequest = 2048;  // bytes, in guest memory
inline constexpr size_t kLongestAnswer = 512;    // bytes

// HWRM_ERR_CODE_*.
enum class HwrmError : uint16_t {
    kNone = 0,
    kFail = 1,
    kInvalidParameters = 2,
    kAccessDenied = 3,
    kNoResource = 4,  // RESOURCE_ALLOC_ERROR
    kUnsupportedOption = 9,
    kNotSupported = 0xffff,  // CMD_NOT_SUPPORTED
};

// HWRM_*: those that drivers have been seen to send.
enum class HwrmType : uint16_t {
    kVerGet = 0x0,
    kFuncDrvIfChange = 0xd,
    kFuncReset = 0x11,
    kFuncQcaps = 0x15,
    kFuncQcfg = 0x16,
    kFuncCfg = 0x17,
    kFuncDrvUnrgtr = 0x1a,
    kFuncDrvRgtr = 0x1d,
    kPortPhyCfg = 0x20,
    kPortQstats = 0x23,
    kPortPhyQcfg = 0x27,
    kPortPhyQcaps = 0x2a,
    kPortLedQcaps = 0x2f,
    kQueueQportcfg = 0x30,
    kVnicAlloc = 0x40,
    kVnicFree = 0x41,
    kVnicCfg = 0x42,
    kVnicRssCfg = 0x46,
    kVnicTpaCfg = 0x44,
    kVnicPlcmodesCfg = 0x48,
    kVnicQcaps = 0x4a,
    kVnicUpdate = 0x4b,
    kRingAlloc = 0x50,
    kRingFree = 0x51,
    kRingCmplRingCfgAggintParams = 0x53,
    kRingAggintQcaps = 0x54,
    kVnicRssCosLbCtxAlloc = 0x70,
    kVnicRssCosLbCtxFree = 0x71,
    kCfaL2FilterAlloc = 0x90,
    kCfaL2FilterFree = 0x91,
    kCfaL2SetRxMask = 0x93,
    kCfaNtupleFilterAlloc = 0x99,
    kCfaNtupleFilterFree = 0x9a,
    kStatCtxAlloc = 0xb0,
    kStatCtxFree = 0xb1,
    kStatCtxClrStats = 0xb3,
    kPortQstatsExt = 0xb4,
    kFwSetTime = 0xc8,
    kCfaAdvFlowMgntQcaps = 0x124,
    kFuncResourceQcaps = 0x190,
    kFuncQstatsExt = 0x198,
    kNvmGetDevInfo = 0xfff6,
};

}  // namespace zcrxlab::nic::bnxt
