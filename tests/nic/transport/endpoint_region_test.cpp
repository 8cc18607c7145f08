// Tests of Endpoint: registers, configuration space and reset.
#include <gtest/gtest.h>

#include "tests/nic/transport/endpoint_fixture.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

TEST_F(EndpointTest, RegionInfo) {
    negotiate();
    auto info = [&](uint32_t index) {
        return at<RegionInfo>(
            ok(Command::kDeviceGetRegionInfo, payload(RegionInfo{32, 0, index, 0, 0, 0})));
    };
    EXPECT_EQ(info(0).size, 4096u);
    EXPECT_EQ(info(2).size, 65536u);
    EXPECT_EQ(info(2).flags, kRegionFlagRead | kRegionFlagWrite) << "and never mappable";
    EXPECT_EQ(info(2).argsz, 32u);
    EXPECT_EQ(info(2).index, 2u);
    EXPECT_EQ(info(kRegionConfig).size, 256u);
    for (uint32_t absent : {3u, 5u, kRegionRom, kRegionVga}) {
        EXPECT_EQ(info(absent).size, 0u);
        EXPECT_EQ(info(absent).flags, 0u);
    }
    auto refused = [&](uint32_t argsz, uint32_t index) {
        return error(Command::kDeviceGetRegionInfo, payload(RegionInfo{argsz, 0, index, 0, 0, 0}));
    };
    EXPECT_EQ(refused(32, 9), EINVAL);
    EXPECT_EQ(refused(32, 0xffffffff), EINVAL);
    EXPECT_EQ(refused(31, 0), EINVAL);
    EXPECT_EQ(refused(0xffffffff, 0), 0u) << "more room than needed";
    EXPECT_EQ(error(Command::kDeviceGetRegionInfo, Bytes(31)), EINVAL);
}

TEST_F(EndpointTest, BusMasteringOpensTheWayToMemory) {
    negotiate();
    ASSERT_EQ(map(0, 4096, memory_file(4096)), 0u);
    uint32_t value = 7;
    EXPECT_FALSE(dma.write_object(0, value));
    write_config(4, 0x0006);
    EXPECT_TRUE(device.bus_master);
    EXPECT_TRUE(dma.write_object(0, value));
    write_config(4, 0x0406);
    write_config(4, 0x0002);
    EXPECT_FALSE(device.bus_master);
    EXPECT_FALSE(dma.write_object(0, value));
}

TEST_F(EndpointTest, ResetByMessageAndByTheGuest) {
    negotiate();
    write_config(4, 0x0006);
    EXPECT_EQ(ok(Command::kDeviceReset), Bytes());
    EXPECT_EQ(device.resets, 1);
    EXPECT_FALSE(device.bus_master);
    Bytes command = ok(Command::kRegionRead, payload(RegionAccess{4, kRegionConfig, 2}));
    EXPECT_EQ(at<uint16_t>(command, sizeof(RegionAccess)), 0);

    write_config(4, 0x0006);
    EXPECT_TRUE(device.bus_master);
    write_config(0x50, 0x0001);  // Advanced Features: control
    EXPECT_EQ(device.resets, 2);
    EXPECT_FALSE(device.bus_master);
}

TEST_F(EndpointTest, RegionReads) {
    negotiate();
    for (uint32_t count : {1u, 2u, 4u, 8u}) {
        Bytes reply = ok(Command::kRegionRead, payload(RegionAccess{0x18, 2, count}));
        ASSERT_EQ(reply.size(), sizeof(RegionAccess) + count);
        EXPECT_EQ(at<RegionAccess>(reply).offset, 0x18u);
        EXPECT_EQ(at<RegionAccess>(reply).count, count);
        EXPECT_EQ(reply[sizeof(RegionAccess)], std::byte{0x38});
        EXPECT_EQ(reply.back(), static_cast<std::byte>(0x38 + count - 1));
    }
    Bytes config = ok(Command::kRegionRead, payload(RegionAccess{0, kRegionConfig, 256}));
    EXPECT_EQ(config.size(), sizeof(RegionAccess) + 256);
    EXPECT_EQ(at<uint16_t>(config, sizeof(RegionAccess)), 0x1ae0);
    EXPECT_EQ(device.reads, 4);

    auto refused = [&](uint64_t offset, uint32_t region, uint32_t count) {
        return access(Command::kRegionRead, offset, region, count) == EINVAL;
    };
    EXPECT_TRUE(refused(0, 0, 0));
    EXPECT_TRUE(refused(0, 0, 3));
    EXPECT_TRUE(refused(0, 0, 16));
    EXPECT_TRUE(refused(4095, 0, 2));
    EXPECT_TRUE(refused(4096, 0, 1));
    EXPECT_TRUE(refused(~uint64_t{0}, 0, 1));
    EXPECT_TRUE(refused(~uint64_t{0} - 3, 0, 8));
    EXPECT_TRUE(refused(0, 3, 4)) << "a BAR that is not there";
    EXPECT_TRUE(refused(0, kRegionRom, 4));
    EXPECT_TRUE(refused(0, kRegionVga, 4));
    EXPECT_TRUE(refused(0, 9, 4));
    EXPECT_TRUE(refused(0, 0xffffffff, 4));
    EXPECT_TRUE(refused(1, kRegionConfig, 256));
    EXPECT_TRUE(refused(0, kRegionConfig, 0xffffffff));
    EXPECT_EQ(error(Command::kRegionRead, Bytes(15)), EINVAL);
    EXPECT_EQ(device.reads, 4);
}

