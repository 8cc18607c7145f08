// Fuzzes the rings: random descriptors in memory, random doorbells, deliveries and resets.
//
// reaches 67 % of nic/models/gve/gve_tx.cpp
// reaches 58 % of nic/models/gve/gve_rx.cpp
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "nic/models/gve/gve_device.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::gve;

namespace {

constexpr uint64_t kQueue = 0x1000;
constexpr uint64_t kTxRing = 0x10000, kTxCompletions = 0x20000;
constexpr uint64_t kBufferRing = 0x30000, kRxCompletions = 0x40000;
constexpr uint64_t kResources = 0x50000;
constexpr uint64_t kBuffers = 0x100000;
constexpr uint16_t kRing = 64;

// A wire that checks what every wire relies on.
class CheckingPort : public WirePort {
  public:
    void transmit(Outgoing&& frame) override {
        if (frame.bytes.size() < 14 || frame.bytes.size() > kMaximumFrame) __builtin_trap();
        if (frame.mss != 0 && frame.mss < kTxMinimumMss) __builtin_trap();
    }
    void flush() override {}
    void set_receive(const ReceiveSettings& settings) override {
        if (settings.queues > kQueueLimit) __builtin_trap();
    }
};

template <typename T>
void write_register(GveDevice& device, uint64_t offset, T value) {
    device.bar_write(kRegisterBar, offset, std::as_bytes(std::span(&value, 1)));
}

void doorbell(GveDevice& device, uint32_t slot, uint32_t value) {
    Le32 out(value);
    device.bar_write(kDoorbellBar, uint64_t{slot % 1024} * 4, std::as_bytes(std::span(&out, 1)));
}

class Input {
  public:
    Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
    bool empty() const { return size_ == 0; }
    uint8_t byte() {
        if (size_ == 0) return 0;
        --size_;
        return *data_++;
    }
    uint32_t word() {
        uint32_t out = 0;
        for (int i = 0; i < 4; ++i) out = out << 8 | byte();
        return out;
    }

  private:
    const uint8_t* data_;
    size_t size_;
};

template <typename T>
void admin(GveDevice& device, FakeDma& dma, uint32_t& produced, Opcode opcode, const T& body) {
    Command command{};
    command.opcode = static_cast<uint32_t>(opcode);
    std::memcpy(command.body, &body, sizeof(body));
    dma.write_object(kQueue + produced % 64 * 64, command);
    write_register(device, offsetof(Registers, adminq_doorbell), Be32(++produced));
}

void set_up(GveDevice& device, FakeDma& dma, uint16_t header_size, uint16_t buffer_size) {
    uint32_t produced = 0;
    write_register(device, offsetof(Registers, adminq_length), Be16(uint16_t{4096}));
    write_register(device, offsetof(Registers, adminq_base_low), Be32(uint32_t{kQueue}));
    write_register(device, offsetof(Registers, driver_status), Be32(kDriverRun));
    ConfigureDeviceResources resources{};
    resources.counter_array = kResources;
    resources.irq_doorbell_address = kResources + 0x100;
    resources.num_counters = 32;
    resources.num_irq_doorbells = 32;
    resources.irq_doorbell_stride = 4;
    resources.queue_format = kFormatDqoRda;
    admin(device, dma, produced, Opcode::kConfigureDeviceResources, resources);
    CreateTxQueue tx{};
    tx.resources_address = kResources + 0x200;
    tx.ring_address = kTxRing;
    tx.page_list_id = kRawAddressing;
    tx.completion_ring_address = kTxCompletions;
    tx.ring_size = tx.completion_ring_size = kRing;
    admin(device, dma, produced, Opcode::kCreateTxQueue, tx);
    CreateRxQueue rx{};
    rx.notify_id = 16;
    rx.resources_address = kResources + 0x240;
    rx.completion_ring_address = kRxCompletions;
    rx.buffer_ring_address = kBufferRing;
    rx.page_list_id = kRawAddressing;
    rx.completion_ring_size = rx.buffer_ring_size = kRing;
    rx.packet_buffer_size = buffer_size;
    rx.header_buffer_size = header_size;
    admin(device, dma, produced, Opcode::kCreateRxQueue, rx);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    FakeDma dma;
    FakeIrq irq;
    CheckingPort wire;
    FakeWitness witness;
    dma.add(kQueue, 4096);
    dma.add(kTxRing, kRing * sizeof(TxDescriptor));
    dma.add(kTxCompletions, kRing * sizeof(TxCompletion));
    dma.add(kBufferRing, kRing * sizeof(RxBufferDescriptor));
    dma.add(kRxCompletions, kRing * sizeof(RxCompletion));
    dma.add(kResources, 4096);
    dma.add(kBuffers, 0x10000);
    GveDevice device({}, dma, irq, wire, witness);
    device.set_bus_master(true);
    uint8_t shape = input.byte();
    set_up(device, dma, (shape & 1) != 0 ? 128 : 0, (shape & 2) != 0 ? 4096 : 2048);

    static const std::vector<std::byte> frame(300000);
    while (!input.empty()) {
        switch (input.byte() % 8) {
            case 0: {  // descriptors as they come
                TxDescriptor descriptor;
                for (uint8_t& byte : descriptor.bytes) byte = input.byte();
                dma.write_object(kTxRing + input.byte() % kRing * sizeof(descriptor), descriptor);
                break;
            }
            case 1: {  // a packet descriptor that leads somewhere
                TxPacketDescriptor descriptor{};
                descriptor.address = kBuffers + input.byte() * 64;
                descriptor.type_flags = kTxTypePacket | (input.byte() & 0xe0);
                descriptor.size = static_cast<uint16_t>(input.word());
                dma.write_object(kTxRing + input.byte() % kRing * sizeof(descriptor), descriptor);
                break;
            }
            case 2: {
                RxBufferDescriptor descriptor{};
                descriptor.buffer_id = static_cast<uint16_t>(input.word());
                descriptor.address = kBuffers + input.word() % 0x12000;
                descriptor.header_address = kBuffers + input.word() % 0x12000;
                dma.write_object(kBufferRing + input.byte() % kRing * sizeof(descriptor),
                                 descriptor);
                break;
            }
            case 3:
                doorbell(device, kTxDoorbells, input.byte() % (kRing + 2));
                break;
            case 4:
                doorbell(device, kRxDoorbells, input.byte() % (kRing + 2));
                break;
            case 5:
                doorbell(device, input.word(), input.word());
                break;
            case 6: {
                Delivery delivery;
                delivery.bytes = std::span(frame).first(input.word() % frame.size());
                const uint8_t where = input.byte();
                delivery.queue = where % 2;
                delivery.rest = static_cast<Rest>((where >> 1) % 3);
                delivery.header_length = static_cast<uint16_t>(input.byte() * 4);
                delivery.payload_offset = static_cast<uint16_t>(input.byte() * 4);
                delivery.rsc_mss = input.byte();
                device.deliver(delivery);
                break;
            }
            default:
                device.end_of_burst();
                device.set_link((input.byte() & 7) != 0);
                break;
        }
    }
    device.reset();
    return 0;
}
