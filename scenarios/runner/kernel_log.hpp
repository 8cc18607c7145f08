// KernelLog: reads and writes /dev/kmsg.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

class KernelLog {
  public:
    // Reads from the oldest message on. EPERM or EACCES without root.
    static Result<KernelLog> open();

    // Messages that are new since the last call; what the kernel threw away before it was read is
    // told by a message of its own. Waits a second at most for the rest of a report of KCSAN.
    std::vector<KernelMessage> read_new();
    // Writes "zcrxlab: TEXT" with level 6 (information).
    void write(const std::string& text);

  private:
    explicit KernelLog(Fd fd) : fd_(std::move(fd)) {}

    std::vector<KernelMessage> read_there_is();

    Fd fd_;
};

// What stands in place of those, which breaks I7: nobody knows what was among them.
KernelMessage messages_thrown_away();

// One record as read from /dev/kmsg: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT\n KEY=VALUE\n".
// The text begins with the time in seconds, "[   12.345678] ". EINVAL for another form.
Result<KernelMessage> parse_kernel_message(std::string_view record);

}  // namespace zcrxlab