TEST_F(EndpointTest, RegionWrites) {
    negotiate();
    RegionAccess where{0x20, 2, 4};
    Bytes reply = ok(Command::kRegionWrite, payload(where, uint32_t{0x11223344}));
    EXPECT_EQ(reply, payload(where)) << "without the data";
    ASSERT_EQ(device.writes.size(), 1u);
    EXPECT_EQ(device.writes[0].bar, 2u);
    EXPECT_EQ(device.writes[0].offset, 0x20u);
    EXPECT_EQ(device.writes[0].bytes, payload(uint32_t{0x11223344}));

    EXPECT_EQ(access(Command::kRegionWrite, 0, 0, 4, 3), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 0, 0, 4, 5), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 0, 0, 0xffffffff, 4), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 4094, 0, 4, 4), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 0, 0, 0, 0), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 0, 0, 5, 5), EINVAL);
    EXPECT_EQ(access(Command::kRegionWrite, 0, 4, 4, 4), EINVAL);
    EXPECT_EQ(error(Command::kRegionWrite, Bytes(15)), EINVAL);
    EXPECT_EQ(device.writes.size(), 1u);
}

TEST_F(EndpointTest, PostedWritesAreNeverAnswered) {
    negotiate();
    Bytes good = payload(RegionAccess{0, 2, 4}, uint32_t{1});
    Bytes bad = payload(RegionAccess{0, 3, 4}, uint32_t{1});
    EXPECT_TRUE(send(Command::kRegionWrite, good, {}, kFlagNoReply).empty());
    EXPECT_TRUE(send(Command::kRegionWrite, bad, {}, kFlagNoReply).empty());
    EXPECT_EQ(device.writes.size(), 1u);
    EXPECT_EQ(endpoint->posted_writes(), 1u);
    EXPECT_EQ(endpoint->refused(), 1u);
}

TEST_F(EndpointTest, TheMsixTableNeverReachesTheDevice) {
    negotiate();
    EXPECT_EQ(access(Command::kRegionWrite, 0, 1, 8, 8), 0u);
    EXPECT_EQ(access(Command::kRegionWrite, 33 * 16 - 1, 1, 1, 1), 0u);
    EXPECT_EQ(access(Command::kRegionWrite, 0x800, 1, 4, 4), 0u);
    EXPECT_EQ(access(Command::kRegionWrite, 0x7fc, 1, 8, 8), 0u) << "half in the pending bits";
    EXPECT_TRUE(device.writes.empty());
    Bytes pending = ok(Command::kRegionRead, payload(RegionAccess{0x800, 1, 8}));
    EXPECT_EQ(at<uint64_t>(pending, sizeof(RegionAccess)), 0u);
    EXPECT_EQ(device.reads, 0);
    EXPECT_EQ(access(Command::kRegionWrite, 33 * 16, 1, 4, 4), 0u) << "behind the table";
    EXPECT_EQ(access(Command::kRegionWrite, 0, 2, 4, 4), 0u) << "another BAR";
    EXPECT_EQ(device.writes.size(), 2u);
}

TEST_F(EndpointTest, SeveralWritesInOneMessage) {
    negotiate();
    SingleWrite first{0x10, 2, 4, {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}};
    SingleWrite second{0x20, 0, 8, {std::byte{9}}};
    Bytes reply = ok(Command::kRegionWriteMulti, payload(uint64_t{2}, first, second));
    EXPECT_EQ(at<uint64_t>(reply), 2u);
    ASSERT_EQ(device.writes.size(), 2u);
    EXPECT_EQ(device.writes[0].offset, 0x10u);
    EXPECT_EQ(device.writes[0].bytes.size(), 4u);
    EXPECT_EQ(device.writes[0].bytes[3], std::byte{4});
    EXPECT_EQ(device.writes[1].bar, 0u);
    EXPECT_EQ(device.writes[1].bytes.size(), 8u);
    EXPECT_EQ(at<uint64_t>(ok(Command::kRegionWriteMulti, payload(uint64_t{0}))), 0u);

    auto refused = [&](const Bytes& body) {
        return error(Command::kRegionWriteMulti, body) == EINVAL;
    };
    SingleWrite long_one = first;
    long_one.count = 16;
    SingleWrite outside = first;
    outside.offset = 65536;
    EXPECT_TRUE(refused({}));
    EXPECT_TRUE(refused(payload(uint64_t{2}, first)));
    EXPECT_TRUE(refused(payload(uint64_t{1}, first, second)));
    EXPECT_TRUE(refused(payload(uint64_t{201}, first)));
    EXPECT_TRUE(refused(payload(~uint64_t{0} / 24 + 2, first)));
    EXPECT_TRUE(refused(payload(uint64_t{1}, long_one)));
    EXPECT_TRUE(refused(payload(uint64_t{2}, first, outside)));
    EXPECT_EQ(device.writes.size(), 2u) << "all or none";
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
