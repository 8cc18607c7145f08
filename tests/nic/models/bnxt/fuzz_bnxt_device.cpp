// Fuzzes the whole device: requests as a driver makes them, and with any byte of them changed;
// doorbells, frames to be sent, frames that arrive.
//
// The input is a program. Its letters are:
//   u PLACE       a queue comes up: notifications, completions, transmit, receive, aggregation
//   v             a VNIC for queue 0, its table, its placement
//   c ROW         a command of the table, without anything; C WIDE one of this type
//   ! PLACE VALUE changes a byte of the next request; ? PLACE VALUE one of the RSS table
//   s WIDE        the next request lies in memory, of this size
//   f TYPE RING   frees a ring
//   n PLACE       a filter of addresses and a rule for VNIC 1; N RULE frees a rule
//   m VNIC WIDE   a VNIC's MRU;   J VNIC LIMIT  it joins segments
//   p COUNT       posts buffers; t FLAGS COUNT a frame to be sent; d SIZE QUEUE one arrives;
//   j SIZE MSS    joined segments arrive; k SIZE one of which the end comes with the next;
//                 o SIZE MSS one that the next overtakes
//   r RULE        the next one that arrives is a rule's; b BUFFER a buffer of it fails;
//                 h its headers do
//   T VNIC        a VNIC takes tags off frames, and those that arrive have one from here on;
//                 F of another protocol
//   g TYPE RING WIDE  a doorbell; w WIDE a register; l the link changes; R a reset
//
// reaches nic/models/bnxt/datapath/bnxt_rx_completions.cpp: flags |= RxCompletion::kPlacementSplit;
// reaches nic/models/bnxt/datapath/bnxt_rx_completions.cpp: ++counters(*first.ring).unfinished;
// reaches nic/models/bnxt/datapath/bnxt_rx.cpp: ++count.buffer_errors;
// reaches nic/models/bnxt/datapath/bnxt_rx.cpp: if (*offset >= kTagEnd) *offset -= sizeof(VlanTag);
// reaches 60 % of nic/models/bnxt/datapath/bnxt_rx_completions.cpp
// reaches 48 % of nic/models/bnxt/datapath/bnxt_rx.cpp
// reaches 50 % of nic/models/bnxt/datapath/bnxt_tx.cpp
// reaches 48 % of nic/models/bnxt/firmware/bnxt_hwrm.cpp
// reaches 60 % of nic/models/bnxt/datapath/bnxt_completions.cpp
// reaches 36 % of nic/models/bnxt/firmware/bnxt_commands_rings.cpp
// reaches 44 % of nic/models/bnxt/firmware/bnxt_commands_vnics.cpp
// reaches 56 % of nic/models/bnxt/firmware/bnxt_commands_statistics.cpp
// reaches 55 % of nic/models/bnxt/firmware/bnxt_commands_filters.cpp
// reaches 80 % of nic/models/bnxt/datapath/bnxt_rules.cpp
// reaches 60 % of nic/models/bnxt/datapath/bnxt_vnics.cpp
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "nic/models/bnxt/bnxt_device.hpp"
#include "nic/models/bnxt/layout/bnxt_filter_layout.hpp"
#include "nic/models/bnxt/layout/bnxt_function_layout.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"
#include "tests/fuzz/program.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::bnxt;

namespace {

constexpr uint64_t kMemory = 0x100000;
constexpr uint64_t kAnswer = kMemory;
constexpr uint64_t kRequest = kMemory + 0x1000;
constexpr uint64_t kTable = kMemory + 0x2000;
constexpr uint64_t kRings = kMemory + 0x10000;  // 0x1000 for each
constexpr uint64_t kBuffers = kMemory + 0x80000;
constexpr uint64_t kSize = 0x100000;
constexpr uint32_t kRing = 16;  // entries

class Driver {
  public:
    Driver()
        : device_(BnxtConfig{.log = [](std::string_view) {}, .forbidden = [](const Forbidden&) {}},
                  dma_, irq_, wire_, witness_) {
        dma_.add(kMemory, kSize);
        device_.set_bus_master(true);
    }

