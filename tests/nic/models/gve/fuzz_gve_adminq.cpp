// Fuzzes the admin queue: commands and the memory that they point to are the input.
//
// Every 64 bytes of the input are a command, and the whole input, repeated, is the memory that
// commands point to, so that inner commands, keys and tables are covered too.
#include <algorithm>
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
constexpr uint64_t kMemory = 0x10000;
constexpr size_t kMemorySize = 0x4000;
constexpr uint32_t kQueueLength = 4096;

template <typename T>
void write_register(GveDevice& device, uint64_t offset, T value) {
    device.bar_write(kRegisterBar, offset, std::as_bytes(std::span(&value, 1)));
}

// Leads every 64-bit field whose first byte says so into memory, or little beyond the checks of
// addresses would ever be reached.
void bend_addresses(std::span<uint8_t> body) {
    for (size_t at = 0; at + 8 <= body.size(); at += 8) {
        if (body[at] != 0xff) continue;
        Be64 bent(kMemory + size_t{body[at + 7]} * 64);
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
    std::byte* memory = dma.range(kMemory).data();
    for (size_t at = 0; size > 0 && at < kMemorySize; at += size)
        std::memcpy(memory + at, data, std::min(size, kMemorySize - at));
    GveDevice device({}, dma, irq, wire, witness);
    device.set_bus_master(true);
    write_register(device, offsetof(Registers, adminq_length), Be16(kQueueLength));
    write_register(device, offsetof(Registers, adminq_base_low), Be32(uint32_t{kQueue}));
    write_register(device, offsetof(Registers, driver_status), Be32(kDriverRun));

    uint32_t produced = 0;
    while (size > 0) {
        Command command{};
        size_t used = std::min(size, sizeof(command));
        std::memcpy(&command, data, used);
        data += used;
        size -= used;
        // Small numbers are opcodes of this device, so that few bytes are wasted on others.
        uint32_t opcode = command.opcode;
        if (opcode >> 24 == 0) command.opcode = opcode % 0x14 == 0 ? 0xff : opcode % 0x14;
        bend_addresses(command.body);
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
