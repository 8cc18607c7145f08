// GveDriver: the driver's side of a gve NIC for tests: admin queue, rings and polling as the kernel
// does them, over fake guest memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nic/models/gve/gve_descriptors.hpp"
#include "nic/models/gve/gve_device.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic::gve {

inline constexpr uint32_t kAdminqLength = 4096;  // bytes
// A guest address where no memory is.
inline constexpr uint64_t kNoMemory = 0xbad000000000;

// FakeDma that remembers where the device wrote, and lets a test look after each single write.
class WatchedDma : public FakeDma {
  public:
    struct Write {
        uint64_t address;
        size_t length;
        bool touches(uint64_t begin, uint64_t size) const {
            return address < begin + size && begin < address + length;
        }
    };

    bool write(uint64_t address, std::span<const std::byte> bytes) override {
        if (!writable(address, bytes)) return false;
        log.push_back({address, bytes.size()});
        // Nobody promises an order within one write, so the watcher looks after every byte; a
        // store of up to 4 bytes is one.
        size_t step = after_write && bytes.size() > 4 ? 1 : std::max<size_t>(bytes.size(), 1);
        for (size_t at = 0; at < bytes.size(); at += step) {
            FakeDma::write(address + at, bytes.subspan(at, step));
            if (after_write) after_write();
        }
        return true;
    }

    // Whether any byte of the range was written since the log was cleared.
    bool touched(uint64_t address, uint64_t size) const {
        for (const Write& entry : log)
            if (entry.touches(address, size)) return true;
        return false;
    }

    std::vector<Write> log;
    std::function<void()> after_write;

  private:
    // Writes what is there already: FakeDma says then whether it may be written.
    bool writable(uint64_t address, std::span<const std::byte> bytes) {
        std::vector<std::byte> now(bytes.size());
        return read(address, now) && FakeDma::write(address, now);
    }
};

// What the driver sees of one received packet.
struct ReceivedPacket {
    std::vector<std::byte> header;   // from the header buffer, if it was split
    std::vector<std::byte> payload;  // from the packet buffers
    std::vector<RxCompletion> completions;

    const RxCompletion& first() const { return completions.front(); }
    const RxCompletion& last() const { return completions.back(); }
    bool split() const { return (first().header & RxCompletion::kSplitHeader) != 0; }
    uint16_t header_length() const { return first().header & RxCompletion::kHeaderLengthMask; }
    bool has(uint8_t status_bit) const { return (last().status & status_bit) != 0; }
    bool error() const { return (last().flags & RxCompletion::kRxError) != 0; }
    uint16_t packet_type() const {
        return last().packet_type_errors & RxCompletion::kPacketTypeMask;
    }
};

// A receive queue as the driver keeps it: gve_rx_post_buffers_dqo(), gve_rx_poll_dqo().
class DriverRx {
  public:
    uint16_t id = 0;
    uint32_t size = 0;
    uint16_t buffer_size = 0;
    uint16_t header_size = 0;
    uint16_t block = 0;
    uint64_t buffer_ring = 0, completion_ring = 0, resources = 0;
    uint64_t buffers = 0, headers = 0;  // arrays of `size` elements
    uint32_t doorbell = 0;              // slot, told by the device
    uint32_t tail = 0;                  // next buffer to post
    uint32_t head = 0;                  // next completion to look at
    uint16_t generation = 0;            // of what is not ready
    uint32_t in_flight = 0;
    uint32_t next_id = 0;

    uint64_t buffer_address(uint16_t buffer) const {
        return buffers + uint64_t{buffer} * buffer_size;
    }
    uint64_t header_address(uint16_t buffer) const {
        return headers + uint64_t{buffer} * header_size;
    }
};

class DriverTx {
  public:
    uint16_t id = 0;
    uint32_t size = 0;
    uint16_t block = 0;
    uint64_t ring = 0, completion_ring = 0, resources = 0;
    uint32_t doorbell = 0;
    uint32_t counter = 0;
    uint32_t tail = 0;
    uint32_t head = 0;
    uint16_t generation = 0;
};

struct DriverOptions {
    uint16_t queues = 2;  // pairs
    uint16_t ring = 64;
    uint16_t buffer_size = 4096;
    bool header_split = true;
    bool rsc = false;
    bool post = true;  // fill the receive rings
};

