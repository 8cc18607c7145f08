// Admin commands about the device as a whole: what it is, what it offers, its statistics.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "nic/models/gve/gve_adminq.hpp"
#include "nic/models/gve/gve_descriptors.hpp"

namespace zcrxlab::nic::gve {
namespace {

// A device descriptor with its options, as bytes.
class Description {
  public:
    template <typename T>
    void option(uint16_t id, const T& body) {
        append(OptionHeader{id, static_cast<uint16_t>(sizeof(T)), 0});
        append(body);
        ++options_;
    }
    std::vector<std::byte> finish(DeviceDescriptor descriptor) const {
        descriptor.num_device_options = options_;
        descriptor.total_length = static_cast<uint16_t>(sizeof(descriptor) + bytes_.size());
        auto head = std::as_bytes(std::span(&descriptor, 1));
        std::vector<std::byte> out(head.begin(), head.end());
        out.insert(out.end(), bytes_.begin(), bytes_.end());
        return out;
    }

  private:
    template <typename T>
    void append(const T& object) {
        auto bytes = std::as_bytes(std::span(&object, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }

    std::vector<std::byte> bytes_;
    uint16_t options_ = 0;
};

std::vector<std::byte> description(const GveConfig& config) {
    uint32_t features = kFeatureModifyRing | kFeatureJumboFrames | kFeatureRssConfig;
    if (config.header_buffer_size != 0 || config.packet_buffer_size > 2048)
        features |= kFeatureBufferSizes;
    if (config.max_flow_rules != 0) features |= kFeatureFlowSteering;

    Description out;
    out.option(kOptionDqoRda, DqoRdaOption{features, 0});
    out.option(kOptionModifyRing,
               ModifyRingOption{kFeatureModifyRing, config.max_ring, config.max_ring,
                                config.min_ring, config.min_ring});
    out.option(kOptionJumboFrames, JumboFramesOption{kFeatureJumboFrames, config.max_mtu, {}});
    if ((features & kFeatureBufferSizes) != 0)
        out.option(kOptionBufferSizes,
                   BufferSizesOption{kFeatureBufferSizes, config.packet_buffer_size,
                                     config.header_buffer_size});
    if ((features & kFeatureFlowSteering) != 0)
        out.option(kOptionFlowSteering,
                   FlowSteeringOption{kFeatureFlowSteering, 0, config.max_flow_rules});
    out.option(kOptionRssConfig, RssConfigOption{kFeatureRssConfig, kRssKeySize, kRssTableSize});

    DeviceDescriptor descriptor{};
    descriptor.tx_queue_entries = config.default_ring;
    descriptor.rx_queue_entries = config.default_ring;
    descriptor.default_num_queues = config.default_queues;
    descriptor.mtu = config.max_mtu;
    descriptor.counters = static_cast<uint16_t>(config.max_tx_queues + config.max_rx_queues);
    std::memcpy(descriptor.mac, config.mac.data(), config.mac.size());
    return out.finish(descriptor);
}

}  // namespace

Status AdminQueue::describe_device(const DescribeDevice& command) {
    if (command.descriptor_version != kDeviceDescriptorVersion)
        return refuse(Status::kInvalidArgument,
                      fmt::format("DESCRIBE_DEVICE: descriptor version {} is not {}",
                                  command.descriptor_version.get(), kDeviceDescriptorVersion));
    std::vector<std::byte> bytes = description(state_.context.config);
    if (command.available_length < bytes.size())
        return forbid(Status::kInvalidArgument,
                      fmt::format("DESCRIBE_DEVICE: {} bytes are too few, {} are needed",
                                  command.available_length.get(), bytes.size()));
    if (!state_.context.dma.write(command.descriptor_address, bytes))
        return forbid_dma("the descriptor of DESCRIBE_DEVICE", command.descriptor_address,
                          bytes.size(), Access::kWrite);
    return Status::kPassed;
}

Status AdminQueue::verify_driver(const VerifyDriverCompatibility& command) {
    DriverInfo info;
    if (command.info_length < sizeof(info))
        return forbid(Status::kInvalidArgument,
                      fmt::format("VERIFY_DRIVER: {} bytes are too few, {} are needed",
                                  command.info_length.get(), sizeof(info)));
    if (!state_.context.dma.read_object(command.info_address, info))
        return forbid_dma("what VERIFY_DRIVER tells", command.info_address, sizeof(info),
                          Access::kRead);
    if ((info.capabilities[0] & kCapabilityDqoRda) == 0)
        return refuse(Status::kFailedPrecondition,
                      "VERIFY_DRIVER: the driver does not know the DQO RDA format, the only one "
                      "that this device has; use Linux 5.14 or later");
    return Status::kPassed;
}

Status AdminQueue::set_driver_parameter(const SetDriverParameter& command) {
    if (command.type != kParameterMtu)
        return refuse(Status::kInvalidArgument,
                      fmt::format("SET_DRIVER_PARAMETER: unknown type {}", command.type.get()));
    constexpr uint64_t kMinimumMtu = 68;
    if (command.value < kMinimumMtu || command.value > state_.context.config.max_mtu)
        return forbid(Status::kInvalidArgument,
                      fmt::format("SET_DRIVER_PARAMETER: MTU {} is not within {} and {}",
                                  command.value.get(), kMinimumMtu, state_.context.config.max_mtu));
    state_.mtu = static_cast<uint16_t>(command.value.get());
    state_.apply_receive_settings();
    return Status::kPassed;
}

Status AdminQueue::report_stats(const ReportStats& command) {
    uint64_t length = command.length;
    if (length == 0) {
        state_.stats.detach();
        return Status::kPassed;
    }
    constexpr uint64_t kMost = 1 << 20;
    // Drivers before 6.19 make room for the queues that they have, not for all that there could be.
    const auto live = std::count_if(state_.rx.begin(), state_.rx.end(),
                                    [](const RxQueue& queue) { return queue.live(); });
    const uint64_t least =
        kStatsReportHeader + static_cast<uint64_t>(live) * kNicRxStats * sizeof(Statistic);
    if (length < least || length > kMost || command.address + length < length)
        return forbid(
            Status::kInvalidArgument,
            fmt::format("REPORT_STATS: {} bytes are not within {} and {}", length, least, kMost));
    state_.stats.attach(command.address, length);
    if (!state_.stats.publish(state_.context, state_.rx)) {
        state_.stats.detach();
        return refuse(Status::kInvalidArgument, "REPORT_STATS: the address is no guest memory");
    }
    return Status::kPassed;
}

Status AdminQueue::report_link_speed(const ReportLinkSpeed& command) {
    if (!state_.context.dma.write_object(command.address, Be64(state_.context.config.link_speed)))
        return forbid_dma("the answer of REPORT_LINK_SPEED", command.address, sizeof(Be64),
                          Access::kWrite);
    return Status::kPassed;
}

Status AdminQueue::get_ptype_map(const GetPtypeMap& command) {
    std::array<PtypeEntry, kPacketTypes> map{};
    for (uint8_t l3 : {kL3Unknown, kL3Ipv4, kL3Ipv6})
        for (uint8_t l4 : {kL4Unknown, kL4Tcp, kL4Udp}) map[packet_type(l3, l4)] = {l3, l4};
    if (command.length < sizeof(map))
        return forbid(Status::kInvalidArgument,
                      fmt::format("GET_PTYPE_MAP: {} bytes are too few, {} are needed",
                                  command.length.get(), sizeof(map)));
    if (!state_.context.dma.write(command.address, std::as_bytes(std::span(map))))
        return forbid_dma("the map of GET_PTYPE_MAP", command.address, sizeof(map), Access::kWrite);
    return Status::kPassed;
}

}  // namespace zcrxlab::nic::gve
