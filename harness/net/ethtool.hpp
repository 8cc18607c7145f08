// The generic netlink family `ethtool`: rings, channels, features, RSS of an interface.
//
// A member that is empty was not in the answer, or is to be left as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {

// ETHTOOL_TCP_DATA_SPLIT_*
enum class DataSplit : uint8_t { kUnknown = 0, kDisabled = 1, kEnabled = 2 };

struct RingSizes {
    std::optional<uint32_t> rx_max, tx_max;  // entries; read only
    std::optional<uint32_t> rx, tx;          // entries
    std::optional<uint32_t> rx_jumbo;        // of the ring for payload, if it is another; read only
    std::optional<uint32_t> rx_buf_len;      // bytes
    std::optional<DataSplit> data_split;     // header split; kUnknown = the driver's default
    std::optional<uint32_t> hds_thresh;      // bytes
    std::optional<uint32_t> hds_thresh_max;  // bytes; read only
    bool operator==(const RingSizes&) const = default;
};

struct Channels {
    std::optional<uint32_t> rx_max, tx_max, combined_max;  // read only
    std::optional<uint32_t> rx, tx, combined;
    bool operator==(const Channels&) const = default;
    // Receive queues in use.
    uint32_t receive() const { return rx.value_or(0) + combined.value_or(0); }
    // As many of them as there can be.
    uint32_t most_receive() const { return std::max(combined_max.value_or(0), rx_max.value_or(0)); }
};

struct Features {
    std::map<std::string, bool> active;   // every feature that the kernel named, on or off
    std::vector<std::string> changeable;  // those that can be switched
    // Of these, as somebody asked for them or the driver began: the kernel keeps it while another
    // setting forbids it (netdev_fix_features of net/core/dev.c: no rx-gro-hw without rx-gro).
    std::map<std::string, bool> requested;
    bool operator==(const Features&) const = default;
};

struct Rss {
    std::optional<uint32_t> function;  // bit of ETH_RSS_HASH_*
    std::vector<uint32_t> table;       // receive queue of each entry
    std::vector<std::byte> key;
    bool operator==(const Rss&) const = default;
};

// Talks about one interface, in the namespace in which it was opened.
class Ethtool {
  public:
    // ENOENT without the family.
    static Result<Ethtool> open(const std::string& interface);

    Result<RingSizes> rings();
    Result<void> set_rings(const RingSizes& rings);
    Result<Channels> channels();
    Result<void> set_channels(const Channels& channels);
    Result<Features> features();
    // The kernel does it at once, or once no other setting forbids it.
    Result<void> request_feature(const std::string& name, bool on);
    // EOPNOTSUPP if the kernel took the request and did not do it.
    Result<void> set_feature(const std::string& name, bool on);
    Result<Rss> rss();
    // Numbers of the RSS contexts beside the main one; EOPNOTSUPP or EINVAL where the kernel does
    // not list them.
    Result<std::vector<uint32_t>> rss_contexts();

    const std::string& interface() const { return interface_; }

  private:
    Ethtool(NetlinkSocket socket, uint16_t family, std::string interface)
        : socket_(std::move(socket)), family_(family), interface_(std::move(interface)) {}
    Result<NetlinkMessage> get(uint8_t command, const std::string& what);
    Result<void> set(NetlinkRequest request, const std::string& what);

    NetlinkSocket socket_;
    uint16_t family_;
    std::string interface_;
};

// The messages on their own, for tests without a kernel.
NetlinkRequest encode_rings(uint16_t family, const std::string& interface, const RingSizes& rings);
NetlinkRequest encode_channels(uint16_t family, const std::string& interface,
                               const Channels& channels);
NetlinkRequest encode_feature(uint16_t family, const std::string& interface,
                              const std::string& name, bool on);
Result<RingSizes> decode_rings(const NetlinkMessage& message);
Result<Channels> decode_channels(const NetlinkMessage& message);
Result<Features> decode_features(const NetlinkMessage& message);
Result<Rss> decode_rss(const NetlinkMessage& message);

}  // namespace zcrxlab
