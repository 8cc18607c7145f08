// EndpointTest: an endpoint with a fake device behind it, and short ways to send it messages.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nic/transport/endpoint.hpp"
#include "tests/nic/transport/client_messages.hpp"
#include "tests/nic/transport/fake_pci_device.hpp"

namespace zcrxlab::nic::vfio_user {

inline constexpr uint32_t kEventfdTrigger = kIrqDataEventfd | kIrqActionTrigger;

class EndpointTest : public testing::Test {
  protected:
    void SetUp() override {
        auto log = [this](const std::string& line) { lines.push_back(line); };
        endpoint.emplace(Endpoint::create(device, dma, irq, log).value());
    }

    Bytes send(Command command, const Bytes& body = {}, std::vector<Fd> fds = {},
               uint32_t flags = 0) {
        Bytes bytes = request(command, body, flags);
        Message message;
        message.header = at<Header>(bytes);
        message.payload = std::span<const std::byte>(bytes).subspan(sizeof(Header));
        message.fds = std::move(fds);
        return endpoint->handle(std::move(message));
    }
    // The payload of a successful reply; fails the test otherwise.
    Bytes ok(Command command, const Bytes& body = {}, std::vector<Fd> fds = {}) {
        Bytes reply = send(command, body, std::move(fds));
        auto header = at<Header>(reply);
        EXPECT_EQ(header.id, 77);
        EXPECT_EQ(header.command, static_cast<uint16_t>(command));
        EXPECT_EQ(header.size, reply.size());
        EXPECT_EQ(header.flags, kTypeReply) << (lines.empty() ? "" : lines.back());
        return {reply.begin() + sizeof(Header), reply.end()};
    }
    // The errno of a refusal; 0 if there was none.
    uint32_t error(Command command, const Bytes& body = {}, std::vector<Fd> fds = {}) {
        uint64_t before = endpoint->refused();
        Bytes reply = send(command, body, std::move(fds));
        auto header = at<Header>(reply);
        if (header.flags == kTypeReply) return 0;
        EXPECT_EQ(header.flags, kTypeReply | kFlagError);
        EXPECT_EQ(reply.size(), sizeof(Header)) << "an error has no payload";
        EXPECT_EQ(header.size, sizeof(Header));
        EXPECT_EQ(endpoint->refused(), before + 1);
        return header.error;
    }
    void negotiate() { ok(Command::kVersion, version_body(kQemuCapabilities)); }
    void write_config(uint64_t offset, uint16_t value) {
        ok(Command::kRegionWrite, payload(RegionAccess{offset, kRegionConfig, 2}, value));
    }
    uint32_t map(uint64_t address, uint64_t size, const Fd& file, uint32_t flags = 3) {
        return error(Command::kDmaMap, payload(DmaMapRequest{32, flags, 0, address, size}),
                     fd_list(copy_of(file)));
    }
    uint32_t set_irqs(uint32_t flags, uint32_t start, uint32_t count, std::vector<Fd> fds = {},
                      uint32_t index = kIrqMsix, const Bytes& data = {}) {
        Bytes body = payload(IrqSet{20, flags, index, start, count});
        body.insert(body.end(), data.begin(), data.end());
        return error(Command::kDeviceSetIrqs, body, std::move(fds));
    }
    uint32_t access(Command command, uint64_t offset, uint32_t region, uint32_t count,
                    size_t data_size = 0) {
        Bytes body = payload(RegionAccess{offset, region, count});
        body.resize(body.size() + data_size, std::byte{0x5a});
        return error(command, body);
    }

    FakePciDevice device;
    DmaMap dma;
    IrqVectors irq;
    std::vector<std::string> lines;
    std::optional<Endpoint> endpoint;
};

}  // namespace zcrxlab::nic::vfio_user