    void step(char letter, Program& program) {
        switch (letter) {
            case 'u':
                return bring_up(program.number() % kQueueLimit);
            case 'v':
                return vnic();
            case 'c':
                return send(Commands::rows()[program.number() % Commands::rows().size()].type,
                            Just{});
            case 'C':
                return send(program.wide(), Just{});
            case '!': {
                const uint8_t place = program.number();
                changes_.push_back({place % kRequestWindowSize, program.number()});
                return;
            }
            case '?': {
                const uint8_t place = program.number();
                table_[place] = static_cast<std::byte>(program.number());
                return;
            }
            case 's':
                size_ = program.wide();
                short_ = true;
                return;
            case 'f': {
                RingFree request{};
                request.type = program.number();
                request.ring = static_cast<uint16_t>(program.number() % 5 * 0x100);
                return send(HwrmType::kRingFree, request);
            }
            case 'n':
                return rule(program.number());
            case 'N': {
                FlowRuleFree request{};
                request.rule = uint64_t{program.number()};
                return send(HwrmType::kCfaNtupleFilterFree, request);
            }
            case 'm': {
                VnicUpdate request{};
                request.vnic = uint32_t{program.number()};
                request.enables = kUpdateMru;
                request.mru = program.wide();
                return send(HwrmType::kVnicUpdate, request);
            }
            case 'J': {
                TpaConfigure request{};
                request.vnic = uint16_t{program.number()};
                request.flags = kJoinSegments | kJoinAsGro;
                request.enables = kEnableMostAggregates;
                request.most_aggregates = uint16_t{program.number()};
                return send(HwrmType::kVnicTpaCfg, request);
            }
            case 'j': {
                const uint16_t size = program.wide();
                return deliver(size, 0, Joined{program.number(), Rest::kAtOnce});
            }
            case 'k':
                return deliver(program.wide(), 0, Joined{0, Rest::kWithNext});
            case 'o':
                return deliver(program.wide(), 0, Joined{program.number(), Rest::kOvertaken});
            case 'b':
                bad_buffer_ = program.number();
                return;
            case 'h':
                bad_headers_ = true;
                return;
            case 'F':
                foreign_tag_ = true;
                return;
            case 'T': {
                tagged_ = true;
                VnicConfigure request{};
                request.vnic = uint16_t{program.number()};
                request.flags = kStripVlan;
                request.mru = uint16_t{9018};
                return send(HwrmType::kVnicCfg, request);
            }
            case 'r':
                by_rule_ = program.number();
                return;
            case 'p':
                return post(program.number() % kRing);
            case 't': {
                const uint8_t flags = program.number();
                return transmit(flags, program.number() % 6);
            }
            case 'd': {
                const uint16_t size = program.wide();
                return deliver(size, program.number());
            }
            case 'g': {
                const auto type = static_cast<DoorbellType>(program.number() % 16);
                const auto ring_number = static_cast<uint16_t>(program.number() % 5 * 0x100);
                return ring(type, ring_number, program.wide());
            }
            case 'w':
                return write(kRegisterBar, program.wide(), Le32(program.number()));
            case 'l':
                device_.set_link(link_ = !link_);
                return;
            case 'R':
                device_.reset();
                device_.set_bus_master(true);
                tx_ = 0;
                return;
            default:
                return;
        }
    }

  private:
    struct __attribute__((packed)) Just {
        RequestHeader header;
        uint8_t rest[0x70];
    };

