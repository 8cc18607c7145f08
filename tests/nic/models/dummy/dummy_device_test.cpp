// The dummy counts what it is asked, and takes no packet.
#include "nic/models/dummy/dummy_device.hpp"

#include <gtest/gtest.h>

#include <array>

namespace zcrxlab::nic {
namespace {

using Counters = std::vector<std::pair<std::string, uint64_t>>;

TEST(DummyDevice, CountsWhatItIsAsked) {
    DummyDevice device;
    std::array<std::byte, 8> bytes;
    bytes.fill(std::byte{0xff});
    device.bar_write(0, 0, bytes);
    device.bar_read(0, 8, bytes);
    device.bar_read(0, DummyDevice::kBarSize - 8, bytes);
    device.reset();
    EXPECT_EQ(bytes, (std::array<std::byte, 8>{}));
    EXPECT_EQ(device.counters(), (Counters{{"reads", 2}, {"writes", 1}, {"resets", 1}}));
    EXPECT_EQ(device.deliver(Delivery{}), Accepted::kNotRunning);
}

TEST(DummyDevice, IsAPciExpressEndpointWithA64BitBar) {
    const PciIdentity identity = DummyDevice().identity();
    EXPECT_TRUE(identity.express.has_value());
    EXPECT_TRUE(identity.bar_is_64_bit[0]);
    EXPECT_EQ(identity.bar_size[1], 0U);
    EXPECT_EQ(identity.msix_vectors, 0);
}

}  // namespace
}  // namespace zcrxlab::nic
