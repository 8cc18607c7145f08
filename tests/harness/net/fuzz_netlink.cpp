// Netlink datagrams and messages of any content: an answer or an error, nothing else.
//
// reaches 30 % of harness/net/netlink_message.cpp
// reaches harness/net/ethtool.cpp: result[*text] = all_on
// reaches harness/net/ethtool.cpp: rings.data_split = static_cast<DataSplit>(*value);
// reaches harness/net/ethtool.cpp: if (changeable) features.changeable.push_back(name);
// reaches harness/net/ethtool.cpp: if (const auto* key = find_attribute(*attributes, api::kRssKey))
// reaches harness/net/netdev.cpp: return take(*inside, api::kIoUringRxBufLen, buffer);
// reaches harness/net/netdev.cpp: if (auto got = take(*inside, api::kLeaseInterface
// reaches harness/net/netdev.cpp: take(*inside, api::kPoolId, statistics.id)
// reaches harness/net/netdev.cpp: statistics.counters[attribute.type] = *number;
// reaches harness/net/netdev.cpp: Result<PagePool> decode_page_pool(
// reaches harness/net/eswitch.cpp: return *number == DEVLINK_ESWITCH_MODE_LEGACY
// reaches harness/net/link.cpp: for (const std::byte byte : address->payload) {
// reaches harness/net/link.cpp: if (const auto* xdp = find_attribute
#include <cstring>
#include <vector>

#include "harness/net/eswitch.hpp"
#include "harness/net/ethtool.hpp"
#include "harness/net/link.hpp"
#include "harness/net/netdev.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    const std::vector<std::byte> input(bytes, bytes + size);
    uint32_t sequence = 0;
    if (size >= 12) std::memcpy(&sequence, data + 8, sizeof sequence);
    auto answer = parse_datagram(input, sequence, "fuzz");
    std::vector<NetlinkMessage> messages;
    if (answer) messages = std::move(answer->messages);
    messages.push_back({0x20, 0, 1, input});
    for (const NetlinkMessage& message : messages) {
        (void)decode_rings(message);
        (void)decode_channels(message);
        (void)decode_features(message);
        (void)decode_rss(message);
        (void)decode_queue(message);
        (void)decode_page_pool(message);
        (void)decode_page_pool_statistics(message);
        (void)decode_statistics(message);
        (void)decode_link(message);
        (void)decode_eswitch_mode(message);
    }
    return 0;
}
