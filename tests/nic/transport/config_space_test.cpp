// Tests of ConfigSpace: what a guest reads, and which bits it can change.
#include "nic/transport/config_space.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "harness/base/endian.hpp"
#include "tests/nic/transport/fake_pci_device.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

class ConfigSpaceTest : public testing::Test {
  protected:
    template <typename T>
    T get(size_t offset) {
        T value;
        space.read(offset, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    template <typename T>
    bool set(size_t offset, T value) {
        return space.write(offset, std::as_bytes(std::span(&value, 1)));
    }

    FakePciDevice device;
    ConfigSpace space = ConfigSpace::create(device.shape).value();
};

TEST_F(ConfigSpaceTest, ShowsTheIdentity) {
    EXPECT_EQ(get<Le16>(0x00), 0x1ae0);
    EXPECT_EQ(get<Le16>(0x02), 0x0042);
    EXPECT_EQ(get<uint8_t>(0x08), 1);
    EXPECT_EQ(get<Le32>(0x08) >> 8, 0x020000u);
    EXPECT_EQ(get<uint8_t>(0x0e), 0) << "header type";
    EXPECT_EQ(get<Le16>(0x2c), 0x1234);
    EXPECT_EQ(get<Le16>(0x2e), 0x5678);
    EXPECT_EQ(get<uint8_t>(0x3d), 0) << "no legacy interrupt";
}

TEST_F(ConfigSpaceTest, IdentityCannotBeWritten) {
    for (size_t offset : {0x00, 0x02, 0x06, 0x08, 0x0a, 0x2c, 0x2e, 0x34}) {
        Le16 before = get<Le16>(offset);
        set<Le16>(offset, uint16_t{0xa5a5});
        EXPECT_EQ(get<Le16>(offset), before) << offset;
    }
}

TEST_F(ConfigSpaceTest, BarsTellTheirSize) {
    set<Le32>(0x10, 0xffffffffu);
    set<Le32>(0x18, 0xffffffffu);
    set<Le32>(0x1c, 0xffffffffu);
    EXPECT_EQ(get<Le32>(0x10), 0xfffff000u);
    EXPECT_EQ(get<Le32>(0x18), 0xffff0000u);
    EXPECT_EQ(get<Le32>(0x1c), 0u) << "a BAR that is not there";
    set<Le32>(0x10, 0xfebf9123u);
    EXPECT_EQ(get<Le32>(0x10), 0xfebf9000u);
}

TEST_F(ConfigSpaceTest, CommandRegisterHoldsOnlyWhatExists) {
    EXPECT_FALSE(space.bus_master());
    set<Le16>(0x04, uint16_t{0xffff});
    EXPECT_EQ(get<Le16>(0x04), 0x0546);
    EXPECT_TRUE(space.bus_master());
    set<Le16>(0x04, uint16_t{0x0002});
    EXPECT_FALSE(space.bus_master());
}

TEST_F(ConfigSpaceTest, WritesOfOneByteLeaveTheOthers) {
    set<uint8_t>(0x05, 0xff);
    EXPECT_EQ(get<Le16>(0x04), 0x0500);
    set<uint8_t>(0x04, 0x06);
    EXPECT_EQ(get<Le16>(0x04), 0x0506);
}

TEST_F(ConfigSpaceTest, CapabilitiesAreListed) {
    EXPECT_EQ(get<Le16>(0x06), 0x0010);
    uint8_t msix = get<uint8_t>(0x34);
    ASSERT_EQ(get<uint8_t>(msix), 0x11);
    EXPECT_EQ(get<Le16>(msix + 2), 32) << "vectors - 1";
    EXPECT_EQ(get<Le32>(msix + 4), 0x00000001u) << "table at 0 of BAR 1";
    EXPECT_EQ(get<Le32>(msix + 8), 0x00000801u) << "pending bits at 0x800 of BAR 1";
    uint8_t advanced = get<uint8_t>(msix + 1);
    ASSERT_EQ(get<uint8_t>(advanced), 0x13);
    EXPECT_EQ(get<uint8_t>(advanced + 1), 0);
    EXPECT_EQ(get<uint8_t>(advanced + 2), 6);
    EXPECT_EQ(get<uint8_t>(advanced + 3), 3);

    set<Le16>(msix + 2, uint16_t{0xffff});
    EXPECT_EQ(get<Le16>(msix + 2), 0xc020) << "enable and mask, but not the size";
    set<Le32>(msix + 4, 0xffffffffu);
    EXPECT_EQ(get<Le32>(msix + 4), 0x00000001u);
}

TEST_F(ConfigSpaceTest, FunctionResetIsAskedForByOneBit) {
    uint8_t control = static_cast<uint8_t>(get<uint8_t>(get<uint8_t>(0x34) + 1) + 4);
    EXPECT_TRUE(set<uint8_t>(control, 1));
    EXPECT_EQ(get<uint8_t>(control), 0);
    EXPECT_TRUE(set<Le32>(control - 3u, 0x01000000u));
    EXPECT_FALSE(set<uint8_t>(control, 0xfe));
    EXPECT_FALSE(set<uint8_t>(control - 1u, 1));
    EXPECT_FALSE(set<uint8_t>(control + 1u, 1));
}

TEST_F(ConfigSpaceTest, ResetForgetsWhatTheGuestWrote) {
    set<Le16>(0x04, uint16_t{0x0006});
    set<Le32>(0x10, 0xfebf9000u);
    set<Le16>(0x42, uint16_t{0x8000});
    space.reset();
    EXPECT_EQ(get<Le16>(0x04), 0);
    EXPECT_EQ(get<Le32>(0x10), 0u);
    EXPECT_EQ(get<Le16>(0x42), 32);
    EXPECT_EQ(get<Le16>(0x00), 0x1ae0);
}

TEST(ConfigSpaceCreate, WithoutMsixThereIsNoSuchCapability) {
    FakePciDevice device;
    device.shape.msix_vectors = 0;
    auto space = ConfigSpace::create(device.shape);
    ASSERT_TRUE(space.ok());
    std::byte first{};
    space->read(0x34, std::span(&first, 1));
    std::byte id{};
    space->read(static_cast<size_t>(first), std::span(&id, 1));
    EXPECT_EQ(id, std::byte{0x13});
}

// One 64-bit BAR behind PCI Express, as a modern NIC has it.
PciIdentity modern() {
    PciIdentity identity;
    identity.vendor = 0x1234;
    identity.bar_size[0] = uint64_t{1} << 33;
    identity.bar_is_64_bit[0] = true;
    identity.bar_size[2] = 4096;
    identity.express = PciExpressLink{.speed = 4, .width = 16};
    return identity;
}

template <typename T>
T value_at(const ConfigSpace& space, size_t offset) {
    T value;
    space.read(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

template <typename T>
bool write_at(ConfigSpace& space, size_t offset, T value) {
    return space.write(offset, std::as_bytes(std::span(&value, 1)));
}

TEST(ConfigSpace64Bit, TellsItsSizeInTwoRegisters) {
    ConfigSpace space = ConfigSpace::create(modern()).value();
    EXPECT_EQ(value_at<Le32>(space, 0x10), 0x4u);
    for (size_t at = 0x10; at < 0x28; at += 4) write_at<Le32>(space, at, 0xffffffffu);
    EXPECT_EQ(value_at<Le32>(space, 0x10), 0x00000004u);
    EXPECT_EQ(value_at<Le32>(space, 0x14), 0xfffffffeu);
    EXPECT_EQ(value_at<Le32>(space, 0x18), 0xfffff000u) << "a BAR of 32 bits";
    write_at<Le32>(space, 0x10, 0xe0000000u);
    write_at<Le32>(space, 0x14, 0x00000380u);
    EXPECT_EQ(value_at<Le32>(space, 0x14), 0x00000380u);
    space.reset();
    EXPECT_EQ(value_at<Le32>(space, 0x10), 0x4u);
    EXPECT_EQ(value_at<Le32>(space, 0x14), 0u);
}

TEST(ConfigSpace64Bit, SmallerThan4GiBAsWell) {
    PciIdentity identity = modern();
    identity.bar_size[0] = 1 << 20;
    ConfigSpace space = ConfigSpace::create(identity).value();
    write_at<Le32>(space, 0x10, 0xffffffffu);
    write_at<Le32>(space, 0x14, 0xffffffffu);
    EXPECT_EQ(value_at<Le32>(space, 0x10), 0xfff00004u);
    EXPECT_EQ(value_at<Le32>(space, 0x14), 0xffffffffu);
}

TEST(ConfigSpaceExpress, IsOneOfAnEndpoint) {
    ConfigSpace space = ConfigSpace::create(modern()).value();
    const size_t at = value_at<uint8_t>(space, 0x34);
    EXPECT_EQ(at % 4, 0U);
    EXPECT_EQ(value_at<uint8_t>(space, at), 0x10);
    EXPECT_EQ(value_at<uint8_t>(space, at + 1), 0) << "the last one";
    EXPECT_EQ(value_at<Le16>(space, at + 0x02), 0x0002) << "version 2, endpoint";
    EXPECT_EQ(value_at<Le32>(space, at + 0x04) & 0x10000000u, 0x10000000u) << "function reset";
    EXPECT_EQ(value_at<Le32>(space, at + 0x0c), 0x104u) << "16 lanes of 16 GT/s";
    EXPECT_EQ(value_at<Le16>(space, at + 0x12), 0x104);
    EXPECT_EQ(value_at<Le32>(space, at + 0x2c), 0x1eu) << "speeds 1 to 4";

    EXPECT_FALSE(write_at<Le16>(space, at + 0x08, uint16_t{0x7fff}));
    EXPECT_EQ(value_at<Le16>(space, at + 0x08), 0x791f);
    write_at<Le32>(space, at + 0x04, 0xffffffffu);
    EXPECT_EQ(value_at<Le32>(space, at + 0x04), 0x10008020u) << "capabilities stay";
}

TEST(ConfigSpaceExpress, ResetIsAskedForInDeviceControl) {
    ConfigSpace space = ConfigSpace::create(modern()).value();
    const size_t control = size_t{value_at<uint8_t>(space, 0x34)} + 0x08;
    EXPECT_TRUE(write_at<Le16>(space, control, uint16_t{0xa810}));
    EXPECT_EQ(value_at<Le16>(space, control) & 0x8000, 0) << "always reads 0";
    EXPECT_TRUE(write_at<uint8_t>(space, control + 1, 0x80));
    EXPECT_FALSE(write_at<uint8_t>(space, control, 0x80));
    EXPECT_FALSE(write_at<Le16>(space, control, uint16_t{0x2810}));
}

TEST(ConfigSpaceExpress, ComesBehindMsix) {
    PciIdentity identity = modern();
    identity.msix_vectors = 2;
    identity.msix_bar = 2;
    identity.msix_pending_offset = 0x800;
    const ConfigSpace space = ConfigSpace::create(identity).value();
    const size_t first = value_at<uint8_t>(space, 0x34);
    EXPECT_EQ(value_at<uint8_t>(space, first), 0x11);
    EXPECT_EQ(value_at<uint8_t>(space, value_at<uint8_t>(space, first + 1)), 0x10);
}

TEST(ConfigSpaceCreate, RefusesImpossibleFunctions) {
    auto refused = [](auto change) {
        FakePciDevice device;
        change(device.shape);
        auto space = ConfigSpace::create(device.shape);
        return !space.ok() && space.error().code == EINVAL && !space.error().sentence.empty();
    };
    EXPECT_FALSE(refused([](PciIdentity&) {}));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_size[0] = 4095; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_size[0] = 8; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_size[5] = uint64_t{1} << 32; }));
    EXPECT_FALSE(refused([](PciIdentity& id) { id.bar_is_64_bit[2] = true; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_is_64_bit[0] = true; })) << "BAR 1 is used";
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_is_64_bit[3] = true; })) << "has no size";
    EXPECT_TRUE(refused([](PciIdentity& id) { id.bar_is_64_bit[2] = id.bar_is_64_bit[3] = true; }));
    EXPECT_TRUE(refused([](PciIdentity& id) {
        id.bar_size[5] = 4096;
        id.bar_is_64_bit[5] = true;
    })) << "there is none behind it";
    EXPECT_TRUE(refused([](PciIdentity& id) { id.express = PciExpressLink{.speed = 0}; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.express = PciExpressLink{.speed = 7}; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.express = PciExpressLink{.width = 3}; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.class_code = 0x1000000; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_vectors = 2049; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_bar = 3; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_bar = 200; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_table_offset = 4; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_table_offset = 0xf00; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_pending_offset = 0xffffff00; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_pending_offset = 8; }));
    EXPECT_TRUE(refused([](PciIdentity& id) { id.msix_vectors = 300; }));
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
