// EthtoolIoctl: SIOCETHTOOL on one interface, for what has no netlink message.
#pragma once

#include <linux/ethtool.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// Storage for an ethtool structure with a tail of `bytes`; it begins with its number.
template <typename Header>
struct EthtoolRequest {
    explicit EthtoolRequest(uint32_t command, size_t bytes = 0)
        : storage(sizeof(Header) / 8 + bytes / 8 + 2) {
        header().cmd = command;
    }
    Header& header() { return *reinterpret_cast<Header*>(storage.data()); }
    const std::byte* tail() const {
        return reinterpret_cast<const std::byte*>(storage.data()) + sizeof(Header);
    }
    std::vector<uint64_t> storage;
};

// Stays in the network namespace in which it was opened.
class EthtoolIoctl {
  public:
    // ENODEV for a name that is too long.
    static Result<EthtoolIoctl> open(const std::string& interface);

    // `command` is a structure that begins with an ETHTOOL_* number; `doing` begins the sentence of
    // an error: "read the statistics".
    Result<void> call(void* command, const std::string& doing) const;
    // The strings of a set, ETH_SS_*; EOPNOTSUPP where the driver has none.
    Result<std::vector<std::string>> strings(uint32_t set, const std::string& doing) const;

    const std::string& interface() const { return interface_; }

  private:
    EthtoolIoctl(Fd socket, std::string interface)
        : socket_(std::move(socket)), interface_(std::move(interface)) {}

    Fd socket_;
    std::string interface_;
};

}  // namespace zcrxlab
