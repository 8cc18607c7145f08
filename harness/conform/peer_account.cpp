// A PeerAccount as JSON.
#include "harness/conform/peer_account.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/conform/sha256.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<SeenEnd, std::string_view>, 6> kEnds{
    {{SeenEnd::kClosed, "closed"},
     {SeenEnd::kReset, "reset"},
     {SeenEnd::kOpen, "open"},
     {SeenEnd::kStuck, "stuck"},
     {SeenEnd::kShut, "shut"},
     {SeenEnd::kRefused, "refused"}}};
// One process has no more ports.
constexpr size_t kMostStreams = 65536;
constexpr size_t kMostClients = 1000;
// Of a run that nobody can read: no success.
constexpr int kUnreadableExit = 255;

// Empty for what is no hash.
std::string hash_from(const Json& json, const char* name) {
    const auto found = sha256_in(get<std::string>(json, name).value_or(""));
    return found.size() == 1 ? found.front() : std::string();
}

Result<PeerStream> stream_from(const Json& json) {
    const auto port = get<uint16_t>(json, "port");
    const auto sent = get<uint64_t>(json, "sent");
    const auto end = get<std::string>(json, "end");
    const auto* const known = std::ranges::find(
        kEnds, end.value_or(""), [](const auto& row) { return std::string(row.second); });
    if (!port || !sent || known == kEnds.end())
        return Error{EINVAL, "A stream of the peer has no port, bytes or end."};
    PeerStream stream{.port = *port, .sent = *sent, .end = known->first};
    stream.afterwards = get<bool>(json, "afterwards").value_or(false);
    stream.echoed = get<uint64_t>(json, "echoed").value_or(0);
    if (const auto position = get<uint64_t>(json, "wrong"))
        stream.wrong = WrongByte{*position, get<int64_t>(json, "shift")};
    stream.hash = hash_from(json, "hash");
    stream.answered = hash_from(json, "answered");
    return stream;
}

ClientRun client_from(const Json& json) {
    return {.afterwards = get_or(json, "afterwards", false),
            .exit = get_or(json, "exit", kUnreadableExit),
            .signal = get<int>(json, "signal"),
            .overdue = get_or(json, "overdue", false)};
}

std::optional<Growth> growth_from(const Json& json) {
    const Json* const growth = member(json, "growth");
    if (growth == nullptr || !growth->is_object()) return std::nullopt;
    return Growth{.connections = get_or<uint64_t>(*growth, "connections", 0),
                  .memory_before = get_or<uint64_t>(*growth, "memory_before", 0),
                  .memory_after = get_or<uint64_t>(*growth, "memory_after", 0),
                  .files_before = get_or<uint64_t>(*growth, "files_before", 0),
                  .files_after = get_or<uint64_t>(*growth, "files_after", 0)};
}

}  // namespace

std::string_view name_of(SeenEnd end) {
    return std::ranges::find(kEnds, end, &std::pair<SeenEnd, std::string_view>::first)->second;
}

std::string to_json(const PeerAccount& account) {
    Json json{{"streams", Json::array()}};
    for (const PeerStream& stream : account.streams) {
        Json one{{"port", stream.port}, {"sent", stream.sent}, {"end", name_of(stream.end)}};
        if (stream.afterwards) one["afterwards"] = true;
        if (stream.echoed != 0) one["echoed"] = stream.echoed;
        if (stream.wrong) one["wrong"] = stream.wrong->position;
        if (stream.wrong && stream.wrong->shift) one["shift"] = *stream.wrong->shift;
        if (!stream.hash.empty()) one["hash"] = stream.hash;
        if (!stream.answered.empty()) one["answered"] = stream.answered;
        json["streams"].push_back(std::move(one));
    }
    if (account.held_back != 0) json["held_back"] = account.held_back;
    if (const auto& growth = account.growth)
        json["growth"] = {{"connections", growth->connections},
                          {"memory_before", growth->memory_before},
                          {"memory_after", growth->memory_after},
                          {"files_before", growth->files_before},
                          {"files_after", growth->files_after}};
    for (const ClientRun& client : account.clients) {
        Json one{{"exit", client.exit}};
        if (client.afterwards) one["afterwards"] = true;
        if (client.signal) one["signal"] = *client.signal;
        if (client.overdue) one["overdue"] = true;
        json["clients"].push_back(std::move(one));
    }
    if (account.client_was_done) json["client_was_done"] = true;
    if (account.packets_meanwhile) json["packets_meanwhile"] = *account.packets_meanwhile;
    if (account.idle_rules != 0) json["idle_rules"] = account.idle_rules;
    if (account.left_open != 0) json["left_open"] = account.left_open;
    if (account.silent_milliseconds) json["silent_milliseconds"] = *account.silent_milliseconds;
    if (account.busy_milliseconds) json["busy_milliseconds"] = *account.busy_milliseconds;
    if (!account.error.empty()) json["error"] = account.error;
    return json_text(json);
}

Result<PeerAccount> peer_account_from_json(std::string_view line) {
    const auto json = parse_json_object(line, {.depth = 8, .bytes = size_t{64} << 20});
    if (!json) return json.error();
    const Json* const streams = member(*json, "streams");
    if (streams == nullptr || !streams->is_array() || streams->size() > kMostStreams)
        return Error{EINVAL, "The peer's account has no list of streams."};
    PeerAccount account;
    for (const Json& one : *streams) {
        auto stream = stream_from(one);
        if (!stream) return stream.error();
        account.streams.push_back(*stream);
    }
    account.silent_milliseconds = get<uint64_t>(*json, "silent_milliseconds");
    account.busy_milliseconds = get<uint64_t>(*json, "busy_milliseconds");
    account.held_back = get_or<uint64_t>(*json, "held_back", 0);
    account.growth = growth_from(*json);
    if (const Json* const clients = member(*json, "clients")) {
        if (!clients->is_array() || clients->size() > kMostClients)
            return Error{EINVAL, "The peer's account has no list of clients."};
        for (const Json& one : *clients) account.clients.push_back(client_from(one));
    }
    account.client_was_done = get_or(*json, "client_was_done", false);
    account.packets_meanwhile = get<uint64_t>(*json, "packets_meanwhile");
    account.idle_rules = get_or<uint64_t>(*json, "idle_rules", 0);
    account.left_open = get_or<uint64_t>(*json, "left_open", 0);
    account.error = get<std::string>(*json, "error").value_or("");
    return account;
}

}  // namespace zcrxlab
