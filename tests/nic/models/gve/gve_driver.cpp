// GveDriver: the driver's side of a gve NIC for tests.
#include "tests/nic/models/gve/gve_driver.hpp"

#include <gtest/gtest.h>

namespace zcrxlab::nic::gve {
namespace {

constexpr uint32_t kStride = 64;

}  // namespace

GveDriver::GveDriver(GveConfig with) : config(std::move(with)) {
    config.log = [this](std::string_view sentence) { log.emplace_back(sentence); };
    config.forbidden = [this](Forbidden asked) { forbidden.push_back(std::move(asked)); };
    device = std::make_unique<GveDevice>(config, dma, irq, wire, witness);
    device->set_bus_master(true);
}

uint64_t GveDriver::allocate(size_t size, bool writable) {
    uint64_t address = next_address_;
    // A hole behind each range, so that one byte too many is noticed.
    next_address_ += (size + 0x1fff) & ~uint64_t{0xfff};
    dma.add(address, size, writable);
    return address;
}

std::vector<std::byte> GveDriver::memory(uint64_t address, size_t size) {
    std::vector<std::byte> out(size);
    EXPECT_TRUE(dma.read(address, out)) << "no memory at " << std::hex << address;
    return out;
}

uint32_t GveDriver::read_register(uint64_t offset) {
    Be32 value;
    device->bar_read(kRegisterBar, offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

void GveDriver::write_register(uint64_t offset, uint32_t value) {
    Be32 out(value);
    device->bar_write(kRegisterBar, offset, std::as_bytes(std::span(&out, 1)));
}

void GveDriver::write_register16(uint64_t offset, uint16_t value) {
    Be16 out(value);
    device->bar_write(kRegisterBar, offset, std::as_bytes(std::span(&out, 1)));
}

void GveDriver::ring_doorbell(uint32_t slot, uint32_t value) {
    Le32 out(value);
    device->bar_write(kDoorbellBar, uint64_t{slot} * 4, std::as_bytes(std::span(&out, 1)));
}

bool GveDriver::status_has(uint32_t bit) {
    return (read_register(offsetof(Registers, device_status)) & bit) != 0;
}

void GveDriver::run() {
    adminq = allocate(kAdminqLength);
    produced = 0;
    write_register16(offsetof(Registers, adminq_length), kAdminqLength);
    write_register(offsetof(Registers, adminq_base_high), static_cast<uint32_t>(adminq >> 32));
    write_register(offsetof(Registers, adminq_base_low), static_cast<uint32_t>(adminq));
    write_register(offsetof(Registers, driver_status), kDriverRun);
}

void GveDriver::driver_reset() {
    write_register(offsetof(Registers, driver_status), kDriverReset);
}

Status GveDriver::execute(const Command& command) {
    uint64_t slot = adminq + produced % (kAdminqLength / sizeof(Command)) * sizeof(Command);
    store(slot, command);
    ++produced;
    write_register(offsetof(Registers, adminq_doorbell), produced);
    EXPECT_EQ(read_register(offsetof(Registers, adminq_event_counter)), produced);
    return static_cast<Status>(load<Command>(slot).status.get());
}

ConfigureDeviceResources GveDriver::resources_command() {
    uint32_t counters = config.max_tx_queues + config.max_rx_queues;
    blocks = counters;
    counter_array = allocate(counters * 4);
    irq_indices = allocate(blocks * kStride);
    ConfigureDeviceResources out{};
    out.counter_array = counter_array;
    out.irq_doorbell_address = irq_indices;
    out.num_counters = counters;
    out.num_irq_doorbells = blocks;
    out.irq_doorbell_stride = kStride;
    out.queue_format = kFormatDqoRda;
    return out;
}

CreateTxQueue GveDriver::create_tx_command(uint16_t id, uint16_t ring) {
    CreateTxQueue out{};
    out.queue_id = id;
    out.resources_address = allocate(64);
    out.ring_address = allocate(ring * sizeof(TxDescriptor));
    out.page_list_id = kRawAddressing;
    out.notify_id = id;
    out.completion_ring_address = allocate(ring * sizeof(TxCompletion));
    out.ring_size = ring;
    out.completion_ring_size = ring;
    return out;
}

CreateRxQueue GveDriver::create_rx_command(uint16_t id, const DriverOptions& options) {
    CreateRxQueue out{};
    out.queue_id = id;
    out.notify_id = blocks / 2 + id;
    out.resources_address = allocate(64);
    out.completion_ring_address = allocate(options.ring * sizeof(RxCompletion));
    out.buffer_ring_address = allocate(options.ring * sizeof(RxBufferDescriptor));
    out.page_list_id = kRawAddressing;
    out.completion_ring_size = options.ring;
    out.packet_buffer_size = options.buffer_size;
    out.buffer_ring_size = options.ring;
    out.enable_rsc = options.rsc ? 1 : 0;
    out.header_buffer_size = options.header_split ? config.header_buffer_size : uint16_t{0};
    return out;
}

Status GveDriver::add_rule(uint32_t location, const FlowRuleLayout& rule) {
    uint64_t inner = allocate(sizeof(ConfigureFlowRule));
    ConfigureFlowRule add{};
    add.command = static_cast<uint16_t>(FlowRuleCommand::kAdd);
    add.rule = rule;
    add.location = location;
    store(inner, add);
    return command(Opcode::kExtended,
                   ExtendedCommand{static_cast<uint32_t>(Opcode::kConfigureFlowRule),
                                   uint32_t{sizeof(ConfigureFlowRule)}, inner});
}

void GveDriver::configure() {
    run();
    ASSERT_EQ(command(Opcode::kConfigureDeviceResources, resources_command()), Status::kPassed);
}

void GveDriver::bring_up(const DriverOptions& options) {
    configure();
    for (uint16_t id = 0; id < options.queues; ++id) create_tx(id, options.ring);
    for (uint16_t id = 0; id < options.queues; ++id) {
        DriverRx& queue = create_rx(id, options);
        if (options.post) post_all(queue);
    }
    for (uint32_t block = 0; block < blocks; ++block) arm(static_cast<uint16_t>(block));
    irq.raised.clear();
    dma.log.clear();
}

DriverTx& GveDriver::create_tx(uint16_t id, uint16_t ring) {
    CreateTxQueue create = create_tx_command(id, ring);
    EXPECT_EQ(command(Opcode::kCreateTxQueue, create), Status::kPassed);
    DriverTx& queue = tx_[id];
    queue = {};
    queue.id = id;
    queue.size = ring;
    queue.block = id;
    queue.ring = create.ring_address;
    queue.completion_ring = create.completion_ring_address;
    queue.resources = create.resources_address;
    auto told = load<QueueResources>(queue.resources);
    queue.doorbell = told.doorbell_index;
    queue.counter = told.counter_index;
    return queue;
}

DriverRx& GveDriver::create_rx(uint16_t id, const DriverOptions& options) {
    CreateRxQueue create = create_rx_command(id, options);
    EXPECT_EQ(command(Opcode::kCreateRxQueue, create), Status::kPassed);
    DriverRx& queue = rx_[id];
    queue = {};
    queue.id = id;
    queue.size = options.ring;
    queue.buffer_size = options.buffer_size;
    queue.header_size = create.header_buffer_size;
    queue.block = static_cast<uint16_t>(create.notify_id.get());
    queue.buffer_ring = create.buffer_ring_address;
    queue.completion_ring = create.completion_ring_address;
    queue.resources = create.resources_address;
    queue.buffers = allocate(size_t{queue.size} * queue.buffer_size);
    if (queue.header_size != 0) queue.headers = allocate(size_t{queue.size} * queue.header_size);
    queue.doorbell = load<QueueResources>(queue.resources).doorbell_index;
    return queue;
}

void GveDriver::post(DriverRx& queue, uint32_t count, bool ring_always) {
    for (uint32_t i = 0; i < count && queue.in_flight < queue.size - 1; ++i) {
        RxBufferDescriptor descriptor{};
        descriptor.buffer_id = static_cast<uint16_t>(queue.next_id);
        descriptor.address = queue.buffer_address(static_cast<uint16_t>(queue.next_id));
        if (queue.header_size != 0)
            descriptor.header_address = queue.header_address(static_cast<uint16_t>(queue.next_id));
        store(queue.buffer_ring + queue.tail * sizeof(descriptor), descriptor);
        queue.next_id = (queue.next_id + 1) % queue.size;
        queue.tail = (queue.tail + 1) % queue.size;
        ++queue.in_flight;
        if (queue.tail % 32 == 0) ring_doorbell(queue.doorbell, queue.tail);
    }
    if (ring_always) ring_doorbell(queue.doorbell, queue.tail);
}

std::vector<ReceivedPacket> GveDriver::poll(DriverRx& queue) {
    std::vector<ReceivedPacket> out;
    ReceivedPacket packet;
    for (;;) {
        auto completion =
            load<RxCompletion>(queue.completion_ring + queue.head * sizeof(RxCompletion));
        bool ready = (completion.length_generation & RxCompletion::kGeneration) != 0;
        if (ready == (queue.generation != 0)) break;
        queue.head = (queue.head + 1) % queue.size;
        if (queue.head == 0) queue.generation ^= 1;
        --queue.in_flight;
        uint16_t length = completion.length_generation & RxCompletion::kLengthMask;
        uint16_t header = completion.header & RxCompletion::kHeaderLengthMask;
        EXPECT_LT(completion.buffer_id, queue.size);
        EXPECT_EQ(completion.descriptor_id, RxCompletion::kDescriptorId);
        EXPECT_NE(completion.status & RxCompletion::kDone, 0);
        if (header != 0) packet.header = memory(queue.header_address(completion.buffer_id), header);
        auto bytes = memory(queue.buffer_address(completion.buffer_id), length);
        packet.payload.insert(packet.payload.end(), bytes.begin(), bytes.end());
        packet.completions.push_back(completion);
        if ((completion.status & RxCompletion::kEndOfPacket) != 0)
            out.push_back(std::exchange(packet, {}));
    }
    EXPECT_TRUE(packet.completions.empty()) << "a packet without an end";
    return out;
}

void GveDriver::put(DriverTx& queue, const TxDescriptor& descriptor) {
    store(queue.ring + queue.tail * sizeof(descriptor), descriptor);
    queue.tail = (queue.tail + 1) % queue.size;
}

void GveDriver::put_frame(DriverTx& queue, std::span<const std::byte> frame, uint16_t tag,
                          size_t piece, bool checksum, bool report) {
    TxDescriptor context{};
    context.bytes[8] = kTxTypeGeneralContext;
    put(queue, context);
    while (!frame.empty()) {
        auto bytes = frame.first(std::min(piece, frame.size()));
        frame = frame.subspan(bytes.size());
        TxPacketDescriptor descriptor{};
        descriptor.address = allocate(bytes.size());
        fill(descriptor.address, bytes);
        descriptor.type_flags = kTxTypePacket;
        if (checksum) descriptor.type_flags |= TxPacketDescriptor::kChecksum;
        if (frame.empty()) {
            descriptor.type_flags |= TxPacketDescriptor::kEndOfPacket;
            if (report) descriptor.type_flags |= TxPacketDescriptor::kReportEvent;
        }
        descriptor.tag = tag;
        descriptor.size = static_cast<uint16_t>(bytes.size());
        put(queue, descriptor);
    }
}

std::vector<TxCompletion> GveDriver::poll(DriverTx& queue) {
    std::vector<TxCompletion> out;
    for (;;) {
        auto completion =
            load<TxCompletion>(queue.completion_ring + queue.head * sizeof(TxCompletion));
        bool ready = (completion.id_type_generation & TxCompletion::kGeneration) != 0;
        if (ready == (queue.generation != 0)) break;
        EXPECT_EQ(completion.id_type_generation & TxCompletion::kIdMask, queue.id);
        queue.head = (queue.head + 1) % queue.size;
        if (queue.head == 0) queue.generation ^= 1;
        out.push_back(completion);
    }
    return out;
}

uint64_t GveDriver::counter(const std::string& name) const {
    for (const auto& [key, value] : device->counters())
        if (key == name) return value;
    ADD_FAILURE() << "no counter " << name;
    return 0;
}

std::vector<std::byte> pattern(size_t count, uint32_t seed) {
    std::vector<std::byte> out(count);
    uint32_t state = seed * 2654435761u + 12345;
    for (std::byte& byte : out) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<std::byte>(state >> 24);
    }
    return out;
}

Delivery tcp_delivery(std::span<const std::byte> bytes, uint16_t queue) {
    Delivery out;
    out.bytes = bytes;
    out.packet = 1;
    out.queue = queue;
    out.header_length = kHeaders;
    out.payload_offset = kHeaders;
    out.l3 = L3::kIpv4;
    out.l4 = L4::kTcp;
    out.ip_checksum = ChecksumState::kGood;
    out.l4_checksum = ChecksumState::kGood;
    out.rss_type = RssType::kTcp4;
    out.rss_hash = 0x12345678;
    return out;
}

}  // namespace zcrxlab::nic::gve
