// Session: one client of the control channel as bytes in and bytes out: lines, their bounds, and
// back-pressure. No socket.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nic/control/commands.hpp"

namespace zcrxlab::nic {

class Session {
  public:
    static constexpr size_t kMaximumLine = size_t{64} * 1024;  // bytes, without the newline

    explicit Session(Commands& commands) : commands_(commands) {}

    // Bytes that feed() takes now; 0 while the client has not read what it was answered.
    size_t room() const;
    // Adds at most room() bytes as they came, and handles the lines that they complete. A line that
    // is too long is answered with an error when it ends; an empty one is ignored.
    void feed(std::span<const char> bytes);

    // What is to be sent, and that `count` bytes of it were.
    std::span<const char> output() const { return std::span(output_).subspan(sent_); }
    void sent(size_t count);

  private:
    void handle_lines();
    void answer(const Answer& answer);

    Commands& commands_;
    std::string input_;      // begins with the line that is not handled yet
    bool too_long_ = false;  // its beginning was thrown away
    std::string output_;
    size_t sent_ = 0;
};

}  // namespace zcrxlab::nic
