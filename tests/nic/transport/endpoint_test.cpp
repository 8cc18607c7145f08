// Tests of Endpoint: the version, memory, and what is no request.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/nic/transport/endpoint_fixture.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

TEST_F(EndpointTest, RefusesAnImpossibleDevice) {
    device.shape.bar_size[0] = 3;
    EXPECT_EQ(Endpoint::create(device, dma, irq).error().code, EINVAL);
}

TEST_F(EndpointTest, VersionAnswersWithASubset) {
    Bytes body = version_body(kQemuCapabilities);
    Bytes reply = ok(Command::kVersion, body);
    EXPECT_EQ(at<Version>(reply).major, 0);
    EXPECT_EQ(at<Version>(reply).minor, 0);
    EXPECT_LE(reply.size(), body.size()) << "QEMU keeps no more room";
    ASSERT_EQ(reply.back(), std::byte{0});
    auto json = nlohmann::json::parse(reinterpret_cast<const char*>(reply.data()) + 4);
    EXPECT_EQ(json["capabilities"]["max_msg_fds"], 16);
    EXPECT_EQ(json["capabilities"]["write_multiple"], true);
    EXPECT_EQ(json["capabilities"]["max_data_xfer_size"], 4096);
    EXPECT_FALSE(json["capabilities"].contains("migration"));
}

TEST_F(EndpointTest, VersionOffersNothingThatWasNotProposed) {
    Bytes reply = ok(Command::kVersion, version_body(R"({"capabilities":{"max_msg_fds":1}})"));
    auto json = nlohmann::json::parse(reinterpret_cast<const char*>(reply.data()) + 4);
    EXPECT_EQ(json["capabilities"].size(), 1u);
}

TEST_F(EndpointTest, VersionDataIsOptional) {
    EXPECT_EQ(ok(Command::kVersion, payload(Version{0, 1})).size(), sizeof(Version));
}

TEST_F(EndpointTest, BadVersionsAreRefused) {
    EXPECT_EQ(error(Command::kVersion), EINVAL);
    EXPECT_EQ(error(Command::kVersion, payload(uint16_t{0})), EINVAL);
    EXPECT_EQ(error(Command::kVersion, payload(Version{1, 0})), ENOTSUP);
    EXPECT_EQ(error(Command::kVersion, payload(Version{0, 0}, uint8_t{'{'})), EINVAL);
    for (const char* json : {"", "{", "[]", "7", R"({"capabilities":[]})", "{\"a\":\xff}"})
        EXPECT_EQ(error(Command::kVersion, version_body(json)), EINVAL) << json;
    EXPECT_EQ(error(Command::kDeviceReset), EINVAL) << "still nothing negotiated";
    negotiate();
    EXPECT_EQ(error(Command::kVersion, version_body("{}")), EINVAL) << "a second time";
}

TEST_F(EndpointTest, NothingWorksBeforeTheVersion) {
    EXPECT_EQ(map(0, 4096, memory_file(4096)), EINVAL);
    EXPECT_EQ(access(Command::kRegionRead, 0, 0, 4), EINVAL);
    EXPECT_EQ(device.reads, 0);
    EXPECT_EQ(dma.ranges(), 0u);
}

TEST_F(EndpointTest, DeviceInfo) {
    negotiate();
    auto info = at<DeviceInfo>(ok(Command::kDeviceGetInfo, payload(DeviceInfo{16, 0, 0, 0})));
    EXPECT_EQ(info.argsz, 16u);
    EXPECT_EQ(info.flags, kDeviceFlagReset | kDeviceFlagPci);
    EXPECT_EQ(info.num_regions, 9u);
    EXPECT_EQ(info.num_irqs, 3u);
    EXPECT_EQ(error(Command::kDeviceGetInfo, payload(DeviceInfo{15, 0, 0, 0})), EINVAL);
    EXPECT_EQ(error(Command::kDeviceGetInfo, payload(uint32_t{16})), EINVAL);
}

