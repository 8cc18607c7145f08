// Cable: joins two NIC ports back to back.
#include "nic/wire/cable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nic/wire/checksum.hpp"
#include "nic/wire/describe.hpp"
#include "nic/wire/segmentation.hpp"

namespace zcrxlab::nic {
namespace {

constexpr uint64_t kMillisecond = 1000000;
constexpr size_t kMaximumHeld = 4096;         // packets kept back at one end
constexpr unsigned kMaximumPostponed = 4096;  // calls inside one turn
constexpr uint32_t kMaximumIpPacket = 65535;

const char* reason(Accepted accepted) {
    switch (accepted) {
        case Accepted::kYes:
            return "accepted";
        case Accepted::kNoBuffer:
            return "no receive buffer";
        case Accepted::kBadAddress:
            return "the receive buffer is not guest memory";
        case Accepted::kQueueOff:
            return "the receive queue is off";
        case Accepted::kTooLong:
            return "longer than the posted buffers";
        case Accepted::kNotRunning:
            return "the device is not running";
    }
    return "unknown";
}

}  // namespace

struct Cable::End : WirePort {
    End(Cable& on, unsigned at)
        : cable(on),
          port(at),
          receiver(on.log_, on.last_packet_, on.options_.clock, on.options_.flows) {
        receiver.on_refused([this](Accepted why, const Packet& packet) {
            if (packet.fault) return;  // told already
            cable.tell(port, "dropped",
                       fmt::format("{}: {}", reason(why), describe(packet.headers)));
        });
    }

    void transmit(Outgoing&& frame) override { cable.transmit(port, std::move(frame)); }
    void flush() override { cable.flush(port); }
    void set_receive(const ReceiveSettings& settings) override {
        if (!cable.take_turn([&] { receiver.set(settings); })) receiver.set(settings);
    }

    Cable& cable;
    unsigned port;
    Receiver receiver;
    bool up = true;
    uint64_t up_again = kNoDeadline;  // end of a link flap
    std::vector<Held> held;           // in order of arrival

