// Fakes for both ends of the cable: FakeWirePort keeps what a NIC model sent, FakeWireDevice keeps
// what the wire delivered, FakeWitness keeps what a model says it wrote.
#pragma once

#include <utility>
#include <vector>

#include "nic/wire.hpp"

namespace zcrxlab::nic {

class FakeWirePort : public WirePort {
  public:
    void transmit(Outgoing&& frame) override { sent.push_back(std::move(frame)); }
    void flush() override { flushes += 1; }
    void set_receive(const ReceiveSettings& to) override { settings = to; }

    std::vector<Outgoing> sent;
    ReceiveSettings settings;
    int flushes = 0;
};

class FakeWireDevice : public WireDevice {
  public:
    struct Kept {
        Delivery delivery;             // its `bytes` are not valid any more
        std::vector<std::byte> bytes;  // a copy of them
    };

    Accepted deliver(const Delivery& delivery) override {
        kept.push_back({delivery, {delivery.bytes.begin(), delivery.bytes.end()}});
        return answer;
    }
    void end_of_burst() override { bursts += 1; }
    void set_link(bool up) override { link = up; }
    void request_reset() override { resets += 1; }
    bool die() override { return std::exchange(alive, false); }
    CommandFaults* command_faults() override { return &refused; }
    std::vector<std::pair<std::string, uint64_t>> counters() const override { return {}; }

    std::vector<Kept> kept;
    Accepted answer = Accepted::kYes;
    int bursts = 0;
    int resets = 0;
    CommandFaults refused;
    bool link = true;
    bool alive = true;
};

class FakeWitness : public DmaWitness {
  public:
    struct Write {
        Kind kind;
        uint64_t address;
        uint32_t length;
        uint64_t packet;
        uint32_t stream_offset;
        uint32_t posted;
    };

    void wrote(Kind kind, uint64_t address, uint32_t length, const Delivery& delivery,
               uint32_t stream_offset, uint32_t posted) override {
        writes.push_back({kind, address, length, delivery.packet, stream_offset, posted});
    }
    uint32_t microseconds() const override { return now; }

    std::vector<Write> writes;
    uint32_t now = 1;
};

}  // namespace zcrxlab::nic
