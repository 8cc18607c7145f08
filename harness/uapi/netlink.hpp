// Netlink attribute and command numbers of the families `ethtool` and `netdev` that older system
// headers lack.
//
// Facts: include/uapi/linux/ethtool_netlink_generated.h and include/uapi/linux/netdev.h of
// Linux 7.3 (made from Documentation/netlink/specs/{ethtool,netdev}.yaml). Numbers are never used
// again.
#pragma once

#include <cstdint>

namespace zcrxlab::uapi {

// struct nlmsghdr is followed by genlmsghdr in generic netlink; attributes follow that.
inline constexpr int kSolNetlink = 270;
inline constexpr int kNetlinkCapAck = 10;
inline constexpr int kNetlinkExtAck = 11;
inline constexpr int kNetlinkStrictCheck = 12;

// Extended acknowledgement, NLMSGERR_ATTR_*.
inline constexpr uint16_t kAckMessage = 1;
inline constexpr uint16_t kAckOffset = 2;

namespace ethtool {
inline constexpr uint8_t kVersion = 1;
// ETHTOOL_MSG_*, from user space.
inline constexpr uint8_t kFeaturesGet = 11, kFeaturesSet = 12, kRingsGet = 15, kRingsSet = 16,
                         kChannelsGet = 17, kChannelsSet = 18, kRssGet = 38;
// ETHTOOL_A_HEADER_*, nested in attribute 1 of every message.
inline constexpr uint16_t kHeader = 1;
inline constexpr uint16_t kHeaderIndex = 1, kHeaderName = 2, kHeaderFlags = 3;
inline constexpr uint32_t kFlagCompactBitsets = 1;
// ETHTOOL_A_RINGS_*
inline constexpr uint16_t kRingsRxMax = 2, kRingsTxMax = 5, kRingsRx = 6, kRingsRxJumbo = 8,
                          kRingsTx = 9, kRingsRxBufLen = 10, kRingsTcpDataSplit = 11,
                          kRingsHdsThresh = 17, kRingsHdsThreshMax = 18;
// ETHTOOL_A_CHANNELS_*
inline constexpr uint16_t kChannelsRxMax = 2, kChannelsTxMax = 3, kChannelsCombinedMax = 5,
                          kChannelsRx = 6, kChannelsTx = 7, kChannelsCombined = 9;
// ETHTOOL_A_FEATURES_*
inline constexpr uint16_t kFeaturesHw = 2, kFeaturesWanted = 3, kFeaturesActive = 4,
                          kFeaturesNoChange = 5;
// ETHTOOL_A_BITSET_*
inline constexpr uint16_t kBitsetNoMask = 1, kBitsetSize = 2, kBitsetBits = 3;
inline constexpr uint16_t kBitsetBit = 1;
inline constexpr uint16_t kBitIndex = 1, kBitName = 2, kBitValue = 3;
// ETHTOOL_A_RSS_*
inline constexpr uint16_t kRssContext = 2, kRssFunction = 3, kRssIndirection = 4, kRssKey = 5;
}  // namespace ethtool

namespace netdev {
inline constexpr uint8_t kVersion = 1;
// NETDEV_CMD_*
inline constexpr uint8_t kDevGet = 1, kPagePoolGet = 5, kPagePoolStatsGet = 9, kQueueGet = 10,
                         kQstatsGet = 12, kQueueCreate = 16;  // the last since Linux 7.1
// NETDEV_A_DEV_*
inline constexpr uint16_t kDevIndex = 1, kDevXdpFeatures = 3;
inline constexpr uint64_t kXdpXskZeroCopy = 1U << 3;  // NETDEV_XDP_ACT_XSK_ZEROCOPY, Linux 6.3
// NETDEV_A_PAGE_POOL_*
inline constexpr uint16_t kPoolId = 1, kPoolInterface = 2, kPoolNapi = 3, kPoolInflight = 4,
                          kPoolInflightMemory = 5, kPoolDetachTime = 6, kPoolDmabuf = 7,
                          kPoolIoUring = 8;
// NETDEV_A_PAGE_POOL_STATS_*; the first is a nest with NETDEV_A_PAGE_POOL_*
inline constexpr uint16_t kPoolStatsInfo = 1, kPoolStatsFast = 8, kPoolStatsSlow = 9,
                          kPoolStatsSlowHighOrder = 10, kPoolStatsEmpty = 11, kPoolStatsRefill = 12,
                          kPoolStatsWaive = 13, kPoolStatsCached = 14, kPoolStatsCacheFull = 15,
                          kPoolStatsRing = 16, kPoolStatsRingFull = 17,
                          kPoolStatsReleasedRefcnt = 18;
// NETDEV_A_QUEUE_*
inline constexpr uint16_t kQueueId = 1, kQueueInterface = 2, kQueueType = 3, kQueueNapi = 4,
                          kQueueDmabuf = 5, kQueueIoUring = 6, kQueueXsk = 7, kQueueLease = 8;
inline constexpr uint32_t kQueueReceive = 0, kQueueTransmit = 1;
// NETDEV_A_LEASE_*, Linux 7.1
inline constexpr uint16_t kLeaseInterface = 1, kLeaseQueue = 2, kLeaseNamespace = 3;
// NETDEV_A_IO_URING_PROVIDER_INFO_*, Linux 7.2
inline constexpr uint16_t kIoUringRxBufLen = 1;
// NETDEV_A_QSTATS_*
inline constexpr uint16_t kStatsInterface = 1, kStatsQueueType = 2, kStatsQueueId = 3,
                          kStatsScope = 4, kStatsRxPackets = 8, kStatsRxBytes = 9,
                          kStatsTxPackets = 10, kStatsTxBytes = 11, kStatsRxAllocFail = 12;
inline constexpr uint32_t kScopeQueue = 1;
}  // namespace netdev

}  // namespace zcrxlab::uapi
