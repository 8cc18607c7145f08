// RecordPort: guest init's end of the virtio-serial port over which records go to the host and come
// from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/record.hpp"

namespace zcrxlab {

// A JSON string. Bytes above 0x7e become the code point of the same number.
std::string json_string(std::string_view bytes);

class RecordPort {
  public:
    // Waits for the port. `inherited`: programs get the descriptor, to send records themselves.
    Result<void> open(bool inherited);
    explicit operator bool() const { return static_cast<bool>(port_); }

    // Waits until the host has taken it. Without a port, or a host, it goes nowhere.
    void send(RecordType type, std::string_view bytes);
    // What a program wrote to one of its streams.
    void send_output(RecordStream stream, std::string_view bytes);

    // Readable when the host has said something.
    int fd() const { return port_.get(); }
    // The next record from the host, if it is there; EPROTO when its stream makes no sense.
    Result<std::optional<Record>> receive();

  private:
    Fd port_;
    RecordReader reader_;
};

}  // namespace zcrxlab