class GveDriver {
  public:
    explicit GveDriver(GveConfig config = {});

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
        dma.FakeDma::write(address, std::as_bytes(std::span(&object, 1)));
    }
    void fill(uint64_t address, std::span<const std::byte> bytes) {
        dma.FakeDma::write(address, bytes);
    }
    uint32_t read_register(uint64_t offset);
    void write_register(uint64_t offset, uint32_t value);
    void write_register16(uint64_t offset, uint16_t value);
    void ring_doorbell(uint32_t slot, uint32_t value);
    bool status_has(uint32_t bit);

    // ---- The admin queue ----
    void run();           // a new admin queue, driver_status RUN
    void driver_reset();  // driver_status RESET
    Status execute(const Command& command);
    template <typename T>
    Status command(Opcode opcode, const T& body) {
        static_assert(sizeof(T) <= sizeof(Command::body));
        Command out{};
        out.opcode = static_cast<uint32_t>(opcode);
        std::memcpy(out.body, &body, sizeof(body));
        return execute(out);
    }
    Status command(Opcode opcode) { return command(opcode, DestroyQueue{0}); }
    ConfigureDeviceResources resources_command();
    CreateTxQueue create_tx_command(uint16_t id, uint16_t ring);
    CreateRxQueue create_rx_command(uint16_t id, const DriverOptions& options);
    Status add_rule(uint32_t location, const FlowRuleLayout& rule);

    // ---- From probe to running ----
    void configure();  // run() and CONFIGURE_DEVICE_RESOURCES
    // configure(), queues, buffers posted, interrupts armed.
    void bring_up(const DriverOptions& options = {});
    DriverTx& create_tx(uint16_t id, uint16_t ring);
    DriverRx& create_rx(uint16_t id, const DriverOptions& options);
    DriverTx& tx(uint16_t id) { return tx_.at(id); }
    DriverRx& rx(uint16_t id) { return rx_.at(id); }

    // ---- Receive ----
    // Posts buffers until `count` more are posted or the ring is full; rings the doorbell at
    // multiples of 32 like the kernel, or at the end if `ring_always`.
    void post(DriverRx& queue, uint32_t count, bool ring_always = false);
    void post_all(DriverRx& queue) { post(queue, queue.size - 1); }
    // All packets completed since the last poll. Buffers are not posted again.
    std::vector<ReceivedPacket> poll(DriverRx& queue);

    // ---- Transmit ----
    void put(DriverTx& queue, const TxDescriptor& descriptor);
    template <typename T>
    void put(DriverTx& queue, const T& descriptor) {
        TxDescriptor out;
        std::memcpy(out.bytes, &descriptor, sizeof(out.bytes));
        put(queue, out);
    }
    // One frame in pieces of at most `piece` bytes, with a general context in front, as the kernel
    // does it. Does not ring.
    void put_frame(DriverTx& queue, std::span<const std::byte> frame, uint16_t tag,
                   size_t piece = 16383, bool checksum = false, bool report = false);
    void ring(DriverTx& queue) { ring_doorbell(queue.doorbell, queue.tail); }
    std::vector<TxCompletion> poll(DriverTx& queue);

    // ---- Interrupts ----
    void arm(uint16_t block) { ring_doorbell(block, kInterruptEnable); }
    // Vectors raised since the last call.
    std::vector<uint16_t> interrupts() { return std::exchange(irq.raised, {}); }

    uint64_t counter(const std::string& name) const;

    WatchedDma dma;
    FakeIrq irq;
    FakeWirePort wire;
    FakeWitness witness;
    std::vector<std::string> log;
    std::vector<Forbidden> forbidden;  // what the device says that we must not ask
    GveConfig config;
    std::unique_ptr<GveDevice> device;
    uint64_t adminq = 0;
    uint32_t produced = 0;
    uint64_t irq_indices = 0, counter_array = 0;
    uint32_t blocks = 0;

  private:
    uint64_t next_address_ = 0x100000;
    std::map<uint16_t, DriverTx> tx_;
    std::map<uint16_t, DriverRx> rx_;
};

// ---- Frames and deliveries for tests ----

// `count` bytes that differ by position and `seed`.
std::vector<std::byte> pattern(size_t count, uint32_t seed = 0);

// A delivery of `bytes` as the wire makes it for a good TCP/IPv4 packet with 66 bytes of headers.
inline constexpr uint16_t kHeaders = 66;
Delivery tcp_delivery(std::span<const std::byte> bytes, uint16_t queue = 0);

}  // namespace zcrxlab::nic::gve
