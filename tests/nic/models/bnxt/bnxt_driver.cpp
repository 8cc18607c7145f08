// BnxtDriver: the driver's side of a bnxt NIC for tests.
#include "tests/nic/models/bnxt/bnxt_driver.hpp"

#include <algorithm>

namespace zcrxlab::nic::bnxt {

BnxtDriver::BnxtDriver(BnxtConfig config) {
    config.log = [this](std::string_view sentence) { log.emplace_back(sentence); };
    config.forbidden = [this](Forbidden asked) { forbidden.push_back(std::move(asked)); };
    device = std::make_unique<BnxtDevice>(std::move(config), dma, irq, wire, witness);
    device->set_bus_master(true);
    answer_at = allocate(4096);
    request_at = allocate(4096);
}

uint64_t BnxtDriver::allocate(size_t size, bool writable) {
    const uint64_t address = next_address_;
    // A hole behind each range, so that one byte too many is noticed.
    next_address_ += (size + 0x1fff) & ~uint64_t{0xfff};
    dma.add(address, size, writable);
    return address;
}

std::vector<std::byte> BnxtDriver::memory(uint64_t address, size_t size) {
    std::vector<std::byte> out(size);
    EXPECT_TRUE(dma.read(address, out)) << "no memory at " << std::hex << address;
    return out;
}

void BnxtDriver::fill_header(RequestHeader& header, HwrmType type) {
    header = {static_cast<uint16_t>(type), completion_ring, ++sequence_, kThisFunction, answer_at};
}

HwrmError BnxtDriver::in_window(std::span<const std::byte> request) {
    for (size_t at = 0; at < kRequestWindowSize; at += sizeof(Le32)) {
        Le32 word(0);
        if (at < request.size())
            std::memcpy(&word, &request[at], std::min(sizeof(word), request.size() - at));
        write_register(kRegisterBar, kRequestWindow + at, word);
    }
    return pull();
}

HwrmError BnxtDriver::in_memory(HwrmType type, std::span<const std::byte> request) {
    EXPECT_TRUE(dma.write(request_at, request));
    const ShortRequest front{static_cast<uint16_t>(type), kShortSignature, kThisFunction,
                             static_cast<uint16_t>(request.size()), request_at};
    return in_window(std::as_bytes(std::span(&front, 1)));
}

HwrmError BnxtDriver::pull() {
    store(answer_at, std::array<std::byte, kLongestAnswer>{});
    write_register(kRegisterBar, kRequestTrigger, Le32(1));
    const auto header = load<AnswerHeader>(answer_at);
    EXPECT_EQ(header.sequence, sequence_);
    if (header.length == 0) return HwrmError::kNone;
    EXPECT_EQ(load<uint8_t>(answer_at + header.length - 1), 1) << "the answer is not valid";
    return static_cast<HwrmError>(header.error.get());
}

uint64_t BnxtDriver::counter(const std::string& name) const {
    for (const auto& [counter, value] : device->counters())
        if (counter == name) return value;
    return 0;
}

HwrmError BnxtDriver::allocate_ring(RingType type, DriverRing& ring, uint32_t size,
                                    RingAllocate more) {
    ring = {.memory = allocate(size_t{size} * sizeof(Entry)), .size = size};
    more.type = static_cast<uint8_t>(type);
    more.memory = ring.memory;
    more.length = size;
    const HwrmError error = send(HwrmType::kRingAlloc, more);
    if (error == HwrmError::kNone) ring.number = answer<RingAllocated>().ring;
    return error;
}

HwrmError BnxtDriver::free_ring(RingType type, uint16_t ring) {
    RingFree request{};
    request.type = static_cast<uint8_t>(type);
    request.ring = ring;
    return send(HwrmType::kRingFree, request);
}

DriverQueue BnxtDriver::bring_up(uint16_t place, uint32_t size) {
    DriverQueue queue;
    RingAllocate more{};
    more.number = place;
    const auto made = [&](RingType type, DriverRing& ring, uint32_t entries) {
        EXPECT_EQ(allocate_ring(type, ring, entries, more), HwrmError::kNone);
    };
    made(RingType::kNotifications, queue.notifications, size);
    more.notification_ring = queue.notifications.number;
    more.handle = uint64_t{0x01000000} + place;
    made(RingType::kCompletions, queue.tx_completions, 4 * size);
    more.completion_ring = queue.tx_completions.number;
    made(RingType::kTx, queue.tx, size);
    more.buffer_size = kRxBuffer;
    made(RingType::kRx, queue.rx, size);
    more.handle = uint64_t{place};
    made(RingType::kCompletions, queue.rx_completions, 4 * size);
    more.buffer_size = kAggregationBuffer;
    more.rx_ring = queue.rx.number;
    made(RingType::kAggregation, queue.aggregation, size);
    arm(queue.tx_completions, queue.notifications);
    arm(queue.rx_completions, queue.notifications);
    if (place != 0) return queue;

    VnicAllocate vnic{};
    vnic.flags = kDefaultVnic;
    EXPECT_EQ(send(HwrmType::kVnicAlloc, vnic), HwrmError::kNone);
    queue.vnic = answer<VnicAllocated>().vnic;
    EXPECT_EQ(configure_rss(queue), HwrmError::kNone);
    VnicConfigure settings{};
    settings.vnic = static_cast<uint16_t>(queue.vnic);
    settings.enables = kEnableDefaultRxRing | kEnableDefaultCompletionRing;
    settings.default_rx_ring = queue.rx.number;
    settings.default_completion_ring = queue.rx_completions.number;
    settings.mru = uint16_t{9018};
    EXPECT_EQ(send(HwrmType::kVnicCfg, settings), HwrmError::kNone);
    EXPECT_EQ(configure_placement(queue, 0), HwrmError::kNone);
    return queue;
}

HwrmError BnxtDriver::configure_rss(const DriverQueue& queue, uint32_t hash_types) {
    std::array<RssEntry, kRssEntries> table;
    table.fill({queue.rx.number, queue.rx_completions.number});
    RssConfigure rss{};
    rss.hash_types = hash_types;
    rss.vnic = static_cast<uint16_t>(queue.vnic);
    rss.table = allocate(sizeof(table));
    rss.key = allocate(kRssKeySize);
    store(rss.table, table);
    return send(HwrmType::kVnicRssCfg, rss);
}

HwrmError BnxtDriver::configure_placement(const DriverQueue& queue, uint16_t threshold) {
    PlacementConfigure placement{};
    placement.vnic = queue.vnic;
    placement.flags = kPlaceJumbo | kSplitIpv4 | kSplitIpv6;
    placement.enables = kEnableJumboThreshold | kEnableSplitThreshold;
    placement.jumbo_threshold = kRxBuffer;
    placement.split_threshold = threshold;
    return send(HwrmType::kVnicPlcmodesCfg, placement);
}

HwrmError BnxtDriver::join_segments(const DriverQueue& queue) {
    TpaConfigure request{};
    request.vnic = static_cast<uint16_t>(queue.vnic);
    request.flags = kJoinSegments | kJoinSegmentsInTunnels | kJoinAsGro;
    request.enables = kEnableMostSegments | kEnableMostAggregates | kEnableShortest;
    request.most_segments = uint16_t{63};
    request.most_aggregates = kAggregateLimit;
    request.shortest = 512u;
    return send(HwrmType::kVnicTpaCfg, request);
}

std::vector<uint64_t> BnxtDriver::post(DriverRing& ring, uint32_t count, uint16_t type,
                                       uint16_t size) {
    std::vector<uint64_t> buffers;
    for (uint32_t i = 0; i < count; ++i) {
        buffers.push_back(allocate(size));
        put(ring, BufferDescriptor{type, size, 0x5000 + ring.next, buffers.back()});
    }
    this->ring(DoorbellType::kReceive, ring.number, ring.next);
    return buffers;
}

void BnxtDriver::put(DriverRing& ring, const BufferDescriptor& descriptor) {
    store(ring.memory + uint64_t{ring.next} * sizeof(descriptor), descriptor);
    ring.next = (ring.next + 1) % ring.size;
}

void BnxtDriver::put(DriverRing& ring, const TxExtension& extension) {
    BufferDescriptor descriptor;
    std::memcpy(&descriptor, &extension, sizeof(descriptor));
    put(ring, descriptor);
}

std::vector<Entry> BnxtDriver::poll(DriverRing& ring) {
    std::vector<Entry> entries;
    for (;;) {
        const auto entry = load<Entry>(ring.memory + uint64_t{ring.next} * sizeof(Entry));
        if ((entry.valid & Entry::kValid) != ring.phase) return entries;
        entries.push_back(entry);
        ring.next = (ring.next + 1) % ring.size;
        if (ring.next == 0) ring.phase ^= 1;
    }
}

void BnxtDriver::arm(const DriverRing& completions, const DriverRing& notifications) {
    ring(DoorbellType::kArmCompletions, completions.number, completions.next);
    ring(DoorbellType::kArmNotifications, notifications.number, notifications.next);
}

std::vector<std::byte> pattern(size_t count) {
    std::vector<std::byte> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
}

Delivery tcp_delivery(std::span<const std::byte> bytes, uint16_t queue) {
    Delivery delivery;
    delivery.bytes = bytes;
    delivery.queue = queue;
    delivery.header_length = delivery.payload_offset = kHeaders;
    delivery.l3 = L3::kIpv4;
    delivery.l4 = L4::kTcp;
    delivery.ip_checksum = delivery.l4_checksum = ChecksumState::kGood;
    delivery.rss_type = RssType::kTcp4;
    delivery.rss_hash = 0x12345678;
    return delivery;
}

Delivery joined_delivery(std::span<const std::byte> bytes, uint16_t mss) {
    Delivery delivery = tcp_delivery(bytes);
    delivery.rsc_begins = true;
    delivery.rsc_mss = mss;
    delivery.l3_offset = 14;
    delivery.l4_offset = 34;
    return delivery;
}

}  // namespace zcrxlab::nic::bnxt
