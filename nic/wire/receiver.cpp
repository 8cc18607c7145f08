// Receiver: one end of the cable as packets arrive there: steering, coalescing, the split,
// delivery.
#include "nic/wire/receiver.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace zcrxlab::nic {

Receiver::Receiver(DmaLog& log, uint64_t& last_packet, std::function<uint64_t()> clock,
                   FlowLimits limits)
    : log_(log),
      last_packet_(last_packet),
      clock_(std::move(clock)),
      contexts_(limits, [this](const Packet& packet, uint32_t segments) {
          if (segments > 1) {
              coalesced_packets_ += 1;
              coalesced_segments_ += segments;
          }
          deliver(packet);
      }) {}

void Receiver::set(const ReceiveSettings& settings) {
    deliver_held();
    settings_ = settings;
    steering_.set(settings);
}

void Receiver::receive(const Packet& packet) {
    if (!running()) {
        not_running_ += 1;
        return;
    }
    if (settings_.rsc) {
        contexts_.add(packet, clock_(), settings_.rsc_limits);
    } else {
        deliver(packet);
    }
}

void Receiver::flush() {
    if (!in_burst_) return;
    in_burst_ = false;
    if (device_ != nullptr) device_->end_of_burst();
}

void Receiver::deliver_held() {
    if (contexts_.empty()) return;
    contexts_.deliver_all();
    flush();
}

uint16_t Receiver::header_length(const Packet& packet) const {
    if (!settings_.header_split || packet.headers.l4 != L4::kTcp) return 0;
    uint64_t length = packet.headers.payload_offset;
    if (packet.fault) {
        uint64_t distance = packet.fault.bytes;
        if (packet.fault.what == FaultKind::kNoSplit) return 0;
        if (packet.fault.what == FaultKind::kSplitEarly)
            length = distance < length ? length - distance : 1;
        if (packet.fault.what == FaultKind::kSplitLate) length += distance;
    }
    return static_cast<uint16_t>(
        std::min<uint64_t>({length, packet.bytes.size(), std::numeric_limits<uint16_t>::max()}));
}

void Receiver::deliver(const Packet& packet) {
    if (!running()) {
        not_running_ += 1;
        return;
    }
    const ParsedHeaders& h = packet.headers;
    Steered steered = steering_.steer(h);
    Delivery delivery;
    delivery.bytes = packet.bytes;
    delivery.packet = ++last_packet_;
    delivery.queue = steered.queue;
    delivery.header_length = header_length(packet);
    delivery.rsc_mss = packet.rsc_mss;
    delivery.rsc_begins = settings_.rsc && can_begin(packet, settings_.rsc_limits);
    delivery.l3 = h.l3;
    delivery.l4 = h.l4;
    delivery.ip_checksum = packet.ip_checksum;
    delivery.l4_checksum = packet.l4_checksum;
    delivery.rss_type = steered.rss_type;
    delivery.rss_hash = steered.rss_hash;
    delivery.rule = steered.rule;
    delivery.l3_offset = h.l3_offset;
    delivery.l4_offset = h.l4_offset;
    delivery.payload_offset = h.payload_offset;
    if (h.l4 == L4::kTcp) delivery.trailing = static_cast<uint32_t>(packet.bytes.size() - h.end);
    delivery.flow = log_.flow_of(h);
    // A SYN takes the sequence number before the first byte's.
    bool syn = (h.tcp_flags & kTcpSyn) != 0;
    if (h.l4 == L4::kTcp) delivery.tcp_sequence = h.tcp_sequence + (syn ? 1 : 0);
    if (packet.fault) {
        delivery.fault = packet.fault.rule;
        delivery.no_buffer = packet.fault.what == FaultKind::kNoBuffer;
        delivery.lose_interrupt = packet.fault.what == FaultKind::kLoseInterrupt;
        if (packet.fault.what == FaultKind::kHalfPacket) delivery.rest = Rest::kWhenSeen;
        if (packet.fault.what == FaultKind::kStuckPacket) delivery.rest = Rest::kWithNext;
        if (packet.fault.what == FaultKind::kOvertaken) delivery.rest = Rest::kOvertaken;
        delivery.empty_buffer = packet.fault.what == FaultKind::kEmptyBuffer;
        if (packet.fault.what == FaultKind::kBufferError) delivery.bad_buffer = packet.fault.buffer;
        delivery.bad_headers = packet.fault.what == FaultKind::kHeaderError;
        delivery.foreign_tag = packet.fault.what == FaultKind::kForeignTag;
        if (packet.fault.what == FaultKind::kWrongQueue)
            delivery.queue = std::min<uint16_t>(packet.fault.to, settings_.queues - 1);
    }
    if (packet.ip_checksum == ChecksumState::kBad || packet.l4_checksum == ChecksumState::kBad)
        bad_checksums_ += 1;
    in_burst_ = true;
    Accepted accepted = device_->deliver(delivery);
    switch (accepted) {
        case Accepted::kYes:
            packets_ += 1;
            bytes_ += packet.bytes.size();
            return;
        case Accepted::kNoBuffer:
            no_buffer_ += 1;
            break;
        case Accepted::kBadAddress:
            bad_address_ += 1;
            break;
        case Accepted::kQueueOff:
            queue_off_ += 1;
            break;
        case Accepted::kTooLong:
            too_long_ += 1;
            break;
        case Accepted::kNotRunning:
            not_running_ += 1;
            break;
    }
    if (on_refused_) on_refused_(accepted, packet);
}

std::vector<std::pair<std::string, uint64_t>> Receiver::counters() const {
    return {
        {"wire_rx_packets", packets_},
        {"wire_rx_bytes", bytes_},
        {"wire_rx_coalesced_packets", coalesced_packets_},
        {"wire_rx_coalesced_segments", coalesced_segments_},
        {"wire_rx_coalescing_timeouts", contexts_.expired()},
        {"wire_rx_coalescing_evictions", contexts_.evicted()},
        {"wire_rx_bad_checksums", bad_checksums_},
        {"wire_rx_no_buffer", no_buffer_},
        {"wire_rx_bad_address", bad_address_},
        {"wire_rx_queue_off", queue_off_},
        {"wire_rx_longer_than_buffers", too_long_},
        {"wire_rx_not_running", not_running_},
    };
}

}  // namespace zcrxlab::nic