    uint64_t tx_frames = 0;
    uint64_t tx_bytes = 0;
    uint64_t tx_cut = 0;       // large frames cut into segments
    uint64_t tx_whole = 0;     // large frames passed without cutting
    uint64_t tx_segments = 0;  // that the cut ones became
    uint64_t tx_refused = 0;   // malformed or too many
    uint64_t rx_link_down = 0;
    uint64_t rx_mtu = 0;
    uint64_t rx_not_running = 0;
    uint64_t rx_faults = 0;
};

Cable::Cable(Options options)
    : options_(std::move(options)), log_(options_.dma_log_entries, options_.clock) {
    for (unsigned i = 0; i < kPorts; ++i) ends_[i] = std::make_unique<End>(*this, i);
}

Cable::~Cable() = default;

WirePort& Cable::port(unsigned port) {
    return *ends_[port];
}

void Cable::attach(unsigned port, WireDevice* device) {
    End& end = *ends_[port];
    end.receiver.attach(device);
    if (device != nullptr && !end.up) device->set_link(false);
}

template <typename Work>
bool Cable::take_turn(Work work) {
    if (busy_) return false;
    busy_ = true;
    postponed_in_turn_ = 0;
    work();
    while (!postponed_.empty()) {
        Postponed next = std::move(postponed_.front());
        postponed_.pop_front();
        if (next.flush) {
            ends_[1 - next.port]->receiver.flush();
        } else {
            carry(next.port, next.frame);
        }
    }
    busy_ = false;
    return true;
}

void Cable::transmit(unsigned from, Outgoing&& frame) {
    if (take_turn([&] { carry(from, frame); })) return;
    // A device that answers every delivery with a frame would keep us here for ever.
    if (++postponed_in_turn_ > kMaximumPostponed) {
        ends_[from]->tx_refused += 1;
        return;
    }
    postponed_.push_back({from, false, std::move(frame)});
}

void Cable::flush(unsigned from) {
    if (take_turn([&] { ends_[1 - from]->receiver.flush(); })) return;
    if (++postponed_in_turn_ > 2 * kMaximumPostponed) return;
    postponed_.push_back({from, true, {}});
}

void Cable::carry(unsigned from, Outgoing& frame) {
    End& end = *ends_[from];
    End& to = *ends_[1 - from];
    end.tx_frames += 1;
    end.tx_bytes += frame.bytes.size();
    if (frame.bytes.size() < kEthernetHeader || frame.bytes.size() > kMaximumFrame) {
        lose(to, frame.bytes, "not the length of a frame", end.tx_refused);
    } else if (!end.up || !to.up) {
        lose(to, frame.bytes, "the link is down", to.rx_link_down);
    } else if (!to.receiver.running()) {
        lose(to, frame.bytes, "the receiver is not running", to.rx_not_running);
    } else if (frame.mss != 0) {
        carry_large(to, frame);
    } else {
        Packet packet;
        packet.bytes = frame.bytes;
        packet.headers = parse_headers(packet.bytes);
        if (frame.ip_checksum) fill_ipv4_checksum(packet.bytes, packet.headers);
        packet.ip_checksum = verify_ipv4_checksum(packet.bytes, packet.headers);
        packet.l4_checksum = frame.checksum && fill_l4_checksum(packet.bytes, packet.headers)
                                 ? ChecksumState::kGood
                                 : verify_l4_checksum(packet.bytes, packet.headers);
        arrive(to, packet);
    }
}

void Cable::carry_large(End& to, Outgoing& frame) {
    End& end = *ends_[1 - to.port];
    Packet whole;
    whole.bytes = frame.bytes;
    whole.headers = parse_headers(whole.bytes, PacketEnd::kFrame);
    if (frame.header_length != 0 && whole.headers.l4 != L4::kOther &&
        frame.header_length != whole.headers.payload_offset) {
        forbid(end.port, {.kind = ForbiddenKind::kDescriptor,
                          .queue = fmt::format("transmit queue {}", frame.queue),
                          .descriptor = frame.descriptor,
                          .what = fmt::format("it says that {} bytes of headers are to be repeated "
                                              "before each segment, and the packet has {}",
                                              frame.header_length, whole.headers.payload_offset)});
        lose(to, frame.bytes, "its descriptor is wrong about the headers", end.tx_refused);
        return;
    }
    if (!can_segment(whole.headers, frame.mss)) {
        lose(to, frame.bytes, "cannot be segmented", end.tx_refused);
        return;
    }
    if (pass_whole(to, whole, frame.mss)) {
        end.tx_whole += 1;
        return;
    }
    end.tx_cut += 1;
    Segmenter segmenter(whole.bytes, whole.headers, frame.mss);
    while (auto segment = segmenter.next()) {
        end.tx_segments += 1;
        Packet packet;
        packet.bytes = segment->bytes;
        packet.headers = segment->headers;
        bool ipv4 = packet.headers.l3 == L3::kIpv4;
        packet.ip_checksum = ipv4 ? ChecksumState::kGood : ChecksumState::kUnknown;
        packet.l4_checksum = ChecksumState::kGood;
        arrive(to, packet);
    }
}

// Cutting a frame that the receiver would join again is work for nothing, and right by construction
// when nothing can happen to its segments on the way.
bool Cable::pass_whole(End& to, Packet& packet, uint16_t mss) {
    const ParsedHeaders& h = packet.headers;
    const ReceiveSettings& settings = to.receiver.settings();
    if (!settings.rsc || !to.held.empty() || h.payload_length() <= mss || !can_coalesce(h) ||
        h.end - h.l3_offset > kMaximumIpPacket ||
        uint32_t{h.payload_offset} - h.l3_offset + mss > settings.mtu)
        return false;
    uint32_t segments = (h.payload_length() + mss - 1) / mss;
    const RscLimits& limits = settings.rsc_limits;
    if (segments > limits.segments || mss < limits.shortest) return false;
    if (!faults_.empty() && !faults_.pass_over(to.port, h, to.receiver.steer(h).queue, segments))
        return false;
    packet.rsc_mss = mss;
    packet.ip_checksum = h.l3 == L3::kIpv4 ? ChecksumState::kGood : ChecksumState::kUnknown;
    packet.l4_checksum = ChecksumState::kGood;
    set_ip_length(packet.bytes, h);
    // As receive offload leaves it; summing up the payload would cost more than everything else.
    bool shown = options_.capture != nullptr && options_.capture->keeps_whole(packet.bytes.size());
    if (shown) {
        fill_l4_checksum(packet.bytes, h);
    } else {
        fill_pseudo_header_sum(packet.bytes, h);
    }
    capture(to, packet);
    to.receiver.receive(packet);
    return true;
}

void Cable::arrive(End& to, Packet& packet) {
    size_t maximum =
        size_t{to.receiver.settings().mtu} + kEthernetHeader + kVlanTag * packet.headers.vlan_tags;
    if (packet.bytes.size() > maximum) {
        lose(to, packet.bytes, "longer than the receiver's MTU", to.rx_mtu);
        return;
    }
    // An earlier segment of the same frame may have taken the link down.
    if (!to.up) {
        lose(to, packet.bytes, "the link is down", to.rx_link_down);
        return;
    }
    if (!faults_.empty()) {
        packet.fault =
            faults_.evaluate(to.port, packet.headers, to.receiver.steer(packet.headers).queue);
    }
    if (packet.fault) {
        to.rx_faults += 1;
        harm(to, packet);
    } else {
        capture(to, packet);
        to.receiver.receive(packet);
    }
    age(to);
}

void Cable::harm(End& to, Packet& packet) {
    const FaultHit& fault = packet.fault;
    tell(to.port, fmt::format("fault {}", fault_name(fault.what)), describe(packet.headers),
         fault.rule);
    switch (fault.what) {
        case FaultKind::kDrop:
            capture(to, packet);
            return;
        case FaultKind::kDuplicate:
            capture(to, packet);
            to.receiver.receive(packet);
            break;
        case FaultKind::kReorder:
            // The next frame, for which the one before it waits: it must not wait itself.
            if (std::any_of(to.held.begin(), to.held.end(), [](const Held& held) {
                    return held.packet.fault.what == FaultKind::kReorder;
                }))
                break;
            capture(to, packet);
            hold(to, packet);
            return;
        case FaultKind::kDelay:
            capture(to, packet);
            hold(to, packet);
            return;
        case FaultKind::kCorrupt: {
            size_t at =
                packet.headers.payload_offset + fault.bytes % packet.headers.payload_length();
            packet.bytes[at] = ~packet.bytes[at];
            packet.l4_checksum = verify_l4_checksum(packet.bytes, packet.headers);
            break;
        }
        case FaultKind::kLinkFlap:
            capture(to, packet);
            apply_link(to, false);
            to.up_again = options_.clock() + fault.milliseconds * kMillisecond;
            return;
        case FaultKind::kReset:
            capture(to, packet);
            if (to.receiver.device() != nullptr) to.receiver.device()->request_reset();
            return;
        case FaultKind::kNoSplit:
        case FaultKind::kSplitEarly:
        case FaultKind::kSplitLate:
        case FaultKind::kWrongQueue:
        case FaultKind::kNoBuffer:
        case FaultKind::kLoseInterrupt:
        case FaultKind::kHalfPacket:
        case FaultKind::kStuckPacket:
        case FaultKind::kEmptyBuffer:
        case FaultKind::kBufferError:
        case FaultKind::kOvertaken:
        case FaultKind::kHeaderError:
        case FaultKind::kForeignTag:
            break;  // the receiver's work
    }
    capture(to, packet);
    to.receiver.receive(packet);
}

void Cable::hold(End& to, const Packet& packet) {
    if (to.held.size() >= kMaximumHeld) release(to, 0);
    Held held;
    held.bytes.assign(packet.bytes.begin(), packet.bytes.end());
    held.packet = packet;
    // One more, because it is aged by its own arrival too.
    held.frames = uint64_t{packet.fault.frames} + 1;
    held.deadline = options_.clock() + packet.fault.milliseconds * kMillisecond;
    to.held.push_back(std::move(held));
}

void Cable::age(End& to) {
    if (to.held.empty()) return;
    for (Held& held : to.held) held.frames -= 1;
    for (size_t i = 0; i < to.held.size();) {
        if (to.held[i].frames == 0) {
            release(to, i);
        } else {
            i += 1;
        }
    }
}

void Cable::release(End& to, size_t index) {
    Held held = std::move(to.held[index]);
    to.held.erase(to.held.begin() + static_cast<ptrdiff_t>(index));
    held.packet.bytes = held.bytes;
    if (to.up) {
        to.receiver.receive(held.packet);
    } else {
        lose(to, held.packet.bytes, "the link is down", to.rx_link_down);
    }
}

void Cable::lose(End& to, std::span<const std::byte> bytes, const char* why, uint64_t& counter) {
    counter += 1;
    if (options_.capture != nullptr)
        options_.capture->packet(to.port, options_.clock(), bytes, fmt::format("dropped: {}", why));
    tell(to.port, "dropped",
         fmt::format("{}: {}", why, describe(parse_headers(bytes, PacketEnd::kFrame))));
}

void Cable::capture(const End& to, const Packet& packet) {
    if (options_.capture == nullptr) return;
    std::string comment;
    if (packet.fault)
        comment = fmt::format("fault {}: {}", packet.fault.rule, fault_name(packet.fault.what));
    options_.capture->packet(to.port, options_.clock(), packet.bytes, comment);
}

void Cable::tell(unsigned port, std::string what, std::string text, uint32_t rule) {
    if (!options_.on_event) return;
    options_.on_event({options_.clock(), port, std::move(what), std::move(text), rule});
}

void Cable::forbid(unsigned port, Forbidden asked) {
    std::string text = asked.queue;
    const auto add = [&text](const std::string& more) {
        if (!text.empty()) text += ", ";
        text += more;
    };
    if (asked.descriptor) add(fmt::format("descriptor {}", *asked.descriptor));
    if (asked.address) add(fmt::format("address {:#x}", *asked.address));
    add(asked.what);
    tell(port, "forbidden", fmt::format("{}: {}", name_of(asked.kind), text));
    forbidden_.add(port, std::move(asked));
}

void Cable::apply_link(End& end, bool up) {
    if (end.up == up) return;
    // It had arrived.
    if (!up) end.receiver.deliver_held();
    end.up = up;
    tell(end.port, "link", up ? "up" : "down");
    if (end.receiver.device() != nullptr) end.receiver.device()->set_link(up);
}

void Cable::set_link(unsigned port, bool up) {
    ends_[port]->up_again = kNoDeadline;
    take_turn([&] { apply_link(*ends_[port], up); });
}

void Cable::request_reset(unsigned port) {
    tell(port, "reset", "asked for on the control channel");
    take_turn([&] {
        if (ends_[port]->receiver.device() != nullptr)
            ends_[port]->receiver.device()->request_reset();
    });
}

bool Cable::die(unsigned port) {
    bool died = false;
    take_turn([&] { died = device(port) != nullptr && device(port)->die(); });
    if (died) tell(port, "died", "asked for on the control channel");
    return died;
}

WireDevice* Cable::device(unsigned port) const {
    return ends_[port]->receiver.device();
}

void Cable::mark(const std::string& text) {
    if (options_.capture != nullptr) options_.capture->mark(options_.clock(), text);
    tell(0, "mark", text);
}

uint64_t Cable::next_deadline() const {
    uint64_t next = kNoDeadline;
    for (const auto& end : ends_) {
        next = std::min({next, end->up_again, end->receiver.next_deadline()});
        for (const Held& held : end->held) next = std::min(next, held.deadline);
    }
    return next;
}

void Cable::run() {
    take_turn([this] {
        uint64_t now = options_.clock();
        for (const auto& end : ends_) {
            if (end->up_again <= now) {
                end->up_again = kNoDeadline;
                apply_link(*end, true);
            }
            for (size_t i = 0; i < end->held.size();) {
                if (end->held[i].deadline <= now) {
                    release(*end, i);
                } else {
                    i += 1;
                }
            }
            end->receiver.expire();
            end->receiver.flush();
        }
    });
}

std::vector<std::pair<std::string, uint64_t>> Cable::counters(unsigned port) const {
    const End& end = *ends_[port];
    std::vector<std::pair<std::string, uint64_t>> counters = {
        {"wire_tx_frames", end.tx_frames},           {"wire_tx_bytes", end.tx_bytes},
        {"wire_tx_frames_cut", end.tx_cut},          {"wire_tx_frames_whole", end.tx_whole},
        {"wire_tx_segments", end.tx_segments},       {"wire_tx_refused", end.tx_refused},
        {"wire_rx_link_down", end.rx_link_down},     {"wire_rx_longer_than_mtu", end.rx_mtu},
        {"wire_rx_not_started", end.rx_not_running}, {"wire_rx_faults", end.rx_faults},
    };
    auto received = end.receiver.counters();
    counters.insert(counters.end(), received.begin(), received.end());
    if (end.receiver.device() != nullptr) {
        auto device = end.receiver.device()->counters();
        counters.insert(counters.end(), device.begin(), device.end());
    }
    return counters;
}

}  // namespace zcrxlab::nic
