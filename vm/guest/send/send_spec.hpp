// SendSpec: what our sender does, as a person says it: "connections=4,size=1M,pattern=http".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

enum class SendPattern {
    kZcrxlab,  // bytes that no shift, swap or repetition leaves as they are (harness/ring/pattern)
    kZeros,
    kText,  // lines of 80 printable characters
    kHttp,  // each request is HTTP/1.1: POST with a body of `size` bytes, or GET if that is 0
};

struct SendSpec {
    unsigned connections = 1;            // side by side
    unsigned requests = 1;               // on each of them, one after another
    uint64_t size = 1 << 20;             // bytes of each request
    uint64_t write = 64 << 10;           // bytes of each write
    std::optional<uint64_t> rate;        // bytes per second and connection
    std::chrono::milliseconds think{0};  // between two requests
    // Requests go on for so long, however many they become.
    std::optional<std::chrono::milliseconds> duration;
    SendPattern pattern = SendPattern::kZcrxlab;
    std::string path = "/";  // of HTTP requests
    uint8_t family = 4;
    uint16_t port = 0;   // 0: the first of --port
    uint64_t seed = 1;   // of the first connection; each has one more
    bool reset = false;  // the connection ends with a reset
};

// EINVAL names the word that is wrong, and what could stand there.
Result<SendSpec> parse_send_spec(std::string_view text);

}  // namespace zcrxlab
