// Need: what a target must have for an action of a list, so that lists that cannot be played there
// are skipped.
#pragma once

namespace zcrxlab {

enum class Need {
    kQueue,         // one more of the NIC, for an ifq of its own
    kDevice,        // a NIC
    kFaults,        // that takes fault rules
    kOutages,       // that loses its link and is reset at command
    kFlowRules,     // that steers by ethtool n-tuple rules
    kEmulated,      // that is emulated, behind a stock driver
    kNodev,         // ZCRX_REG_NODEV, and so on: features of the kernel
    kEvents,        // events and shared counters
    kRxBufferSize,  // rx_buf_len
    kCqeMixed,      // IORING_SETUP_CQE_MIXED
    kAddArea,       // ZCRX_CTRL_ADD_AREA
    kExport,        // ZCRX_CTRL_EXPORT
    kFlushRq,       // ZCRX_CTRL_FLUSH_RQ
};

}  // namespace zcrxlab
