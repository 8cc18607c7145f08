// BnxtDriver: the driver's side of a bnxt NIC for tests: requests, rings and doorbells in fake
// memory.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nic/models/bnxt/bnxt_device.hpp"
#include "nic/models/bnxt/layout/bnxt_descriptors.hpp"
#include "nic/models/bnxt/layout/bnxt_function_layout.hpp"
#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"
#include "nic/models/bnxt/layout/bnxt_ring_layout.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic::bnxt {

// A ring in one piece, and what the driver knows of it.
struct DriverRing {
    uint16_t number = kNoRing;
    uint64_t memory = 0;
    uint32_t size = 0;
    uint32_t next = 0;  // to post, or to read
    uint32_t phase = 1;
};

// One queue, as a driver has it that is up.
struct DriverQueue {
    DriverRing notifications, tx_completions, tx, rx_completions, rx, aggregation;
    uint32_t vnic = 0;
};

inline constexpr uint16_t kRxBuffer = 256;
inline constexpr uint16_t kAggregationBuffer = 4096;
// All that the model hashes, as bnxt_set_dflt_rss_hash_type has it.
inline constexpr uint32_t kHashOfLinux =
    kHashIpv4 | kHashTcp4 | kHashUdp4 | kHashIpv6 | kHashTcp6 | kHashUdp6;
// For BnxtDriver::post().
inline constexpr uint16_t kRx = BufferDescriptor::kTypeReceive;
inline constexpr uint16_t kAggregation = BufferDescriptor::kTypeAggregation;

class BnxtDriver {
  public:
    explicit BnxtDriver(BnxtConfig config = {});

    // ---- Memory and registers ----
    uint64_t allocate(size_t size, bool writable = true);
    std::vector<std::byte> memory(uint64_t address, size_t size);
    template <typename T>
    T load(uint64_t address) {
        T out;
        std::memcpy(&out, memory(address, sizeof(T)).data(), sizeof(T));
        return out;
    }
    template <typename T>
    void store(uint64_t address, const T& object) {
        EXPECT_TRUE(dma.write(address, std::as_bytes(std::span(&object, 1))));
    }
    template <typename T>
    void write_register(unsigned bar, uint64_t offset, T value) {
        device->bar_write(bar, offset, std::as_bytes(std::span(&value, 1)));
    }
    void ring(DoorbellType type, uint16_t ring, uint32_t index) {
        write_register(kDoorbellBar, kDoorbell, Le64(Doorbell{type, ring, index, true}.value()));
    }

    // ---- Commands ----
    // Writes the request to the window as the kernel does, and pulls the trigger.
    template <typename T>
    HwrmError send(HwrmType type, T request) {
        static_assert(sizeof(T) <= kRequestWindowSize);
        fill_header(request.header, type);
        return in_window(std::as_bytes(std::span(&request, 1)));
    }
    HwrmError send(HwrmType type) { return send(type, JustHeader{}); }
    // The same through memory.
    template <typename T>
    HwrmError send_short(HwrmType type, T request) {
        fill_header(request.header, type);
        return in_memory(type, std::as_bytes(std::span(&request, 1)));
    }
    template <typename T>
    T answer() {
        return load<T>(answer_at);
    }
    uint64_t counter(const std::string& name) const;

    // ---- Rings ----
    HwrmError allocate_ring(RingType type, DriverRing& ring, uint32_t size, RingAllocate more = {});
    HwrmError free_ring(RingType type, uint16_t ring);
    // Queue `place` with rings of `size` entries, its completion rings armed, and, if it is 0, the
    // default VNIC that splits headers off.
    DriverQueue bring_up(uint16_t place = 0, uint32_t size = 16);
    HwrmError configure_rss(const DriverQueue& queue, uint32_t hash_types = kHashOfLinux);
    HwrmError configure_placement(const DriverQueue& queue, uint16_t threshold);
    // TPA for GRO, as Linux asks for it (bnxt_hwrm_vnic_set_tpa).
    HwrmError join_segments(const DriverQueue& queue);

    // Posts buffers to a receive or aggregation ring, and rings; their addresses.
    std::vector<uint64_t> post(DriverRing& ring, uint32_t count, uint16_t type, uint16_t size);
    // Posts a descriptor of a frame; does not ring.
    void put(DriverRing& ring, const BufferDescriptor& descriptor);
    void put(DriverRing& ring, const TxExtension& extension);
    // Entries that the device has written since the last call.
    std::vector<Entry> poll(DriverRing& ring);
    void arm(const DriverRing& completions, const DriverRing& notifications);
    std::vector<uint16_t> interrupts() { return std::exchange(irq.raised, {}); }

    FakeDma dma;
    FakeIrq irq;
    FakeWirePort wire;
    FakeWitness witness;
    std::vector<std::string> log;
    std::vector<Forbidden> forbidden;
    std::unique_ptr<BnxtDevice> device;
    uint64_t answer_at = 0;
    uint64_t request_at = 0;
    uint16_t completion_ring = kNoRing;  // of the next requests

  private:
    struct __attribute__((packed)) JustHeader {
        RequestHeader header;
    };
    void fill_header(RequestHeader& header, HwrmType type);
    HwrmError in_window(std::span<const std::byte> request);
    HwrmError in_memory(HwrmType type, std::span<const std::byte> request);
    HwrmError pull();

    uint64_t next_address_ = 0x100000;
    uint16_t sequence_ = 0;
};

// `count` bytes that differ by position.
std::vector<std::byte> pattern(size_t count);

// A delivery of `bytes` as the wire makes it for a good TCP/IPv4 packet with 66 bytes of headers.
inline constexpr uint16_t kHeaders = 66;
Delivery tcp_delivery(std::span<const std::byte> bytes, uint16_t queue = 0);
// The same of segments of `mss` bytes that were joined; 0: of one that others could be joined to.
Delivery joined_delivery(std::span<const std::byte> bytes, uint16_t mss);

}  // namespace zcrxlab::nic::bnxt
