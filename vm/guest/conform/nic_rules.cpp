// Talks to the NIC's control channel.
#include "vm/guest/conform/nic_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "harness/base/environment.hpp"

namespace zcrxlab {

Result<void> NicRules::add(std::string_view rules) {
    const char* const path = std::getenv(environment::kControl);
    if (path == nullptr || *path == '\0')
        return Error{ENOENT, "This NIC cannot be told to make mistakes; leave out --nic."};
    auto channel = ControlChannel::open(path);
    if (!channel) return channel.error();
    channel_ = std::move(*channel);
    for (size_t at = 0; at < rules.size();) {
        const size_t end = std::min(rules.find('\n', at), rules.size());
        const auto added = channel_->call(
            "{\"do\":\"fault\",\"rule\":" + std::string(rules.substr(at, end - at)) + "}");
        if (!added) return added.error();
        at = end + 1;
    }
    return {};
}

NicRules::~NicRules() {
    if (channel_) (void)channel_->call(R"({"do":"clear"})").ok();
}

}  // namespace zcrxlab