TEST_F(EndpointTest, DmaMapAndUnmap) {
    negotiate();
    Fd file = memory_file(4 * 4096);
    EXPECT_EQ(map(0x10000, 0x4000, file), 0u);
    EXPECT_EQ(map(0x12000, 0x1000, file), EEXIST);
    EXPECT_EQ(map(0x20000, 0x5000, file), EINVAL);
    EXPECT_EQ(map(0x20000, 0x1000, file, 0), EINVAL);
    EXPECT_EQ(map(0x20000, 0x1000, file, 4), EINVAL);
    EXPECT_EQ(error(Command::kDmaMap, Bytes(31)), EINVAL);
    EXPECT_EQ(error(Command::kDmaMap, payload(DmaMapRequest{32, 3, 0, 0x20000, 0x1000}),
                    fd_list(copy_of(file), copy_of(file))),
              EINVAL);
    EXPECT_EQ(error(Command::kDmaMap, payload(DmaMapRequest{32, 1, 0, 0x20000, 0x1000})), 0u)
        << "no descriptor: a ROM";
    EXPECT_EQ(dma.ranges(), 2u);

    DmaUnmapRequest unmap{24, 0, 0x10000, 0x4000};
    Bytes reply = ok(Command::kDmaUnmap, payload(unmap));
    EXPECT_EQ(reply, payload(unmap)) << "the reply repeats the request";
    EXPECT_EQ(dma.ranges(), 1u);
    EXPECT_EQ(error(Command::kDmaUnmap, payload(DmaUnmapRequest{24, 0, 0x20000, 0x800})), EINVAL);
    EXPECT_EQ(error(Command::kDmaUnmap, payload(DmaUnmapRequest{24, 1, 0x20000, 0x1000})), EINVAL);
    EXPECT_EQ(error(Command::kDmaUnmap, payload(DmaUnmapRequest{8, 0, 0x20000, 0x1000})), EINVAL);
    EXPECT_EQ(error(Command::kDmaUnmap, Bytes(23)), EINVAL);
    EXPECT_EQ(error(Command::kDmaUnmap, payload(DmaUnmapRequest{24, kDmaUnmapAll, 0x20000, 0})),
              EINVAL);
    EXPECT_EQ(dma.ranges(), 1u);
    ok(Command::kDmaUnmap, payload(DmaUnmapRequest{24, kDmaUnmapAll, 0, 0}));
    EXPECT_EQ(dma.ranges(), 0u);
}

TEST_F(EndpointTest, WhatThereIsNotIsNotSupported) {
    negotiate();
    for (Command command : {Command::kDeviceGetRegionIoFds, Command::kDmaRead, Command::kDmaWrite,
                            Command::kDeviceFeature, Command::kMigDataRead, Command::kMigDataWrite,
                            static_cast<Command>(0), static_cast<Command>(14),
                            static_cast<Command>(19), static_cast<Command>(0xffff)})
        EXPECT_EQ(error(command, Bytes(64)), ENOTSUP) << static_cast<int>(command);
}

TEST_F(EndpointTest, DescriptorsThatNobodyAskedForAreRefused) {
    negotiate();
    EXPECT_EQ(error(Command::kRegionRead, payload(RegionAccess{0, 0, 4}), fd_list(event_file())),
              EINVAL);
    EXPECT_EQ(device.reads, 0);
    std::vector<Fd> many;
    for (uint32_t i = 0; i <= kMaximumFds; i++) many.push_back(event_file());
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, kMaximumFds + 1, std::move(many)), EINVAL);
    EXPECT_FALSE(irq.armed(0));
}

TEST_F(EndpointTest, LostDescriptorsRefuseTheMessage) {
    negotiate();
    Bytes bytes =
        request(Command::kDeviceSetIrqs, payload(IrqSet{20, kEventfdTrigger, kIrqMsix, 0, 1}));
    Message message;
    message.header = at<Header>(bytes);
    message.payload = std::span<const std::byte>(bytes).subspan(sizeof(Header));
    message.fds_lost = true;
    Bytes reply = endpoint->handle(std::move(message));
    EXPECT_EQ(at<Header>(reply).error, static_cast<uint32_t>(EINVAL));
}

TEST_F(EndpointTest, RepliesAndUnknownTypesAreDropped) {
    negotiate();
    EXPECT_TRUE(send(Command::kDmaRead, Bytes(16), {}, kTypeReply).empty());
    EXPECT_TRUE(send(Command::kDeviceReset, {}, {}, 0x7).empty());
    EXPECT_EQ(device.resets, 0);
    EXPECT_EQ(endpoint->refused(), 2u);
}

TEST_F(EndpointTest, RefusalsAreLoggedButNotForEver) {
    for (int i = 0; i < 1000; i++) error(Command::kDeviceReset);
    EXPECT_EQ(lines.size(), Endpoint::kLoggedRefusals);
    EXPECT_NE(lines.front().find("before the version"), std::string::npos) << lines.front();
    EXPECT_NE(lines.back().find("only counted"), std::string::npos);
    EXPECT_EQ(endpoint->refused(), 1000u);
}

TEST_F(EndpointTest, DisconnectLetsGoOfTheClient) {
    negotiate();
    ASSERT_EQ(map(0, 4096, memory_file(4096)), 0u);
    ASSERT_EQ(set_irqs(kEventfdTrigger, 0, 1, fd_list(event_file())), 0u);
    endpoint->disconnect();
    EXPECT_EQ(dma.ranges(), 0u);
    EXPECT_EQ(dma.files(), 0u);
    EXPECT_FALSE(irq.armed(0));
    EXPECT_EQ(error(Command::kDeviceReset), EINVAL);
    EXPECT_EQ(device.resets, 0) << "the device keeps its state";
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
