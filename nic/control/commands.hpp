// Commands: what the control channel understands (README.md in this folder), without its sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nic/wire/cable.hpp"

namespace zcrxlab::nic {

// What goes back to the client: a line of JSON without its newline, then raw bytes.
struct Answer {
    std::string line;
    std::vector<std::byte> bytes;
};

class Commands {
  public:
    static constexpr uint64_t kMaximumLogEntries = 65536;  // in one answer
    static constexpr uint64_t kMaximumForbidden = 256;     // in one answer
    static constexpr size_t kMaximumMark = 1000;           // bytes of text

    // Counters of a port besides those of the cable and its device.
    using MoreCounters =
        std::function<std::vector<std::pair<std::string, uint64_t>>(unsigned port)>;

    // The cable is not owned. `version` is what "ping" answers.
    Commands(Cable& cable, std::string version, MoreCounters more_counters = {})
        : cable_(cable), version_(std::move(version)), more_counters_(std::move(more_counters)) {}

    // Does what one line asks. What it does not understand changes nothing.
    Answer handle(std::string_view line);

  private:
    Cable& cable_;
    std::string version_;
    MoreCounters more_counters_;
};

// The answer to what went wrong: {"ok": false, "error": sentence}.
std::string refusal(std::string_view sentence);

}  // namespace zcrxlab::nic
