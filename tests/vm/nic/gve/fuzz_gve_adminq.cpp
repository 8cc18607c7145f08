// Fuzzes the admin queue: commands and the memory that they point to are the input.
//
// The first 64 bytes of each step are a command; memory between is the rest of the input, so that
// inner commands, keys and tables are covered too.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"
#include "vm/nic/gve/gve_device.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::gve;

namespace {

constexpr uint64_t kQueue = 0x1000;
constexpr uint64_t kMemory = 0x10000;
constexpr size_t kMemorySize = 0x40000;
constexpr uint32_t kQueueLength = 4096;

template <typename T>
void write_register(GveDevice& device, uint64_t offset, T value) {
    device.bar_write(kRegisterBar, offset, std::as_bytes(std::span(&value, 1)));
}

// Half of all 64-bit fields shall point into memory, or nothing beyond the checks is ever reached.
void bend_addresses(std::span<uint8_t> body) {
    for (size_t at = 0; at + 8 <= body.size(); at += 8) {
        if ((body[at] & 1) != 0) continue;
        uint64_t address = kMemory + (uint64_t{body[at + 6]} << 8 | body[at + 7]) / 64 * 64;
        if ((body[at] & 2) == 0) continue;
        Be64 bent(address);
        std::memcpy(body.data() + at, &bent, sizeof(bent));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FakeDma dma;
    FakeIrq irq;
    FakeWirePort wire;
    FakeWitness witness;
    dma.add(kQueue, kQueueLength);
    dma.add(kMemory, kMemorySize);
    if (size > 0)
        for (size_t i = 0; i < kMemorySize; ++i)
            dma.range(kMemory)[i] = static_cast<std::byte>(data[(i * 7) % size]);
    GveDevice device({}, dma, irq, wire, witness);
    device.set_bus_master(true);
    write_register(device, offsetof(Registers, adminq_length), Be16(kQueueLength));
    write_register(device, offsetof(Registers, adminq_base_low), Be32(uint32_t{kQueue}));
    write_register(device, offsetof(Registers, driver_status), Be32(kDriverRun));

    uint32_t produced = 0;
    while (size >= 1) {
        Command command{};
        size_t used = std::min(size, sizeof(command));
        std::memcpy(&command, data, used);
        data += used;
        size -= used;
        auto* raw = reinterpret_cast<uint8_t*>(&command);
        if ((raw[0] & 1) == 0) {
            // A known opcode, with the third byte as its number.
            command.opcode = raw[3] % 0x16 == 0x15 ? 0xffu : raw[3] % 0x16;
            bend_addresses(command.body);
        }
        dma.write_object(kQueue + produced % 64 * 64, command);
        ++produced;
        write_register(device, offsetof(Registers, adminq_doorbell), Be32(produced));
    }
    for (uint16_t queue = 0; queue < 17; ++queue) {
        std::byte frame[3000] = {};
        Delivery delivery;
        delivery.bytes = frame;
        delivery.queue = queue;
        delivery.header_length = 66;
        device.deliver(delivery);
    }
    device.end_of_burst();
    device.reset();
    return 0;
}
