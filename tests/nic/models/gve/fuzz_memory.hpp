// What the fuzz targets of the gve model have in common: where a driver keeps what in its memory,
// and admin commands as it makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "nic/models/gve/gve_adminq_layout.hpp"
#include "nic/models/gve/gve_descriptors.hpp"
#include "nic/models/gve/gve_registers.hpp"
#include "tests/fuzz/program.hpp"

namespace zcrxlab::nic::gve {

// Bus addresses.
inline constexpr uint64_t kMemory = 0x100000;
inline constexpr size_t kMemorySize = 0x80000;
inline constexpr uint64_t kAdminQueue = kMemory;
inline constexpr uint16_t kAdminQueueLength = 4096;
inline constexpr uint64_t kCounters = kMemory + 0x1000;
inline constexpr uint64_t kInterruptIndices = kMemory + 0x1100;
inline constexpr uint64_t kQueueResources = kMemory + 0x1400;  // 64 bytes for each of 32
inline constexpr uint64_t kInner = kMemory + 0x2000;           // what a command points to
inline constexpr uint64_t kAnswers = kMemory + 0x3000;
inline constexpr uint32_t kAnswersSize = 0x2000;
inline constexpr uint64_t kRings = kMemory + 0x6000;     // of queue 0, 0x2000 bytes
inline constexpr uint64_t kHeaders = kMemory + 0x10000;  // of queue 0, 0x2000 bytes
inline constexpr uint64_t kFrames = kMemory + 0x20000;   // to be transmitted
inline constexpr uint64_t kBuffers = kMemory + 0x40000;  // of queue 0, 0x20000 bytes
inline constexpr uint16_t kQueues = 2;                   // that have rings of their own
inline constexpr uint16_t kRing = 64;                    // entries of each

struct Rings {
    explicit Rings(uint16_t queue)
        : tx(kRings + queue % kQueues * uint64_t{0x2000}),
          tx_completions(tx + 0x400),
          buffers(tx + 0x800),
          completions(tx + 0x1000) {}

