// Session: one client of the control channel as bytes in and bytes out.
#include "nic/control/session.hpp"

#include <string_view>

namespace zcrxlab::nic {

size_t Session::room() const {
    if (!output().empty()) return 0;
    return kMaximumLine + 1 - input_.size();
}

void Session::feed(std::span<const char> bytes) {
    input_.append(bytes.begin(), bytes.end());
    handle_lines();
}

void Session::sent(size_t count) {
    sent_ += count;
    if (sent_ < output_.size()) return;
    sent_ = 0;
    output_.clear();
    // An answer to "log" is megabytes; a client that only pings afterwards needs none of them.
    if (output_.capacity() > kMaximumLine) output_.shrink_to_fit();
    handle_lines();
}

// One answer at a time: the next command is looked at when the client has read the last answer.
void Session::handle_lines() {
    while (output().empty()) {
        size_t end = input_.find('\n');
        if (end == std::string::npos) break;
        std::string_view line = std::string_view(input_).substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (too_long_ || line.size() > kMaximumLine) {
            answer({refusal("A command has at most 65536 bytes."), {}});
        } else if (!line.empty()) {
            answer(commands_.handle(line));
        }
        too_long_ = false;
        input_.erase(0, end + 1);
    }
    if (input_.size() > kMaximumLine && input_.find('\n') == std::string::npos) {
        too_long_ = true;
        input_.clear();
    }
}

void Session::answer(const Answer& answer) {
    output_ += answer.line;
    output_ += '\n';
    output_.append(reinterpret_cast<const char*>(answer.bytes.data()), answer.bytes.size());
}

}  // namespace zcrxlab::nic
