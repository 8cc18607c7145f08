// Asks a driver with ETHTOOL_GDRVINFO, ETHTOOL_GPFLAGS, ETHTOOL_GTUNABLE and their opposites
// through SIOCETHTOOL.
#include "harness/net/driver.hpp"

#include <cstring>

#include "harness/net/ethtool_ioctl.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kReading = "read the private flags";

template <size_t size>
std::string text_of(const char (&field)[size]) {
    return std::string(field, ::strnlen(field, size));
}

// Flags are bits of one word, in the order of their names.
constexpr size_t kMostFlags = 32;

// Source: Linux include/uapi/linux/ethtool.h, struct ethtool_tunable; the kernel refuses another
// type or length than the tunable's own (ethtool_tunable_valid).
EthtoolRequest<ethtool_tunable> copybreak(uint32_t command, uint32_t bytes) {
    EthtoolRequest<ethtool_tunable> tunable(command, sizeof bytes);
    tunable.header().id = ETHTOOL_RX_COPYBREAK;
    tunable.header().type_id = ETHTOOL_TUNABLE_U32;
    tunable.header().len = sizeof bytes;
    std::memcpy(tunable.header().data, &bytes, sizeof bytes);
    return tunable;
}

}  // namespace

Result<DriverInformation> driver_information(const std::string& interface) {
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    if (auto done = ethtool->call(&info, "ask for the driver"); !done) return done.error();
    DriverInformation driver{text_of(info.driver), text_of(info.fw_version),
                             text_of(info.bus_info)};
    if (driver.firmware == "N/A") driver.firmware.clear();
    if (driver.bus == "N/A") driver.bus.clear();
    return driver;
}

Result<std::map<std::string, bool>> private_flags(const std::string& interface) {
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    const auto names = ethtool->strings(ETH_SS_PRIV_FLAGS, kReading);
    if (!names) return names.error();
    ethtool_value value{};
    value.cmd = ETHTOOL_GPFLAGS;
    if (auto done = ethtool->call(&value, kReading); !done) return done.error();
    std::map<std::string, bool> flags;
    for (size_t i = 0; i < names->size() && i < kMostFlags; ++i)
        flags[(*names)[i]] = (value.data >> i & 1U) != 0;
    return flags;
}

Result<void> set_private_flag(const std::string& interface, const std::string& name, bool on) {
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    const auto names = ethtool->strings(ETH_SS_PRIV_FLAGS, kReading);
    if (!names) return names.error();
    size_t bit = 0;
    while (bit < names->size() && (*names)[bit] != name) ++bit;
    if (bit >= names->size() || bit >= kMostFlags) {
        return Error{ENOENT, "the driver of " + interface + " has no private flag " + name +
                                 "; type: ethtool --show-priv-flags " + interface};
    }
    ethtool_value value{};
    value.cmd = ETHTOOL_GPFLAGS;
    if (auto done = ethtool->call(&value, kReading); !done) return done.error();
    const uint32_t mask = 1U << bit;
    value.cmd = ETHTOOL_SPFLAGS;
    value.data = on ? value.data | mask : value.data & ~mask;
    if (auto done = ethtool->call(&value, "set the private flag " + name); !done) return done;
    const auto now = private_flags(interface);
    if (!now) return now.error();
    if (const auto state = now->find(name); state != now->end() && state->second == on) return {};
    return Error{EOPNOTSUPP, "the private flag " + name + " of " + interface + " did not turn " +
                                 (on ? "on" : "off")};
}

Result<uint32_t> rx_copybreak(const std::string& interface) {
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    auto tunable = copybreak(ETHTOOL_GTUNABLE, 0);
    if (auto done = ethtool->call(&tunable.header(), "read the rx-copybreak"); !done)
        return done.error();
    uint32_t bytes = 0;
    std::memcpy(&bytes, tunable.tail(), sizeof bytes);
    return bytes;
}

Result<void> set_rx_copybreak(const std::string& interface, uint32_t bytes) {
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    auto tunable = copybreak(ETHTOOL_STUNABLE, bytes);
    return ethtool->call(&tunable.header(), "set the rx-copybreak to " + std::to_string(bytes));
}

}  // namespace zcrxlab
