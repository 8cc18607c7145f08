// Fuzzes the whole emulated NIC: two devices, the cable between them, the DMA map below each, with
// faults, remapping and resets in any order.
//
// The input is a program. `0` and `1` say which driver acts, and its letters are:
//     i FLAGS            starts the device and two pairs of queues, and posts buffers
//     a LETTER ...       an admin command (fuzz_memory.hpp)
//     t QUEUE OFFLOAD MSS FRAME   transmits a frame; OFFLOAD 1: its checksum, 2: TSO, 4: in small
//                        pieces, 8: without an end, 16: reports the descriptors
//     d QUEUE 16 bytes   a descriptor as it comes;   D QUEUE rings for it
//     b QUEUE COUNT      posts buffers;              B QUEUE ADDRESS one anywhere
//     p QUEUE            reads what was received, and posts as much
//     w SLOT VALUE       a wild doorbell;            g PLACE SIZE VALUE a wild register
//     u PIECE, m PIECE   unmaps and maps 16 KiB of memory
//     f RULE, e          adds a fault rule, removes all
//     n TIME             lets time pass
//     l UP, z HOW        the link, a reset
//
// reaches nic/models/gve/gve_tx.cpp: if (packet_.tso) ++counters.tso_packets;
// reaches nic/models/gve/gve_rx.cpp: if (delivery.rsc_mss != 0) ++counters().rsc;
// reaches nic/models/gve/gve_rx.cpp: ++counters().bad_address;
// reaches 69 % of nic/models/gve/gve_tx.cpp
// reaches 58 % of nic/models/gve/gve_rx.cpp
// reaches 78 % of nic/models/gve/gve_device.cpp
// reaches 70 % of nic/models/gve/gve_notify.cpp
// reaches 60 % of nic/wire/cable.cpp
// reaches 75 % of nic/wire/receiver.cpp
// reaches 50 % of nic/transport/dma_map.cpp
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "nic/models/gve/gve_device.hpp"
#include "nic/physical_witness.hpp"
#include "nic/transport/dma_map.hpp"
#include "nic/wire/cable.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/nic/models/gve/fuzz_memory.hpp"
#include "tests/nic/wire/fuzz_wire.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::gve;

namespace {

constexpr uint64_t kPiece = 0x4000;  // that is mapped and unmapped
constexpr size_t kFramesSize = kBuffers - kFrames;

void must(bool holds) {
    if (!holds) std::abort();
}

// A guest's memory: one for each driver, in use again for every input.
struct Memory {
    Memory() : file(::memfd_create("guest", MFD_CLOEXEC)) {
        must(::ftruncate(file.get(), kMemorySize) == 0);
        mapping = Mapping::map(kMemorySize, PROT_READ | PROT_WRITE, MAP_SHARED, file.get()).value();
    }

    Fd file;
    Mapping mapping;
};

// A driver and its device.
class Machine {
  public:
    Machine(Memory& memory, Cable& cable, unsigned port)
        : memory_(memory),
          witness_(cable.witness(port), dma_),
          device_(GveConfig{.log = [](std::string_view) {}}, dma_, irq_, cable.port(port),
                  witness_) {
        std::memset(memory_.mapping.data(), 0, kMemorySize);
        for (unsigned piece = 0; piece < kMemorySize / kPiece; ++piece) map(piece);
        bus_master(true);
        cable.attach(port, &device_);
    }