    uint64_t tx, tx_completions, buffers, completions;
};

template <typename T>
Command command(Opcode opcode, const T& body) {
    static_assert(sizeof(T) <= sizeof(Command::body));
    Command out{};
    out.opcode = static_cast<uint32_t>(opcode);
    std::memcpy(out.body, &body, sizeof(body));
    return out;
}

inline Command create_tx_command(uint16_t queue) {
    const Rings rings(queue);
    CreateTxQueue body{};
    body.queue_id = queue;
    body.resources_address = kQueueResources + queue % 32 * uint64_t{64};
    body.ring_address = rings.tx;
    body.page_list_id = kRawAddressing;
    body.notify_id = queue;
    body.completion_ring_address = rings.tx_completions;
    body.ring_size = body.completion_ring_size = kRing;
    return command(Opcode::kCreateTxQueue, body);
}

// Bits of `flags`: 1 joins segments, 2 splits no headers, 4 has buffers of 2048 bytes.
inline Command create_rx_command(uint16_t queue, unsigned flags) {
    const Rings rings(queue);
    CreateRxQueue body{};
    body.queue_id = queue;
    body.notify_id = uint32_t{16} + queue;
    body.resources_address = kQueueResources + (16 + queue) % 32 * uint64_t{64};
    body.completion_ring_address = rings.completions;
    body.buffer_ring_address = rings.buffers;
    body.page_list_id = kRawAddressing;
    body.completion_ring_size = body.buffer_ring_size = kRing;
    body.packet_buffer_size = static_cast<uint16_t>((flags & 4) != 0 ? 2048 : 4096);
    body.header_buffer_size = static_cast<uint16_t>((flags & 2) != 0 ? 0 : 128);
    body.enable_rsc = flags & 1;
    return command(Opcode::kCreateRxQueue, body);
}

inline Command resources_command() {
    ConfigureDeviceResources body{};
    body.counter_array = kCounters;
    body.irq_doorbell_address = kInterruptIndices;
    body.num_counters = 32;
    body.num_irq_doorbells = 32;
    body.irq_doorbell_stride = 4;
    body.queue_format = kFormatDqoRda;
    return command(Opcode::kConfigureDeviceResources, body);
}

// The command of a letter, with its numbers from the program; `store(address, bytes)` puts what it
// points to into memory. Nothing for other letters.
template <typename Store>
std::optional<Command> command_from(char letter, Program& program, Store store) {
    const auto keep = [&](uint64_t address, const auto& object) {
        store(address, std::as_bytes(std::span(&object, 1)));
    };
    switch (letter) {
        case 'd':
            return command(Opcode::kDescribeDevice,
                           DescribeDevice{kAnswers, kDeviceDescriptorVersion, kAnswersSize});
        case 'v': {
            DriverInfo info{};
            info.capabilities[0] = kCapabilityDqoRda;
            keep(kInner, info);
            return command(Opcode::kVerifyDriverCompatibility,
                           VerifyDriverCompatibility{uint64_t{sizeof(info)}, kInner});
        }
        case 'r':
            return resources_command();
        case 'u':
            return command(Opcode::kDeconfigureDeviceResources, DestroyQueue{0U});
        case 't':
            return create_tx_command(program.number());
        case 'x': {
            const uint16_t queue = program.number();
            return create_rx_command(queue, program.number());
        }
        case 'T':
            return command(Opcode::kDestroyTxQueue, DestroyQueue{uint32_t{program.number()}});
        case 'X':
            return command(Opcode::kDestroyRxQueue, DestroyQueue{uint32_t{program.number()}});
        case 'm':
            return command(Opcode::kSetDriverParameter,
                           SetDriverParameter{kParameterMtu, {}, uint64_t{program.wide()}});
        case 's':
            return command(Opcode::kReportStats,
                           ReportStats{uint64_t{program.wide()}, kAnswers + program.number() % 8,
                                       uint64_t{0}});
        case 'l':
            return command(Opcode::kReportLinkSpeed, ReportLinkSpeed{kAnswers});
        case 'p':
            return command(Opcode::kGetPtypeMap, GetPtypeMap{uint64_t{kAnswersSize}, kAnswers});
        case 'f': {  // WHAT LOCATION TYPE QUEUE, for all packets or, if LOCATION is odd, to one
                     // port
            ConfigureFlowRule rule{};
            rule.command = program.number();
            rule.location = program.number();
            rule.rule.type = program.number();
            rule.rule.action = program.number();
            if (rule.location % 2 != 0) {
                rule.rule.key.destination_port = uint16_t{5201};
                rule.rule.mask.destination_port = uint16_t{0xffff};
            }
            keep(kInner, rule);
            return command(Opcode::kExtended,
                           ExtendedCommand{static_cast<uint32_t>(Opcode::kConfigureFlowRule),
                                           uint32_t{sizeof(rule)}, kInner});
        }
        case 'q':  // WHAT FIRST
            return command(Opcode::kQueryFlowRules, QueryFlowRules{uint16_t{program.number()},
                                                                   {},
                                                                   uint32_t{program.number()},
                                                                   uint64_t{kAnswersSize},
                                                                   kAnswers});
        case 'h': {  // QUEUES: the table goes round them
            struct {
                uint8_t key[kRssKeySize];
                Be32 table[kRssTableSize];
            } wanted{};
            const uint32_t queues = program.number() + 1U;
            for (uint32_t i = 0; i < kRssTableSize; ++i) wanted.table[i] = i % queues;
            for (uint32_t i = 0; i < kRssKeySize; ++i) wanted.key[i] = static_cast<uint8_t>(i * 37);
            keep(kInner, wanted);
            return command(Opcode::kConfigureRss,
                           ConfigureRss{kHashTypesDefault, kHashToeplitz, 0, kRssKeySize,
                                        kRssTableSize, kInner, kInner + kRssKeySize});
        }
        case 'k':
            return command(Opcode::kQueryRss, QueryRss{uint64_t{kAnswersSize}, kAnswers});
        case 'c':  // as it comes
            return program.object<Command>();
        default:
            return std::nullopt;
    }
}

}  // namespace zcrxlab::nic::gve
