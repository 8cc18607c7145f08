// ControlChannel: the client of an emulated NIC's control channel (nic/control/README.md), over
// a virtio-serial port or a UNIX socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/dma_log.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// Forbidden requests of drivers, in order of their numbers.
struct ForbiddenList {
    uint64_t newest = 0;  // number of the newest that there was; 0 = none
    uint64_t lost = 0;    // after the one asked for, and gone
    std::vector<ForbiddenAsked> asked;
};

class ControlChannel {
  public:
    // Opens a character device, or connects to a UNIX socket, and gets in step with the device by a
    // ping: what an earlier user left unread is thrown away. `patience` becomes the timeout.
    static Result<ControlChannel> open(
        const std::string& path,
        std::chrono::milliseconds patience = std::chrono::milliseconds(10000));
    // Over an open, connected descriptor; no ping.
    explicit ControlChannel(Fd fd);

    // One command, its answer as it came (a line of JSON without the newline). EREMOTEIO with the
    // device's sentence where it says no; ETIMEDOUT, EPROTO for what is no answer.
    Result<std::string> call(std::string_view json);
    // Log entries with a sequence number above `after`, with the flows they belong to.
    struct Log {
        uint64_t first = 0;
        uint64_t last = 0;    // ask for those after this one next
        uint64_t newest = 0;  // that the device has written; equal to `last` at the end
        DmaWrites writes;
    };
    Result<Log> log(uint64_t after, uint32_t limit = 0);
    // What drivers asked that is forbidden, with a number above `after`: all that there was when
    // the question came.
    Result<ForbiddenList> forbidden(uint64_t after);

    // No answer for so long, scaled where it is waited for: ETIMEDOUT.
    std::chrono::milliseconds timeout{10000};

  private:
    Result<void> get_in_step();
    Result<void> wait_for(short events);
    Result<void> send(std::string_view line);
    Result<std::string> read_line();
    Result<std::vector<std::byte>> read_bytes(size_t count);
    Result<void> fill();  // reads what comes into buffer_

    Fd fd_;
    std::vector<std::byte> buffer_;
    size_t start_ = 0;
};

// The parts that meet foreign bytes, for tests and fuzzing.
// The answer line of `log`: what it announces. EPROTO for numbers that do not fit each other.
struct LogAnnouncement {
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t newest = 0;
    uint64_t lost = 0;
    uint64_t entries = 0;
    uint64_t flows = 0;
    uint64_t bytes = 0;
};
Result<LogAnnouncement> parse_log_answer(std::string_view json);
Result<DmaWrites> parse_log_bytes(const LogAnnouncement& announced,
                                  std::span<const std::byte> bytes);
// The answer line of `forbidden` to those after this number. EPROTO for what does not fit.
Result<ForbiddenList> parse_forbidden_answer(std::string_view json, uint64_t after);
// EREMOTEIO if `ok` is false, EPROTO if it is no answer.
Result<void> check_answer(std::string_view json);

}  // namespace zcrxlab
