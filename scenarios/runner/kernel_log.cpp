// KernelLog: records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg).
#include "scenarios/runner/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <thread>

#include "harness/base/slowness.hpp"
#include "harness/oracle/data_races.hpp"
#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

namespace {

using namespace std::chrono_literals;

// Behind a line of a report, for the next one.
constexpr auto kWaitsForTheRest = 1s;

// Takes a number that ends in `end` off the front of the text.
bool take_number(std::string_view& text, char end, uint64_t& out) {
    const char* last = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), last, out);
    if (error != std::errc() || at == last || *at != end) return false;
    text.remove_prefix(static_cast<size_t>(at - text.data()) + 1);
    return true;
}

}  // namespace

Result<KernelLog> KernelLog::open() {
    Fd fd(::open("/dev/kmsg", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return error_from_errno("open /dev/kmsg (are you root?)");
    return KernelLog(std::move(fd));
}

std::vector<KernelMessage> KernelLog::read_new() {
    std::vector<KernelMessage> messages = read_there_is();
    // KCSAN writes its report line by line, and half of one cannot be judged.
    const auto until = std::chrono::steady_clock::now() + scaled(kWaitsForTheRest);
    while (end_inside_a_race(messages) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(1ms);
        std::ranges::move(read_there_is(), std::back_inserter(messages));
    }
    return messages;
}

std::vector<KernelMessage> KernelLog::read_there_is() {
    std::vector<KernelMessage> messages;
    char record[8192];
    while (true) {
        const ssize_t got = read(fd_.get(), record, sizeof(record));
        if (got > 0) {
            Result<KernelMessage> message =
                parse_kernel_message({record, static_cast<size_t>(got)});
            if (message) messages.push_back(*std::move(message));
        } else if (got < 0 && errno == EPIPE) {
            messages.push_back(messages_thrown_away());
        } else if (got == 0 || errno != EINTR) {
            return messages;
        }
    }
}

KernelMessage messages_thrown_away() {
    return {3, std::string(kMessagesThrownAway) + "; boot with a larger log_buf_len"};
}

void KernelLog::write(const std::string& text) {
    // Without a newline the record stays open for a continuation, and no reader sees it.
    const std::string line = "<6>zcrxlab: " + text + "\n";
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), line.data(), line.size());
}

Result<KernelMessage> parse_kernel_message(std::string_view record) {
    uint64_t priority = 0, sequence = 0, microseconds = 0;
    const size_t head_end = record.find(';');
    std::string_view head = record.substr(0, head_end);
    // The flags may be followed by further fields.
    if (head_end == std::string_view::npos || !take_number(head, ',', priority) ||
        !take_number(head, ',', sequence) || !take_number(head, ',', microseconds))
        return Error{EINVAL, "This is no record of /dev/kmsg: " + std::string(record)};
    std::string_view text = record.substr(head_end + 1);
    text = text.substr(0, text.find('\n'));
    char time[32];
    std::snprintf(time, sizeof(time), "[%5llu.%06llu] ",
                  static_cast<unsigned long long>(microseconds / 1000000),
                  static_cast<unsigned long long>(microseconds % 1000000));
    return KernelMessage{static_cast<uint8_t>(priority & 7), time + std::string(text)};
}

}  // namespace zcrxlab