    void start() {
        produced_ = 0;
        for (Queue& queue : queues_) queue = {};
        // Without what an earlier start left in them, which would look like new.
        std::memset(at_address(kRings), 0, kHeaders - kRings);
        write_register(offsetof(Registers, adminq_length), Be16(kAdminQueueLength));
        write_register(offsetof(Registers, adminq_base_low), Be32(uint32_t{kAdminQueue}));
        write_register(offsetof(Registers, driver_status), Be32(kDriverRun));
    }
    void start_all(unsigned flags) {
        start();
        execute(resources_command());
        for (uint16_t id = 0; id < kQueues; ++id) {
            execute(create_tx_command(id));
            execute(create_rx_command(id, flags));
            post(id, 48);
        }
        for (uint32_t block = 0; block < 32; ++block) doorbell(block, kInterruptEnable);
    }
    void admin(Program& program) {
        const char letter = program.letter();
        if (letter == 'S') start();
        auto command =
            command_from(letter, program, [&](uint64_t at, std::span<const std::byte> bytes) {
                std::memcpy(at_address(at), bytes.data(), bytes.size());
            });
        if (command) execute(*command);
    }

    void transmit(Program& program) {
        Queue& queue = queues_[program.number() % kQueues];
        const unsigned offload = program.number();
        const uint16_t mss = static_cast<uint16_t>(program.number() * 16);
        const BuiltFrame frame = frame_from(program, sequence_);
        sequence_ += static_cast<uint32_t>(frame.bytes.size() - frame.payload);
        const auto id = static_cast<uint16_t>(&queue - queues_);
        const size_t length = std::min(frame.bytes.size(), kFramesSize);
        std::memcpy(at_address(kFrames), frame.bytes.data(), length);
        if ((offload & 2) != 0) {
            TxTsoContext context{};
            const size_t payload = frame.bytes.size() - frame.payload;
            for (unsigned i = 0; i < 3; ++i)
                context.total_length[i] = static_cast<uint8_t>(payload >> 8 * i);
            context.mss = mss;
            context.header_length = static_cast<uint8_t>(frame.payload);
            context.type_flags = kTxTypeTsoContext | TxTsoContext::kTso;
            put(id, context);
        }
        const size_t most = (offload & 4) != 0 ? 1000 : TxPacketDescriptor::kSizeMask;
        for (size_t at = 0; at < length; at += most) {
            TxPacketDescriptor descriptor{};
            descriptor.address = kFrames + at;
            descriptor.type_flags = kTxTypePacket;
            if ((offload & 1) != 0) descriptor.type_flags |= TxPacketDescriptor::kChecksum;
            if (at + most >= length && (offload & 8) == 0)
                descriptor.type_flags |= TxPacketDescriptor::kEndOfPacket;
            if ((offload & 16) != 0) descriptor.type_flags |= TxPacketDescriptor::kReportEvent;
            descriptor.tag = static_cast<uint16_t>(queue.tx_tail);
            descriptor.size = static_cast<uint16_t>(std::min(most, length - at));
            put(id, descriptor);
        }
        ring(id);
    }
    template <typename T>
    void put(uint16_t id, const T& descriptor) {
        static_assert(sizeof(T) == sizeof(TxDescriptor));
        Queue& queue = queues_[id % kQueues];
        std::memcpy(at_address(Rings(id).tx + queue.tx_tail * sizeof(T)), &descriptor, sizeof(T));
        queue.tx_tail = (queue.tx_tail + 1) % kRing;
    }
    void ring(uint16_t id) { doorbell(kTxDoorbells + id % kQueues, queues_[id % kQueues].tx_tail); }

