// Talks to the NIC's control channel.
#include "vm/guest/conform/nic_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "harness/base/environment.hpp"
#include "harness/base/json.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

// Never acts, and counts what it is for.
constexpr std::string_view kCountingRule =
    R"({"what":"drop","match":{"payload":true,"skip":18446744073709551615}})";

Error not_understood() {
    return Error{EPROTO, "The NIC's answer was not understood."};
}

}  // namespace

Result<void> NicRules::open() {
    if (channel_) return {};
    const char* const path = std::getenv(environment::kControl);
    if (path == nullptr || *path == '\0')
        return Error{ENOENT, "This NIC cannot be told to make mistakes; leave out --nic."};
    auto channel = ControlChannel::open(path);
    if (!channel) return channel.error();
    channel_ = std::move(*channel);
    return {};
}

Result<uint64_t> NicRules::add_one(std::string_view rule) {
    const auto answer = channel_->call("{\"do\":\"fault\",\"rule\":" + std::string(rule) + "}");
    if (!answer) return answer.error();
    const auto json = parse_json_object(*answer);
    const auto id = json ? get<uint64_t>(*json, "id") : std::nullopt;
    if (!id) return not_understood();
    return *id;
}

Result<void> NicRules::add(std::string_view rules) {
    if (auto opened = open(); !opened) return opened;
    for (size_t at = 0; at < rules.size();) {
        const size_t end = std::min(rules.find('\n', at), rules.size());
        const auto id = add_one(rules.substr(at, end - at));
        if (!id) return id.error();
        added_.push_back(*id);
        at = end + 1;
    }
    return {};
}

Result<void> NicRules::count_packets() {
    if (auto opened = open(); !opened) return opened;
    const auto id = add_one(kCountingRule);
    if (!id) return id.error();
    counting_ = *id;
    return {};
}

Result<std::map<uint64_t, NicRules::Count>> NicRules::counts() {
    std::map<uint64_t, Count> counts;
    if (!channel_) return counts;
    const auto answer = channel_->call(R"({"do":"faults"})");
    if (!answer) return answer.error();
    const auto json = parse_json_object(*answer);
    const Json* const rules = json ? member(*json, "rules") : nullptr;
    if (rules == nullptr || !rules->is_array()) return not_understood();
    for (const Json& rule : *rules)
        if (const auto id = get<uint64_t>(rule, "id"))
            counts[*id] = {.seen = get_or<uint64_t>(rule, "seen", 0),
                           .hits = get_or<uint64_t>(rule, "hits", 0)};
    return counts;
}

Result<uint64_t> NicRules::packets() {
    const auto all = counts();
    if (!all) return all.error();
    const auto found = all->find(counting_);
    if (found == all->end()) return not_understood();
    return found->second.seen;
}

Result<uint64_t> NicRules::idle() {
    const auto all = counts();
    if (!all) return all.error();
    return static_cast<uint64_t>(std::ranges::count_if(added_, [&](uint64_t id) {
        const auto found = all->find(id);
        return found == all->end() || found->second.hits == 0;
    }));
}

NicRules::~NicRules() {
    if (channel_) (void)channel_->call(R"({"do":"clear"})").ok();
}

}  // namespace zcrxlab
