// Handles each vfio-user message.
#include "nic/transport/endpoint.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

namespace zcrxlab::nic::vfio_user {

namespace {

using Bytes = std::vector<std::byte>;

// The structure at the beginning of `bytes`, or nothing if they are too few.
template <typename T>
std::optional<T> leading(std::span<const std::byte> bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}

template <typename T>
Bytes bytes_of(const T& value) {
    auto raw = std::as_bytes(std::span(&value, 1));
    return {raw.begin(), raw.end()};
}

Error too_short() {
    return Error{EINVAL, "it is too short"};
}

// The client learns the needed size from argsz, but no structure of ours has a variable part, so
// less room than the structure is a mistake (vfio-user.rst, "Message sizes").
Error little_room() {
    return Error{EINVAL, "its argsz leaves no room for the reply"};
}

// A refusal that is neither logged nor counted, because well-behaved clients try.
Error ordinary_no(int code) {
    return Error{code, ""};
}

std::string decimal(uint64_t value) {
    return std::to_string(value);
}

// What we support of the capabilities that the client proposed: the reply must be a subset, and
// is then not longer than the request, which is all the room that QEMU keeps for it.
Result<Bytes> capabilities(std::span<const std::byte> data) {
    if (data.empty()) return Bytes();
    if (data.back() != std::byte{0}) return Error{EINVAL, "its capabilities do not end with a NUL"};
    std::string_view text(reinterpret_cast<const char*>(data.data()), data.size() - 1);
    auto proposed = nlohmann::json::parse(text, nullptr, false);
    if (!proposed.is_object()) return Error{EINVAL, "its capabilities are no JSON object"};
    const auto of_client = proposed.find("capabilities");
    if (of_client != proposed.end() && !of_client->is_object())
        return Error{EINVAL, "its capabilities are no JSON object"};
    nlohmann::json answer = nlohmann::json::object();
    if (of_client != proposed.end()) {
        nlohmann::json chosen = nlohmann::json::object();
        const std::pair<const char*, nlohmann::json> offered[] = {
            {"max_msg_fds", kMaximumFds},      {"max_data_xfer_size", kMaximumTransfer},
            {"max_dma_maps", kMaximumDmaMaps}, {"pgsizes", kPageSizes},
            {"write_multiple", true},
        };
        for (const auto& [name, value] : offered)
            if (of_client->contains(name)) chosen[name] = value;
        answer["capabilities"] = std::move(chosen);
    }
    std::string json = answer.dump();
    auto raw = std::as_bytes(std::span(json.c_str(), json.size() + 1));
    return Bytes(raw.begin(), raw.end());
}

}  // namespace

Endpoint::Endpoint(PciDevice& device, DmaMap& dma, IrqVectors& irq, Log log, ConfigSpace config)
    : device_(&device), dma_(&dma), irq_(&irq), log_(std::move(log)), config_(config) {}

Result<Endpoint> Endpoint::create(PciDevice& device, DmaMap& dma, IrqVectors& irq, Log log) {
    auto config = ConfigSpace::create(device.identity());
    if (!config) return config.error();
    irq.set_count(device.identity().msix_vectors);
    return Endpoint(device, dma, irq, std::move(log), std::move(config).value());
}

Bytes Endpoint::handle(Message message) {
    messages_ += 1;
    const Header header = message.header;
    uint32_t type = header.flags & kTypeMask;
    Result<Bytes> done = Error{EINVAL, "it is no command, and nothing was asked of the client"};
    if (message.fds_lost || message.fds.size() > kMaximumFds) {
        done = Error{EINVAL, "it came with too many file descriptors"};
    } else if (type == kTypeCommand) {
        done = perform(message);
    }
    if (!done && !done.error().sentence.empty()) {
        refused_ += 1;
        if (log_ && refused_ <= kLoggedRefusals)
            log_("vfio-user command " + decimal(header.command) + " was refused (" +
                 std::strerror(done.error().code) + "): " + done.error().sentence +
                 (refused_ == kLoggedRefusals ? "; further refusals are only counted" : ""));
    }
    if ((header.flags & kFlagNoReply) != 0 || type != kTypeCommand) return {};

    Header reply{header.id, header.command, sizeof(Header), kTypeReply, 0};
    if (done) {
        reply.size += static_cast<uint32_t>(done->size());
    } else {
        reply.flags |= kFlagError;
        reply.error = static_cast<uint32_t>(done.error().code);
    }
    Bytes bytes = bytes_of(reply);
    if (done) bytes.insert(bytes.end(), done->begin(), done->end());
    return bytes;
}

void Endpoint::disconnect() {
    dma_->forget_client();
    irq_->disarm_all();
    negotiated_ = false;
}

Result<Bytes> Endpoint::perform(Message& message) {
    auto command = static_cast<Command>(message.header.command);
    bool takes_fds = command == Command::kDmaMap || command == Command::kDeviceSetIrqs;
    if (!takes_fds && !message.fds.empty())
        return Error{EINVAL, "it came with file descriptors, of which it can make no use"};
    if (command == Command::kVersion) return version(message);
    if (!negotiated_) return Error{EINVAL, "it came before the version was negotiated"};
    switch (command) {
        case Command::kDmaMap:
            return dma_map(message);
        case Command::kDmaUnmap:
            return dma_unmap(message);
        case Command::kDeviceGetInfo:
            return device_info(message);
        case Command::kDeviceGetRegionInfo:
            return region_info(message);
        case Command::kDeviceGetIrqInfo:
            return irq_info(message);
        case Command::kDeviceSetIrqs:
            return set_irqs(message);
        case Command::kRegionRead:
            return region_read(message);
        case Command::kRegionWrite:
            return region_write(message);
        case Command::kRegionWriteMulti:
            return region_write_multi(message);
        case Command::kDeviceReset:
            reset();
            return Bytes();
        default:
            return Error{ENOTSUP, "this server has no such command"};
    }
}

Result<Bytes> Endpoint::version(const Message& message) {
    auto request = leading<Version>(message.payload);
    if (!request) return too_short();
    if (negotiated_) return Error{EINVAL, "the version was negotiated before"};
    if (request->major != kMajor)
        return Error{ENOTSUP, "the client speaks protocol " + decimal(request->major) +
                                  ", this server " + decimal(kMajor)};
    auto chosen = capabilities(message.payload.subspan(sizeof(Version)));
    if (!chosen) return chosen.error();
    negotiated_ = true;
    Bytes reply = bytes_of(Version{kMajor, kMinor});
    reply.insert(reply.end(), chosen->begin(), chosen->end());
    return reply;
}

Result<Bytes> Endpoint::dma_map(Message& message) {
    auto request = leading<DmaMapRequest>(message.payload);
    if (!request) return too_short();
    if ((request->flags & ~(kDmaMapReadable | kDmaMapWritable)) != 0)
        return Error{EINVAL, "it has unknown flags"};
    if (message.fds.size() > 1) return Error{EINVAL, "it came with more than one file descriptor"};
    DmaMap::Rights rights{.read = (request->flags & kDmaMapReadable) != 0,
                          .write = (request->flags & kDmaMapWritable) != 0};
    Fd file = message.fds.empty() ? Fd() : std::move(message.fds.front());
    auto mapped =
        dma_->map(request->address, request->size, request->offset, rights, std::move(file));
    if (!mapped) return mapped.error();
    return Bytes();
}

Result<Bytes> Endpoint::dma_unmap(const Message& message) {
    auto request = leading<DmaUnmapRequest>(message.payload);
    if (!request) return too_short();
    if ((request->flags & ~kDmaUnmapAll) != 0) return Error{EINVAL, "it has unknown flags"};
    if (request->argsz < sizeof(DmaUnmapRequest)) return little_room();
    if ((request->flags & kDmaUnmapAll) != 0) {
        if (request->address != 0 || request->size != 0)
            return Error{EINVAL, "it unmaps everything and yet names a range"};
        dma_->unmap_all();
    } else {
        auto unmapped = dma_->unmap(request->address, request->size);
        if (!unmapped) return unmapped.error();
    }
    return bytes_of(*request);
}

Result<Bytes> Endpoint::device_info(const Message& message) {
    auto request = leading<DeviceInfo>(message.payload);
    if (!request) return too_short();
    if (request->argsz < sizeof(DeviceInfo)) return little_room();
    return bytes_of(
        DeviceInfo{sizeof(DeviceInfo), kDeviceFlagReset | kDeviceFlagPci, kRegions, kIrqs});
}

Result<Bytes> Endpoint::region_info(const Message& message) {
    auto request = leading<RegionInfo>(message.payload);
    if (!request) return too_short();
    if (request->argsz < sizeof(RegionInfo)) return little_room();
    if (request->index >= kRegions)
        return Error{EINVAL, "there is no region " + decimal(request->index)};
    uint64_t size = region_size(request->index);
    // Never mappable: QEMU posts writes only to a device of which no region is.
    uint32_t flags = size == 0 ? 0 : kRegionFlagRead | kRegionFlagWrite;
    return bytes_of(RegionInfo{sizeof(RegionInfo), flags, request->index, 0, size, 0});
}

Result<Bytes> Endpoint::irq_info(const Message& message) {
    auto request = leading<IrqInfo>(message.payload);
    if (!request) return too_short();
    if (request->argsz < sizeof(IrqInfo)) return little_room();
    if (request->index == kIrqError || request->index == kIrqRequest) return ordinary_no(EINVAL);
    if (request->index >= kIrqs)
        return Error{EINVAL, "there is no interrupt type " + decimal(request->index)};
    uint32_t count = request->index == kIrqMsix ? irq_->count() : 0;
    return bytes_of(
        IrqInfo{sizeof(IrqInfo), count == 0 ? 0 : kIrqFlagEventfd, request->index, count});
}

Result<Bytes> Endpoint::set_irqs(Message& message) {
    auto request = leading<IrqSet>(message.payload);
    if (!request) return too_short();
    uint32_t data = request->flags & kIrqDataMask;
    uint32_t action = request->flags & ~kIrqDataMask;
    if (!std::has_single_bit(data) || !std::has_single_bit(action) || action > kIrqActionTrigger)
        return Error{EINVAL, "it has not just one kind of data and one action"};
    if (request->index >= kIrqs)
        return Error{EINVAL, "there is no interrupt type " + decimal(request->index)};
    if (action != kIrqActionTrigger)
        return Error{ENOTSUP, "interrupts of this device cannot be masked by message"};
    if (data != kIrqDataEventfd && !message.fds.empty())
        return Error{EINVAL, "it came with file descriptors, of which it can make no use"};
    uint64_t end = uint64_t{request->start} + request->count;
    if (end > (request->index == kIrqMsix ? irq_->count() : 0u))
        return Error{EINVAL, "it names interrupts up to " + decimal(end) + "; there are " +
                                 decimal(irq_->count()) + " of MSI-X and no others"};

    if (data == kIrqDataEventfd) {
        if (request->count == 0) return Error{EINVAL, "it names no interrupt"};
        auto changed = Result<void>();
        if (message.fds.empty()) {
            changed = irq_->disarm(request->start, request->count);
        } else if (message.fds.size() == request->count) {
            changed = irq_->arm(request->start, std::move(message.fds));
        } else {
            return Error{EINVAL, "it came with " + decimal(message.fds.size()) +
                                     " file descriptors for " + decimal(request->count) +
                                     " interrupts"};
        }
        if (!changed) return changed.error();
        return Bytes();
    }
    if (data == kIrqDataNone && request->count == 0) {
        if (request->start != 0) return Error{EINVAL, "it names no interrupt"};
        if (request->index == kIrqMsix) irq_->disarm_all();
        return Bytes();
    }
    auto chosen = message.payload.subspan(sizeof(IrqSet));
    if (data == kIrqDataBool && chosen.size() < request->count) return too_short();
    for (uint32_t i = 0; i < request->count; i++) {
        if (data == kIrqDataNone || chosen[i] != std::byte{0})
            irq_->raise(static_cast<uint16_t>(request->start + i));
    }
    return Bytes();
}

uint64_t Endpoint::region_size(uint32_t region) const {
    if (region < kRegionBars) return device_->identity().bar_size[region];
    return region == kRegionConfig ? ConfigSpace::kSize : 0;
}

Result<void> Endpoint::check_access(const RegionAccess& access) const {
    uint64_t size = region_size(access.region);
    if (access.count == 0 || access.offset > size || access.count > size - access.offset)
        return Error{EINVAL, decimal(access.count) + " bytes at offset " + decimal(access.offset) +
                                 " of region " + decimal(access.region) + ", which has " +
                                 decimal(size)};
    if (access.region < kRegionBars && (access.count > 8 || !std::has_single_bit(access.count)))
        return Error{EINVAL, "a register access of " + decimal(access.count) + " bytes"};
    return {};
}

bool Endpoint::in_msix(const RegionAccess& access) const {
    const PciIdentity& identity = device_->identity();
    if (identity.msix_vectors == 0 || access.region != identity.msix_bar) return false;
    uint64_t end = access.offset + access.count;
    uint64_t table = identity.msix_table_offset;
    uint64_t pending = identity.msix_pending_offset;
    return (access.offset < table + identity.msix_vectors * 16u && end > table) ||
           (access.offset < pending + (identity.msix_vectors + 63u) / 64u * 8u && end > pending);
}

void Endpoint::read_region(const RegionAccess& access, std::span<std::byte> out) {
    if (access.region == kRegionConfig) {
        config_.read(access.offset, out);
    } else if (!in_msix(access)) {
        device_->bar_read(access.region, access.offset, out);
    }
    // The client keeps the MSI-X table, and what is masked waits in its eventfds, so that the
    // pending bits seen from here are always 0.
}

void Endpoint::write_region(const RegionAccess& access, std::span<const std::byte> bytes) {
    if (access.region == kRegionConfig) {
        if (config_.write(access.offset, bytes)) {
            reset();
        } else {
            set_bus_master(config_.bus_master());
        }
    } else if (!in_msix(access)) {
        device_->bar_write(access.region, access.offset, bytes);
    }
}

void Endpoint::set_bus_master(bool on) {
    if (on == bus_master_) return;
    bus_master_ = on;
    dma_->set_bus_master(on);
    device_->set_bus_master(on);
}

Result<Bytes> Endpoint::region_read(const Message& message) {
    auto request = leading<RegionAccess>(message.payload);
    if (!request) return too_short();
    if (auto checked = check_access(*request); !checked) return checked.error();
    Bytes reply = bytes_of(*request);
    reply.resize(sizeof(RegionAccess) + request->count);
    read_region(*request, std::span(reply).subspan(sizeof(RegionAccess)));
    return reply;
}

Result<Bytes> Endpoint::region_write(const Message& message) {
    auto request = leading<RegionAccess>(message.payload);
    if (!request) return too_short();
    auto data = message.payload.subspan(sizeof(RegionAccess));
    if (data.size() != request->count)
        return Error{EINVAL, "it announces " + decimal(request->count) + " bytes and brings " +
                                 decimal(data.size())};
    if (auto checked = check_access(*request); !checked) return checked.error();
    write_region(*request, data);
    if ((message.header.flags & kFlagNoReply) != 0) {
        posted_writes_ += 1;
        return Bytes();
    }
    return bytes_of(*request);
}

Result<Bytes> Endpoint::region_write_multi(const Message& message) {
    auto count = leading<uint64_t>(message.payload);
    if (!count) return too_short();
    auto writes = message.payload.subspan(sizeof(uint64_t));
    if (*count > kMaximumMultiWrites || writes.size() != *count * sizeof(SingleWrite))
        return Error{EINVAL, "it announces " + decimal(*count) + " writes and brings " +
                                 decimal(writes.size()) + " bytes"};
    // All are checked before the first is carried out.
    for (bool carry_out : {false, true}) {
        for (uint64_t i = 0; i < *count; i++) {
            auto write = *leading<SingleWrite>(writes.subspan(i * sizeof(SingleWrite)));
            RegionAccess access{write.offset, write.region, write.count};
            if (carry_out) {
                write_region(access, std::span<const std::byte>(write.data).first(write.count));
            } else if (write.count > sizeof(write.data)) {
                return Error{EINVAL, "one of its writes has more than 8 bytes"};
            } else if (auto checked = check_access(access); !checked) {
                return checked.error();
            }
        }
    }
    if ((message.header.flags & kFlagNoReply) != 0) posted_writes_ += *count;
    return bytes_of(*count);
}

void Endpoint::reset() {
    config_.reset();
    set_bus_master(false);
    device_->reset();
}

}  // namespace zcrxlab::nic::vfio_user
