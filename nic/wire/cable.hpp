// Cable: joins two NIC ports back to back. What one transmits is cut, harmed by fault rules,
// captured and given to the other's Receiver.
//
// One thread only. Time comes from the clock in the options; whoever runs the loop calls run() when
// next_deadline() has come.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nic/wire.hpp"
#include "nic/wire/dma_log.hpp"
#include "nic/wire/faults.hpp"
#include "nic/wire/forbidden_log.hpp"
#include "nic/wire/pcapng.hpp"
#include "nic/wire/receiver.hpp"

namespace zcrxlab::nic {

inline constexpr uint64_t kNoDeadline = std::numeric_limits<uint64_t>::max();

// Something out of the ordinary, for the device's log.
struct WireEvent {
    uint64_t nanoseconds = 0;  // of the cable's clock
    unsigned port = 0;         // that received, or that it happened to
    std::string what;          // "fault drop", "dropped", "forbidden", "link", "mark"
    std::string text;          // for people: which packet, why
    uint32_t rule = 0;         // fault rule, 0 = none
};

class Cable {
  public:
    static constexpr unsigned kPorts = 2;

    struct Options {
        std::function<uint64_t()> clock;  // nanoseconds, never going back
        PcapngWriter* capture = nullptr;  // not owned, may be none
        std::function<void(const WireEvent&)> on_event;
        size_t dma_log_entries = DmaLog::kDefaultEntries;
        FlowLimits flows = {};  // of each end, where it coalesces
    };

    explicit Cable(Options options);
    ~Cable();
    Cable(const Cable&) = delete;
    Cable& operator=(const Cable&) = delete;

    // The ends. A device is given its port when it is made and attached afterwards; it is not
    // owned, and nullptr takes it away.
    WirePort& port(unsigned port);
    void attach(unsigned port, WireDevice* device);
    DmaWitness& witness(unsigned port) { return log_.witness(port); }

    const DmaLog& log() const { return log_; }
    // What the driver of a port has asked that it must not; kept for the control channel.
    void forbid(unsigned port, Forbidden asked);
    const ForbiddenLog& forbidden() const { return forbidden_; }
    Faults& faults() { return faults_; }
    // The link of one port; frames pass in either direction while both are up.
    void set_link(unsigned port, bool up);
    void request_reset(unsigned port);
    // False if the device of the port cannot.
    bool die(unsigned port);
    // What is plugged into the port; null: nothing is.
    WireDevice* device(unsigned port) const;
    // A comment in the capture and an event.
    void mark(const std::string& text);
    // The cable's counters of a port, then its device's.
    std::vector<std::pair<std::string, uint64_t>> counters(unsigned port) const;

    // When run() has something to do, on the clock; kNoDeadline if never.
    uint64_t next_deadline() const;
    // Does what is due: releases delayed packets and those held back to be coalesced, ends link
    // flaps.
    void run();

  private:
    struct End;
    // A packet that a fault keeps back.
    struct Held {
        std::vector<std::byte> bytes;
        Packet packet;        // its `bytes` are those above
        uint64_t frames = 0;  // arrivals until it is released, its own included
        uint64_t deadline = 0;
    };
    // A call that came in while another was at work.
    struct Postponed {
        unsigned port = 0;
        bool flush = false;
        Outgoing frame;
    };

    // Runs `work`, then what was postponed meanwhile; inside another turn says false.
    template <typename Work>
    bool take_turn(Work work);
    void transmit(unsigned from, Outgoing&& frame);
    void flush(unsigned from);
    void carry(unsigned from, Outgoing& frame);
    void carry_large(End& to, Outgoing& frame);
    bool pass_whole(End& to, Packet& packet, uint16_t mss);
    void arrive(End& to, Packet& packet);
    void harm(End& to, Packet& packet);
    void hold(End& to, const Packet& packet);
    void age(End& to);
    void release(End& to, size_t index);
    void lose(End& to, std::span<const std::byte> bytes, const char* why, uint64_t& counter);
    void capture(const End& to, const Packet& packet);
    void tell(unsigned port, std::string what, std::string text, uint32_t rule = 0);
    void apply_link(End& end, bool up);

    Options options_;
    DmaLog log_;
    ForbiddenLog forbidden_;
    Faults faults_;
    uint64_t last_packet_ = 0;
    std::unique_ptr<End> ends_[kPorts];
    bool busy_ = false;
    std::deque<Postponed> postponed_;
    unsigned postponed_in_turn_ = 0;
};

}  // namespace zcrxlab::nic
