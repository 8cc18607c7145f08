// Writes and reads records.
#include "vm/guest/init/record_port.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <span>

#include "vm/guest/guest_plan.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr int kPortMilliseconds = 10'000;

}  // namespace

std::string json_string(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == '"' || byte == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20 || byte > 0x7e) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
            text += escape.data();
        } else {
            text += c;
        }
    }
    return text + "\"";
}

Result<void> RecordPort::open(bool inherited) {
    const Result<std::string> path = find_port(kRecordsPort, kPortMilliseconds);
    if (!path) return path.error();
    // Two cannot write to it at once: either the program sends records itself and inherits the
    // descriptor, or init sends what it prints.
    port_.reset(::open(path->c_str(), O_RDWR | (inherited ? 0 : O_CLOEXEC)));
    if (!port_) return error_from_errno("open " + *path);
    return {};
}

void RecordPort::send(RecordType type, std::string_view bytes) {
    if (!port_) return;
    const std::vector<std::byte> record = encode_record(type, bytes);
    for (size_t sent = 0; sent < record.size();) {
        const ssize_t put = ::write(port_.get(), record.data() + sent, record.size() - sent);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return;  // the host is gone, and so will we be
        sent += static_cast<size_t>(put);
    }
}

void RecordPort::send_output(RecordStream stream, std::string_view bytes) {
    send(RecordType::kOutput, std::string(1, static_cast<char>(stream)).append(bytes));
}

Result<std::optional<Record>> RecordPort::receive() {
    for (;;) {
        auto record = reader_.next();
        if (!record || *record) return record;
        pollfd ready{port_.get(), POLLIN, 0};
        if (::poll(&ready, 1, 0) <= 0 || (ready.revents & POLLIN) == 0) return record;
        std::array<std::byte, 16384> chunk{};
        const ssize_t got = ::read(port_.get(), chunk.data(), chunk.size());
        if (got <= 0) return record;
        reader_.feed(std::span(chunk).first(static_cast<size_t>(got)));
    }
}

}  // namespace zcrxlab
