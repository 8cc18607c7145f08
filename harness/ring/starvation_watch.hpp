// StarvationWatch: when it is sure that a NIC has no buffers for a queue and will not get any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace zcrxlab {

// What a device says of a queue.
struct DeviceLook {
    int64_t posted = 0;    // buffers that it has for the queue
    uint64_t dropped = 0;  // packets that it dropped for want of buffers, in all
};

// A queue starves where the device has too few buffers for a packet, drops what a sender tries
// again, and gets no more buffers, look after look. Each look takes an answer of the device, so
// that neither it nor the guest stands still. The clock alone proves nothing on a machine that is
// slow, so that all three count: looks, packets and time.
class StarvationWatch {
  public:
    using Clock = std::chrono::steady_clock;

    // Fewer are too few for a packet of 64 KiB, which takes 17 pages.
    static constexpr int64_t kOfPacket = 17;
    // The device must have been looked at so often, and have dropped so many packets meanwhile. A
    // sender waits twice as long before it tries again each time.
    static constexpr uint32_t kLooks = 10;
    static constexpr uint64_t kDropped = 3;

    // `moment`: how long it must have starved, too.
    explicit StarvationWatch(std::chrono::milliseconds moment) : moment_(moment) {}

    // Whether another look may tell more: it costs the device and the guest something.
    bool due(Clock::time_point now) const { return !last_ || now - *last_ >= moment_ / kLooks; }
    // What the device says now; whether it starves. Nothing: it does not tell.
    bool starves(const std::optional<DeviceLook>& look, Clock::time_point now);
    // A packet came, or buffers were given back.
    void forget() { seen_.reset(); }

  private:
    struct Seen {
        DeviceLook look;
        Clock::time_point since;
        uint32_t looks = 0;
    };
    std::chrono::milliseconds moment_;
    std::optional<Clock::time_point> last_;
    std::optional<Seen> seen_;  // the first look at what has not changed since
};

}  // namespace zcrxlab
