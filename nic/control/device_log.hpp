// DeviceLog: one JSON line for each fault, drop, mark and misbehaviour, in a file of bounded size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/fd.hpp"
#include "nic/wire/cable.hpp"

namespace zcrxlab::nic {

class DeviceLog {
  public:
    static constexpr uint64_t kDefaultMaximum = 64U << 20;  // bytes
    // Of each kind but faults and marks this many lines are written in full, then one in kSampling.
    static constexpr uint64_t kInFull = 1000;
    static constexpr uint64_t kSampling = 1000;

    explicit DeviceLog(Fd file, uint64_t maximum = kDefaultMaximum)
        : file_(std::move(file)), maximum_(maximum) {}

    // {"t": nanoseconds, "port": 0, "what": "fault drop", "text": "...", "rule": 3}
    void write(const WireEvent& event);
    // Lines that were left out: sampled away, beyond the size, or not writable.
    uint64_t left_out() const { return left_out_; }

  private:
    void write_line(std::string line);

    Fd file_;
    uint64_t maximum_;
    uint64_t written_ = 0;
    uint64_t left_out_ = 0;
    bool full_ = false;
    std::map<std::string, uint64_t, std::less<>> by_kind_;
};

}  // namespace zcrxlab::nic
