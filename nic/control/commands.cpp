// Commands: what the control channel understands.
#include "nic/control/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/faults/fault_rule_json.hpp"
#include "harness/faults/json_text.hpp"

namespace zcrxlab::nic {
namespace {

using nlohmann::json;

std::string one_line(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<uint64_t> number(const json& command, const char* name, uint64_t otherwise,
                        uint64_t maximum) {
    auto at = command.find(name);
    if (at == command.end()) return otherwise;
    if (!at->is_number_unsigned() || at->get<uint64_t>() > maximum)
        return Error{EINVAL,
                     fmt::format("\"{}\" must be a whole number from 0 to {}.", name, maximum)};
    return at->get<uint64_t>();
}

Result<unsigned> port_of(const json& command) {
    auto port = number(command, "port", 0, Cable::kPorts - 1);
    if (!port) return port.error();
    return static_cast<unsigned>(*port);
}

template <typename T>
void append(std::vector<std::byte>& out, const std::vector<T>& objects) {
    auto bytes = std::as_bytes(std::span(objects));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

// The token tells a client which answer is to its own question.
json ping(const std::string& version, const json& command) {
    json answer = {{"version", version}};
    if (const auto token = command.find("token"); token != command.end() && token->is_string())
        answer["token"] = *token;
    return answer;
}

Result<json> add_fault(Cable& cable, const json& command) {
    auto rule = command.find("rule");
    if (rule == command.end())
        return Error{EINVAL, "A fault needs a rule: {\"do\":\"fault\",\"rule\":{\"what\":...}}."};
    auto parsed = fault_rule_from_json(*rule);
    if (!parsed) return parsed.error();
    const auto standing = command.find("standing");
    if (standing != command.end() && !standing->is_boolean())
        return Error{EINVAL, "\"standing\" is true or false."};
    auto id = cable.faults().add(*parsed, standing != command.end() && standing->get<bool>());
    if (!id) return id.error();
    return json{{"id", *id}};
}

json list_faults(Cable& cable) {
    json rules = json::array();
    for (const Faults::Entry& entry : cable.faults().entries()) {
        json rule = fault_rule_to_json(entry.rule);
        rule["port"] = entry.rule.port;
        rules.push_back({{"id", entry.id},
                         {"rule", std::move(rule)},
                         {"seen", entry.seen},
                         {"hits", entry.hits}});
    }
    return {{"rules", rules}};
}

// Null where the device of the port has no driver that commands it.
CommandFaults* command_faults_of(const Cable& cable, unsigned port) {
    WireDevice* device = cable.device(port);
    return device != nullptr ? device->command_faults() : nullptr;
}

Result<json> clear_faults(Cable& cable, const json& command) {
    if (!command.contains("id")) {
        cable.faults().clear();
        for (unsigned port = 0; port < Cable::kPorts; ++port)
            if (CommandFaults* faults = command_faults_of(cable, port)) faults->clear();
        return json::object();
    }
    auto id = number(command, "id", 0, std::numeric_limits<uint32_t>::max());
    if (!id) return id.error();
    if (auto removed = cable.faults().remove(static_cast<uint32_t>(*id)); !removed)
        return removed.error();
    return json::object();
}

Result<json> read_log(const Cable& cable, const json& command, std::vector<std::byte>& bytes) {
    auto after = number(command, "after", 0, std::numeric_limits<uint64_t>::max());
    if (!after) return after.error();
    auto limit = number(command, "limit", 0, std::numeric_limits<uint64_t>::max());
    if (!limit) return limit.error();
    if (*limit == 0 || *limit > Commands::kMaximumLogEntries) *limit = Commands::kMaximumLogEntries;
    DmaLog::Extract extract = cable.log().extract(*after, *limit);
    append(bytes, extract.entries);
    append(bytes, extract.flows);
    return json{{"first", extract.first},
                {"last", extract.last},
                {"newest", extract.newest},
                {"lost", extract.lost},
                {"entries", extract.entries.size()},
                {"flows", extract.flows.size()},
                {"bytes", bytes.size()}};
}

Result<json> read_forbidden(const Cable& cable, const json& command) {
    auto after = number(command, "after", 0, std::numeric_limits<uint64_t>::max());
    if (!after) return after.error();
    ForbiddenLog::Extract extract = cable.forbidden().extract(*after, Commands::kMaximumForbidden);
    json asked = json::array();
    for (const ForbiddenLog::Entry& entry : extract.entries) {
        json one = {{"number", entry.number},
                    {"port", entry.port},
                    {"kind", name_of(entry.asked.kind)},
                    {"queue", entry.asked.queue},
                    {"what", entry.asked.what}};
        if (entry.asked.descriptor) one["descriptor"] = *entry.asked.descriptor;
        if (entry.asked.address) one["address"] = *entry.asked.address;
        asked.push_back(std::move(one));
    }
    return json{{"newest", extract.newest}, {"lost", extract.lost}, {"asked", std::move(asked)}};
}

json all_counters(const Cable& cable, const Commands::MoreCounters& more) {
    json ports = json::array();
    for (unsigned port = 0; port < Cable::kPorts; ++port) {
        json object = json::object();
        for (const auto& [name, value] : cable.counters(port)) object[name] = value;
        if (more) {
            for (const auto& [name, value] : more(port)) object[name] = value;
        }
        ports.push_back(object);
    }
    return {{"ports", ports}};
}

Result<json> set_link(Cable& cable, const json& command) {
    auto port = port_of(command);
    if (!port) return port.error();
    auto up = command.find("up");
    if (up == command.end() || !up->is_boolean())
        return Error{EINVAL, "\"up\" must be true or false."};
    cable.set_link(*port, up->get<bool>());
    return json::object();
}

Result<json> reset(Cable& cable, const json& command) {
    auto port = port_of(command);
    if (!port) return port.error();
    cable.request_reset(*port);
    return json::object();
}

Result<json> die(Cable& cable, const json& command) {
    auto port = port_of(command);
    if (!port) return port.error();
    if (!cable.die(*port))
        return Error{ENOTSUP,
                     "The device of this port does not die: its driver could not be told, or it is "
                     "of a kind that asks for a reset only ({\"do\":\"reset\"})."};
    return json::object();
}

// Nothing: any command.
Result<std::optional<CommandKind>> command_named(const json& name) {
    std::string names = "\"any\"";
    for (const CommandKindText& text : command_kinds()) {
        if (name == text.name) return std::optional(text.kind);
        names += fmt::format(", \"{}\"", text.name);
    }
    if (name == "any") return std::optional<CommandKind>();
    return Error{EINVAL, fmt::format("\"command\" must be one of {}.", names)};
}

Result<CommandFault> command_fault_from(const json& command) {
    static constexpr std::string_view kKeys[] = {"do",     "port", "command",
                                                 "answer", "skip", "count"};
    for (const auto& [key, value] : command.items())
        if (std::ranges::find(kKeys, key) == std::end(kKeys))
            return Error{EINVAL, fmt::format("\"{}\" is no key of a command_fault.", key)};
    CommandFault fault;
    auto kind = command_named(command.value("command", json("any")));
    if (!kind) return kind.error();
    fault.command = *kind;
    const json answer = command.value("answer", json("error"));
    if (answer != "error" && answer != "none")
        return Error{EINVAL, "\"answer\" must be \"error\" or \"none\"."};
    fault.answer = answer == "none" ? CommandAnswer::kNone : CommandAnswer::kError;
    auto skip = number(command, "skip", fault.skip, std::numeric_limits<uint64_t>::max());
    if (!skip) return skip.error();
    fault.skip = *skip;
    auto count = number(command, "count", fault.count, std::numeric_limits<uint64_t>::max());
    if (!count) return count.error();
    fault.count = *count;
    return fault;
}

Result<json> set_command_fault(Cable& cable, const json& command) {
    auto port = port_of(command);
    if (!port) return port.error();
    auto fault = command_fault_from(command);
    if (!fault) return fault.error();
    CommandFaults* faults = command_faults_of(cable, *port);
    if (faults == nullptr)
        return Error{ENOTSUP, "The device of this port takes no commands of a driver."};
    faults->set(*fault);
    return json::object();
}

Result<json> mark(Cable& cable, const json& command) {
    auto text = command.find("text");
    if (text == command.end() || !text->is_string())
        return Error{EINVAL, "A mark needs a text: {\"do\":\"mark\",\"text\":\"...\"}."};
    const auto& value = text->get_ref<const std::string&>();
    if (value.size() > Commands::kMaximumMark)
        return Error{EINVAL, fmt::format("The text of a mark has at most {} bytes.",
                                         Commands::kMaximumMark)};
    cable.mark(value);
    return json::object();
}

}  // namespace

std::string refusal(std::string_view sentence) {
    return one_line({{"ok", false}, {"error", sentence}});
}

Answer Commands::handle(std::string_view line) {
    constexpr const char* kCommand =
        "A command is one line of JSON, an object such as {\"do\":\"ping\"}";
    auto parsed = parse_strict_json(line);
    if (!parsed) return {refusal(fmt::format("{}: {}", kCommand, parsed.error().sentence)), {}};
    const json& command = *parsed;
    if (!command.is_object()) return {refusal(fmt::format("{}.", kCommand)), {}};
    auto at = command.find("do");
    std::string what = at != command.end() && at->is_string() ? at->get<std::string>() : "";
    Answer answer;
    auto done = [&]() -> Result<json> {
        if (what == "ping") return ping(version_, command);
        if (what == "fault") return add_fault(cable_, command);
        if (what == "faults") return list_faults(cable_);
        if (what == "clear") return clear_faults(cable_, command);
        if (what == "log") return read_log(cable_, command, answer.bytes);
        if (what == "forbidden") return read_forbidden(cable_, command);
        if (what == "counters") return all_counters(cable_, more_counters_);
        if (what == "link") return set_link(cable_, command);
        if (what == "reset") return reset(cable_, command);
        if (what == "die") return die(cable_, command);
        if (what == "command_fault") return set_command_fault(cable_, command);
        if (what == "mark") return mark(cable_, command);
        return Error{EINVAL,
                     "\"do\" must be one of ping, fault, faults, clear, log, forbidden, "
                     "counters, link, reset, die, command_fault, mark."};
    }();
    if (!done) return {refusal(done.error().sentence), {}};
    json object = std::move(done).value();
    object["ok"] = true;
    answer.line = one_line(object);
    return answer;
}

}  // namespace zcrxlab::nic