    template <typename T>
    void write(unsigned bar, uint64_t offset, T value) {
        device_.bar_write(bar, offset, std::as_bytes(std::span(&value, 1)));
    }
    void ring(DoorbellType type, uint16_t ring, uint32_t index) {
        write(kDoorbellBar, kDoorbell, Le64(Doorbell{type, ring, index, true}.value()));
    }
    template <typename T>
    void send(HwrmType type, T request) {
        send(static_cast<uint16_t>(type), request);
    }
    template <typename T>
    void send(uint16_t type, T request) {
        request.header = {type, kNoRing, ++sequence_, kThisFunction, kAnswer};
        std::array<std::byte, kRequestWindowSize> window{};
        std::memcpy(window.data(), &request, sizeof(request));
        const bool changed = !changes_.empty();
        for (const auto& [place, value] : std::exchange(changes_, {}))
            window[place] = static_cast<std::byte>(value);
        dma_.write_object(kAnswer, AnswerHeader{});
        const bool in_memory = std::exchange(short_, false);
        if (in_memory) {
            dma_.write(kRequest, window);
            const ShortRequest front{type, kShortSignature, kThisFunction, size_, kRequest};
            std::memcpy(window.data(), &front, sizeof(front));
        }
        device_.bar_write(kRegisterBar, kRequestWindow, window);
        write(kRegisterBar, kRequestTrigger, Le32(1));
        if (changed || in_memory) return;
        // Carried out: there is an answer to just this request, and it is whole.
        AnswerHeader answer;
        dma_.read_object(kAnswer, answer);
        std::byte valid{0};
        if (answer.length != 0) dma_.read(kAnswer + answer.length - 1, std::span(&valid, 1));
        if (answer.sequence != sequence_ || answer.type != type || valid != std::byte{1})
            std::abort();
    }
    void bring_up(uint16_t place) {
        RingAllocate request{};
        request.length = kRing;
        request.number = place;
        request.notification_ring = static_cast<uint16_t>(kNotificationRings + place);
        request.completion_ring = static_cast<uint16_t>(kCompletionRings + 2 * place);
        request.rx_ring = static_cast<uint16_t>(kRxRings + place);
        request.buffer_size = uint16_t{256};
        uint64_t memory = kRings + uint64_t{place} * 0x6000 % 0x60000;
        for (const RingType type :
             {RingType::kNotifications, RingType::kCompletions, RingType::kCompletions,
              RingType::kTx, RingType::kRx, RingType::kAggregation}) {
            request.type = static_cast<uint8_t>(type);
            request.memory = memory;
            request.length = type == RingType::kCompletions ? 4 * kRing : kRing;
            memory += 0x1000;
            send(HwrmType::kRingAlloc, request);
        }
        ring(DoorbellType::kArmCompletions, request.completion_ring, 0);
        ring(DoorbellType::kArmNotifications, request.notification_ring, 0);
        for (uint16_t i = 0; i < kRssEntries; ++i) {
            const RssEntry entry{request.rx_ring, request.completion_ring};
            std::memcpy(&table_[i * sizeof(entry)], &entry, sizeof(entry));
        }
    }
    void vnic() {
        VnicAllocate request{};
        request.flags = kDefaultVnic;
        send(HwrmType::kVnicAlloc, request);
        dma_.write(kTable, table_);
        RssConfigure rss{};
        rss.hash_types = kHashIpv4 | kHashTcp4;
        rss.table = rss.key = kTable;
        send(HwrmType::kVnicRssCfg, rss);
        VnicConfigure settings{};
        settings.enables = kEnableDefaultRxRing | kEnableDefaultCompletionRing;
        settings.default_rx_ring = kRxRings;
        settings.default_completion_ring = kCompletionRings;
        settings.mru = uint16_t{1518};
        send(HwrmType::kVnicCfg, settings);
        PlacementConfigure placement{};
        placement.flags = kPlaceJumbo | kSplitIpv4 | kSplitIpv6;
        placement.enables = kEnableJumboThreshold | kEnableSplitThreshold;
        placement.jumbo_threshold = uint16_t{256};
        send(HwrmType::kVnicPlcmodesCfg, placement);
        FunctionConfigure events{};
        events.enables = kEnableEventRing;
        events.event_ring = kNotificationRings;
        send(HwrmType::kFuncCfg, events);
    }
    void rule(uint8_t place) {
        L2FilterAllocate filter{};
        send(HwrmType::kCfaL2FilterAlloc, filter);
        FlowRuleAllocate request{};
        request.enables = kEnableRuleL2Filter | kEnableRulePlace;
        request.address_type = kRuleIpv6;
        request.protocol = kProtocolTcp;
        request.vnic = uint16_t{1};
        request.place = place;
        send(HwrmType::kCfaNtupleFilterAlloc, request);
    }
    void post(uint32_t count) {
        for (const auto& [number, memory, type] :
             {std::tuple(kRxRings, kRings + 0x4000, BufferDescriptor::kTypeReceive),
              std::tuple(kAggregationRings, kRings + 0x5000, BufferDescriptor::kTypeAggregation)}) {
            for (uint32_t i = 0; i < kRing; ++i)
                dma_.write_object(
                    memory + i * sizeof(BufferDescriptor),
                    BufferDescriptor{type, uint16_t{256}, i, kBuffers + uint64_t{i} * 0x1000});
            ring(DoorbellType::kReceive, number, count);
        }
    }
    void transmit(uint8_t flags, uint8_t count) {
        for (uint8_t i = 0; i < count; ++i) {
            uint16_t type = i == 0 ? BufferDescriptor::kTypeTxLong : 0;
            if (i == 0) type |= static_cast<uint16_t>(count << BufferDescriptor::kCountShift);
            if (i + 1 == count || (count == 2 && i == 0)) type |= BufferDescriptor::kPacketEnd;
            BufferDescriptor descriptor{type, uint16_t{200}, tx_, kBuffers};
            if (i == 1) {
                const TxExtension extension{flags, uint16_t{27}, uint32_t{100}, uint32_t{0},
                                            uint32_t{0}};
                std::memcpy(&descriptor, &extension, sizeof(descriptor));
            }
            dma_.write_object(kRings + 0x3000 + tx_ * sizeof(descriptor), descriptor);
            tx_ = (tx_ + 1) % kRing;
        }
        ring(DoorbellType::kTransmit, kTxRings, tx_);
        while (device_.has_work()) device_.work();
    }
    struct Joined {
        uint16_t mss;
        Rest rest;
    };
    void deliver(uint16_t size, uint16_t queue, std::optional<Joined> joined = {}) {
        std::vector<std::byte> bytes(size % 10000);
        if (tagged_ && bytes.size() > 12) bytes[12] = std::byte{0x81};
        Delivery delivery;
        delivery.bytes = bytes;
        delivery.queue = queue;
        delivery.header_length = delivery.payload_offset = size % 2 != 0 ? 54 : 0;
        delivery.l3 = L3::kIpv4;
        delivery.l4 = L4::kTcp;
        delivery.rule = std::exchange(by_rule_, std::nullopt);
        delivery.bad_buffer = std::exchange(bad_buffer_, std::nullopt);
        delivery.bad_headers = std::exchange(bad_headers_, false);
        delivery.foreign_tag = foreign_tag_;
        // As the wire has it, these have payload.
        if (joined && bytes.size() > delivery.payload_offset) {
            delivery.rsc_begins = true;
            delivery.rsc_mss = joined->mss;
            delivery.rest = joined->rest;
        }
        device_.deliver(delivery);
        device_.end_of_burst();
    }

    FakeDma dma_;
    FakeIrq irq_;
    FakeWirePort wire_;
    FakeWitness witness_;
    BnxtDevice device_;
    std::array<std::byte, kRssEntries * sizeof(RssEntry)> table_{};
    std::vector<std::pair<size_t, uint8_t>> changes_;  // of the next request
    std::optional<uint32_t> by_rule_;                  // of the next frame
    std::optional<uint16_t> bad_buffer_;               // the same
    uint32_t tx_ = 0;                                  // next descriptor
    uint16_t sequence_ = 0;
    uint16_t size_ = 0;
    bool short_ = false;
    bool bad_headers_ = false;  // of the next frame
    bool tagged_ = false;
    bool foreign_tag_ = false;
    bool link_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Program program(data, size);
    Driver driver;
    while (const char letter = program.letter()) driver.step(letter, program);
    return 0;
}