    void post(uint16_t id, unsigned count) {
        Queue& queue = queues_[id % kQueues];
        for (; count > 0 && queue.posted < kRing - 1; --count)
            post_at(id, kBuffers + id % kQueues * uint64_t{0x20000} +
                            queue.rx_tail % 32 * uint64_t{4096});
        doorbell(kRxDoorbells + id % kQueues, queue.rx_tail);
    }
    void post_at(uint16_t id, uint64_t address) {
        Queue& queue = queues_[id % kQueues];
        RxBufferDescriptor descriptor{};
        descriptor.buffer_id = static_cast<uint16_t>(queue.rx_tail);
        descriptor.address = address;
        descriptor.header_address =
            kHeaders + id % kQueues * uint64_t{0x2000} + queue.rx_tail * uint64_t{128};
        std::memcpy(at_address(Rings(id).buffers + queue.rx_tail * sizeof(descriptor)), &descriptor,
                    sizeof(descriptor));
        queue.rx_tail = (queue.rx_tail + 1) % kRing;
        ++queue.posted;
    }
    // Completions are of buffers that were posted, and as long as these at most; as long as the
    // driver rang no wild doorbell and took no ring away, there are no more of them either.
    void poll(uint16_t id) {
        Queue& queue = queues_[id % kQueues];
        unsigned count = 0;
        for (; count < kRing; ++count) {
            RxCompletion completion;
            std::memcpy(&completion,
                        at_address(Rings(id).completions + queue.head * sizeof(completion)),
                        sizeof(completion));
            const bool turned = (completion.length_generation & RxCompletion::kGeneration) != 0;
            if (turned == queue.generation) break;
            queue.head = (queue.head + 1) % kRing;
            if (queue.head == 0) queue.generation = !queue.generation;
            must(!tame_ || completion.buffer_id < kRing);
            must(!tame_ || (completion.length_generation & RxCompletion::kLengthMask) <= 4096);
            must(!tame_ || queue.posted > 0);
            if (queue.posted > 0) --queue.posted;
        }
        post(id, count);
    }

    void doorbell(uint32_t slot, uint32_t value) {
        Le32 out(value);
        device_.bar_write(kDoorbellBar, uint64_t{slot % 1024} * 4,
                          std::as_bytes(std::span(&out, 1)));
    }
    void wild_doorbell(uint32_t slot, uint32_t value) {
        tame_ = false;
        doorbell(slot, value);
    }
    void wild_register(uint64_t place, size_t size, uint64_t value) {
        tame_ = false;
        device_.bar_write(place % 4, place / 4 % kBarSize,
                          std::as_bytes(std::span(&value, 1)).first(size_t{1} << size % 4));
        std::byte out[8];
        device_.bar_read(place % 4, place / 4 % kBarSize, out);
    }

    void map(unsigned piece) {
        const uint64_t at = piece % (kMemorySize / kPiece) * kPiece;
        (void)dma_.map(kMemory + at, kPiece, at, {true, true}, Fd(::dup(memory_.file.get())));
    }
    void unmap(unsigned piece) {
        tame_ = false;
        must(dma_.unmap(kMemory + piece % (kMemorySize / kPiece) * kPiece, kPiece).ok());
    }
    void bus_master(bool on) {
        dma_.set_bus_master(on);
        device_.set_bus_master(on);
    }
    void reset(unsigned how) {
        tame_ = false;
        switch (how % 4) {
            case 0:
                device_.reset();
                bus_master(true);
                break;
            case 1:
                write_register(offsetof(Registers, driver_status), Be32(kDriverReset));
                break;
            case 2:
                bus_master(false);
                break;
            default:
                bus_master(true);
                break;
        }
    }

    // After a function reset it touches neither memory nor interrupts.
    void check_reset(Cable& cable) {
        device_.reset();
        dma_.set_bus_master(false);
        const uint64_t refused = dma_.refused();
        irq_.raised.clear();
        cable.run();
        device_.end_of_burst();
        must(dma_.refused() == refused && irq_.raised.empty());
    }

  private:
    struct Queue {
        uint32_t tx_tail = 0;
        uint32_t rx_tail = 0;
        uint32_t posted = 0;
        uint32_t head = 0;  // next completion to look at
        bool generation = false;
    };

    template <typename T>
    void write_register(uint64_t offset, T value) {
        device_.bar_write(kRegisterBar, offset, std::as_bytes(std::span(&value, 1)));
    }
    void execute(Command command) {
        std::memcpy(at_address(kAdminQueue + produced_ % 64 * sizeof(command)), &command,
                    sizeof(command));
        write_register(offsetof(Registers, adminq_doorbell), Be32(++produced_));
        // Behind start_all()'s own, a command may make rings that begin anew without our knowing.
        if (produced_ > 5) tame_ = false;
    }
    std::byte* at_address(uint64_t address) { return memory_.mapping.data() + (address - kMemory); }

