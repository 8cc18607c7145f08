// DummyDevice: its identity, and its counting.
#include "nic/models/dummy/dummy_device.hpp"

#include <algorithm>

namespace zcrxlab::nic {

DummyDevice::DummyDevice() {
    identity_.vendor = identity_.subsystem_vendor = kVendor;
    identity_.device = identity_.subsystem = kDevice;
    identity_.class_code = 0x020000;
    identity_.bar_size[0] = kBarSize;
    identity_.bar_is_64_bit[0] = true;
    identity_.express = PciExpressLink{};
}

void DummyDevice::bar_read(unsigned, uint64_t, std::span<std::byte> out) {
    std::ranges::fill(out, std::byte{0});
    ++reads_;
}

void DummyDevice::bar_write(unsigned, uint64_t, std::span<const std::byte>) {
    ++writes_;
}

std::vector<std::pair<std::string, uint64_t>> DummyDevice::counters() const {
    return {{"reads", reads_}, {"writes", writes_}, {"resets", resets_}};
}

}  // namespace zcrxlab::nic
