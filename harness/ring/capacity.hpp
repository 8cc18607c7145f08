// Measuring the capacity of an area: which buffers were handed out while none went back
// (CapacityCount), and what a pause in which none comes means (Dryness).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zcrxlab {

class Ifq;

struct CapacityOptions {
    std::chrono::milliseconds timeout{30000};
    // Without a CQE for so long an area of which next to nothing is left counts as empty (a NIC
    // drops; only copies give -ENOMEM). Too short only costs another step of pushing; a sender that
    // waits for longer doubles its pauses. After a step that brought no missing buffer it is
    // doubled, up to `longest_quiet`: the way to the sender may be that long.
    std::chrono::milliseconds quiet{15};
    std::chrono::milliseconds longest_quiet{250};
    // With a NIC: while buffers are missing, so many that were counted go back, so many times, to
    // push through what the driver keeps.
    uint32_t pushed = 64;
    uint32_t rounds = 48;
    // How long the next CQE may take while the NIC has buffers for it, or may have.
    std::chrono::milliseconds pause{4000};
    // After so many pauses in a row without a packet nothing comes any more: a sender has tried
    // again ten times by then, each time after twice as long.
    uint32_t silent = 3;
    // Asked after a pause without a packet: whether the driver had buffers that it did not give its
    // NIC. One that left it so for a whole pause does not mend it. Empty: nobody can tell.
    std::function<bool()> withheld = {};
};

struct CapacityCount {
    explicit CapacityCount(const Ifq* counted) : ifq(counted) {}

    // A CQE of `length` bytes at a CQE offset.
    void add(uint64_t offset, uint32_t length, uint32_t buffer_size);
    // What is behind a CQE offset goes back: it was counted, and may come again.
    void give_back(uint64_t offset, uint32_t buffer_size);
    // Buffers of which we have a part.
    size_t in_hand() const { return in_hand_; }

    const Ifq* ifq;
    // Buffer (CQE offset / buffer size) -> the ranges of bytes in it that were handed out.
    std::unordered_map<uint64_t, std::vector<std::pair<uint32_t, uint32_t>>> taken;
    uint64_t handed_twice = 0;  // CQEs that overlap an earlier one
    uint64_t cqes = 0;
    // Before then silence means nothing, and nobody has to look.
    std::chrono::steady_clock::time_point silence_means{};

  private:
    size_t in_hand_ = 0;
};

// What silence means depends on how many buffers are away from us. A driver keeps a few that no
// packet can reach. If more than these are away, the NIC has buffers, so that the sender is slow;
// or they are lost, which only a whole pause can say.
class Dryness {
  public:
    explicit Dryness(const CapacityOptions& options)
        : options_(options), quiet_(options.quiet), kept_(options.pushed) {}

    // Without a CQE for so long, the area is dry. `began` is whether a CQE came since buffers were
    // last given back; `away` is how many buffers neither we have nor a socket of ours.
    std::chrono::milliseconds patience(bool began, size_t away) const;
    // No pause that is shorter means anything.
    std::chrono::milliseconds shortest() const { return quiet_; }
    // The area was dry while so many buffers were away.
    void dry(size_t away);
    // Buffers were pushed through, and with them came one that had been missing, or none did.
    void pushed(bool found);
    // Before buffers are called lost, a retransmission may take as long as it likes.
    void last_round() { quiet_ = options_.pause; }

  private:
    const CapacityOptions& options_;
    std::chrono::milliseconds quiet_;
    size_t kept_;  // fewer than so many buffers may stay away from us for ever
};

}  // namespace zcrxlab
