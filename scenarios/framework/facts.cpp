// Facts: their JSON, and those of the kernel's words.
#include "scenarios/framework/facts.hpp"

#include <algorithm>
#include <cctype>

#include "harness/base/json.hpp"

namespace zcrxlab {

namespace {

constexpr ComplaintKind kLastKind = ComplaintKind::kWrongPlace;

// Calls `each` with the name and the field of every number.
template <typename AnyFacts, typename Each>
void each_number(AnyFacts& facts, Each each) {
    each("seen", facts.seen);
    each("promised", facts.promised);
    each("sent", facts.sent);
    each("received", facts.received);
    each("buffers", facts.buffers);
    each("held", facts.held);
    each("posted", facts.posted);
    each("in_flight", facts.in_flight);
    each("not_replaced", facts.not_replaced);
    each("posted_when_polled", facts.posted_when_polled);
    each("not_left", facts.not_left);
    each("length", facts.length);
    each("delivered", facts.delivered);
}

bool is_of_a_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Where the next "function+0x" of `text` begins, and its name; empty if there is none.
std::string_view next_function(std::string_view text, size_t from, size_t& at) {
    const size_t plus = text.find("+0x", from);
    if (plus == std::string_view::npos) return {};
    at = plus;
    while (at > from && is_of_a_name(text[at - 1])) --at;
    return text.substr(at, plus - at);
}

// Without "[   12.345678] " and "[  T123] " before it.
std::string_view without_stamp(std::string_view line) {
    while (line.starts_with('[')) {
        const size_t end = line.find("] ");
        if (end == std::string_view::npos) break;
        line.remove_prefix(end + 2);
    }
    return line;
}

}  // namespace

std::optional<int64_t> ComplaintFacts::free() const {
    if (!buffers || !held || !posted) return std::nullopt;
    return *buffers - *held - *posted;
}

std::string to_json(const ComplaintFacts& facts) {
    nlohmann::ordered_json json = {{"kind", static_cast<unsigned>(facts.kind)}};
    if (!facts.subject.empty()) json["subject"] = facts.subject;
    if (!facts.functions.empty()) json["functions"] = facts.functions;
    each_number(facts, [&json](const char* name, const std::optional<int64_t>& number) {
        if (number) json[name] = *number;
    });
    if (facts.data_waits) json["data_waits"] = *facts.data_waits;
    if (!facts.socket.empty()) json["socket"] = facts.socket;
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ComplaintFacts facts_from_json(std::string_view text) {
    const Result<nlohmann::ordered_json> parsed = parse_ordered_json_object(text);
    ComplaintFacts facts;
    if (!parsed) return facts;
    const nlohmann::ordered_json& json = *parsed;
    const auto kind = get_or<uint64_t>(json, "kind", 0);
    if (kind > static_cast<uint64_t>(kLastKind)) return facts;
    facts.kind = static_cast<ComplaintKind>(kind);
    facts.subject = get_text(json, "subject");
    facts.functions = get_all<std::string>(json, "functions");
    each_number(facts, [&json](const char* name, std::optional<int64_t>& number) {
        if (member(json, name) != nullptr) number = get_or<int64_t>(json, name, 0);
    });
    if (member(json, "data_waits") != nullptr) facts.data_waits = get_or(json, "data_waits", false);
    facts.socket = get_text(json, "socket");
    return facts;
}

ComplaintFacts kernel_line(std::string_view line) {
    line = without_stamp(line);
    ComplaintFacts facts{.kind = ComplaintKind::kKernelLog, .subject = std::string(line)};
    size_t at = 0;
    const std::string_view function = next_function(line, 0, at);
    if (function.empty()) return facts;
    facts.functions.emplace_back(function);
    if (line.starts_with("WARNING: "))
        facts.subject = "WARNING";
    else if (line.substr(0, at).ends_with(" in "))
        facts.subject = line.substr(0, at - 4);
    return facts;
}

ComplaintFacts lost_object(std::string_view text) {
    ComplaintFacts facts{.kind = ComplaintKind::kLostMemory};
    size_t from = 0, at = 0;
    for (auto name = next_function(text, 0, at); !name.empty();
         name = next_function(text, from, at)) {
        facts.functions.emplace_back(name);
        from = at + name.size() + 1;
    }
    return facts;
}

}  // namespace zcrxlab