    Memory& memory_;
    vfio_user::DmaMap dma_;
    FakeIrq irq_;
    PhysicalWitness witness_;
    GveDevice device_;
    Queue queues_[kQueues];
    uint32_t produced_ = 0;
    uint32_t sequence_ = 1000;
    bool tame_ = true;  // the driver did nothing wild so far
};

uint64_t value_of(const std::vector<std::pair<std::string, uint64_t>>& counters,
                  std::string_view name) {
    for (const auto& [key, value] : counters)
        if (key == name) return value;
    std::abort();
}

// What one part of the NIC counts, the other one does.
void check_counters(const Cable& cable, unsigned port) {
    const auto counters = cable.counters(port);
    must(value_of(counters, "wire_rx_packets") == value_of(counters, "rx_packets"));
    must(value_of(counters, "wire_tx_frames") == value_of(counters, "tx_packets"));
    must(value_of(counters, "rx_packets") <= value_of(counters, "rx_buffers"));
    must(value_of(counters, "rx_split") <= value_of(counters, "rx_packets"));
    must(value_of(counters, "admin_refused") <= value_of(counters, "admin_commands"));
    for (const char* queue : {"rx0_posted", "rx1_posted"}) must(value_of(counters, queue) < kRing);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Memory memories[2];
    Program program(data, size);
    uint64_t now = 0;
    Cable cable({[&] { return now; }, nullptr, [](const WireEvent&) {}, 256});
    Machine machines[2] = {{memories[0], cable, 0}, {memories[1], cable, 1}};
    unsigned port = 0;
    while (const char letter = program.letter()) {
        Machine& machine = machines[port];
        switch (letter) {
            case '0':
            case '1':
                port = letter == '1' ? 1 : 0;
                break;
            case 'i':
                machine.start_all(program.number());
                break;
            case 'a':
                machine.admin(program);
                break;
            case 't':
                machine.transmit(program);
                break;
            case 'd': {
                const uint16_t queue = program.number();
                machine.put(queue, program.object<TxDescriptor>());
                break;
            }
            case 'D':
                machine.ring(program.number());
                break;
            case 'b': {
                const uint16_t queue = program.number();
                machine.post(queue, program.number());
                break;
            }
            case 'B': {
                const uint16_t queue = program.number();
                machine.post_at(queue, uint64_t{program.wide()} * 4096);
                machine.post(queue, 0);
                break;
            }
            case 'p':
                machine.poll(program.number());
                break;
            case 'w': {
                const uint16_t slot = program.wide();
                machine.wild_doorbell(slot, program.wide());
                break;
            }
            case 'g': {
                const uint16_t place = program.wide();
                const uint8_t bytes = program.number();
                machine.wild_register(place, bytes, program.wide());
                break;
            }
            case 'u':
                machine.unmap(program.number());
                break;
            case 'm':
                machine.map(program.number());
                break;
            case 'f':
                (void)cable.faults().add(rule_from(program, port)).ok();
                break;
            case 'e':
                cable.faults().clear();
                break;
            case 'n':  // in 16 ms
                now += program.number() * uint64_t{16'000'000};
                cable.run();
                break;
            case 'l':
                cable.set_link(port, (program.number() & 1) != 0);
                break;
            case 'z':
                if (const uint8_t how = program.number(); how == 4) {
                    cable.request_reset(port);
                    (void)cable.die(port);
                } else {
                    machine.reset(how);
                }
                break;
            default:
                break;
        }
    }
    now += 1'000'000'000'000;
    cable.run();
    for (const DmaLogEntry& entry : cable.log().extract(0, 256).entries)
        must(entry.address >= kMemory && entry.length <= kMemory + kMemorySize - entry.address);
    for (unsigned of : {0U, 1U}) check_counters(cable, of);
    for (Machine& machine : machines) machine.check_reset(cable);
    return 0;
}
