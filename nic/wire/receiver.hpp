// Receiver: one end of the cable as packets arrive there: steering, coalescing, the split,
// delivery.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nic/wire/dma_log.hpp"
#include "nic/wire/flow_contexts.hpp"
#include "nic/wire/packet.hpp"
#include "nic/wire/steering.hpp"

namespace zcrxlab::nic {

// Told about packets that a device did not take: why, and the packet.
using OnRefused = std::function<void(Accepted why, const Packet& packet)>;

class Receiver {
  public:
    // `clock`: nanoseconds, never going back.
    Receiver(DmaLog& log, uint64_t& last_packet, std::function<uint64_t()> clock,
             FlowLimits limits);

    // The device is not owned; nullptr takes it away.
    void attach(WireDevice* device) { device_ = device; }
    WireDevice* device() const { return device_; }
    void on_refused(OnRefused callback) { on_refused_ = std::move(callback); }

    // What was held back is delivered by the old settings.
    void set(const ReceiveSettings& settings);
    const ReceiveSettings& settings() const { return settings_; }
    bool running() const { return device_ != nullptr && settings_.queues != 0; }
    Steered steer(const ParsedHeaders& headers) const { return steering_.steer(headers); }

    // Delivers a packet, or holds it back to be coalesced, for a bounded time.
    void receive(const Packet& packet);
    // The end of a burst: tells the device if it got anything.
    void flush();
    // Delivers what was held back long enough; next_deadline() says when that is.
    void expire() { contexts_.expire(clock_()); }
    uint64_t next_deadline() const { return contexts_.next_deadline(); }
    // Delivers all that is held back, and tells the device.
    void deliver_held();

    std::vector<std::pair<std::string, uint64_t>> counters() const;

  private:
    void deliver(const Packet& packet);
    uint16_t header_length(const Packet& packet) const;

    DmaLog& log_;
    uint64_t& last_packet_;  // shared by both ends
    WireDevice* device_ = nullptr;
    OnRefused on_refused_;
    ReceiveSettings settings_;
    Steering steering_;
    std::function<uint64_t()> clock_;
    FlowContexts contexts_;
    bool in_burst_ = false;

    uint64_t packets_ = 0;
    uint64_t bytes_ = 0;
    uint64_t coalesced_packets_ = 0;   // delivered packets made of several segments here
    uint64_t coalesced_segments_ = 0;  // segments in them
    uint64_t bad_checksums_ = 0;
    uint64_t no_buffer_ = 0;
    uint64_t bad_address_ = 0;
    uint64_t queue_off_ = 0;
    uint64_t too_long_ = 0;
    uint64_t not_running_ = 0;
};

}  // namespace zcrxlab::nic
