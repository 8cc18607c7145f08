// DeviceLog: one JSON line for each fault, drop, mark and misbehaviour, in a file of bounded size.
#include "nic/control/device_log.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

namespace zcrxlab::nic {

void DeviceLog::write(const WireEvent& event) {
    bool always = event.rule != 0 || event.what == "mark";
    uint64_t number = ++by_kind_[event.what];
    if (!always && number > kInFull && number % kSampling != 0) {
        left_out_ += 1;
        return;
    }
    nlohmann::ordered_json object{
        {"t", event.nanoseconds}, {"port", event.port}, {"what", event.what}, {"text", event.text}};
    if (event.rule != 0) object["rule"] = event.rule;
    if (!always && number > kInFull) object["number"] = number;
    write_line(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void DeviceLog::write_line(std::string line) {
    if (full_ || written_ + line.size() > maximum_) {
        left_out_ += 1;
        if (full_) return;
        full_ = true;
        line = "{\"what\":\"log\",\"text\":\"This file is full; nothing more is written.\"}\n";
    }
    std::string_view left = line;
    while (!left.empty()) {
        ssize_t count = ::write(file_.get(), left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            left_out_ += 1;
            return;
        }
        left.remove_prefix(static_cast<size_t>(count));
    }
    written_ += line.size();
}

}  // namespace zcrxlab::nic
