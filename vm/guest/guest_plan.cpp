// GuestPlan as text: written on the host, read in the guest.
#include "vm/guest/guest_plan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace zcrxlab {

namespace {

std::string escaped(std::string_view value) {
    std::string text;
    for (char c : value) {
        if (c == '\\') {
            text += "\\\\";
        } else if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
    return text;
}

std::string unescaped(std::string_view text) {
    std::string value;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            value += text[i];
        } else {
            ++i;
            value += text[i] == 'n' ? '\n' : text[i];
        }
    }
    return value;
}

void add_line(std::string& text, std::string_view key, std::string_view value) {
    text.append(key).append(" ").append(escaped(value)).append("\n");
}

struct PairField {
    const char* key;
    std::string GuestPair::*member;
};

constexpr std::array<PairField, 7> kPairFields{{
    {"receiver-pci", &GuestPair::receiver_pci},
    {"peer-pci", &GuestPair::peer_pci},
    {"peer-netns", &GuestPair::peer_netns},
    {"local-v4", &GuestPair::local_v4},
    {"local-v6", &GuestPair::local_v6},
    {"peer-v4", &GuestPair::peer_v4},
    {"peer-v6", &GuestPair::peer_v6},
}};

// "1 add id=1 what=drop".
bool take_fault(GuestPlan& plan, const std::string& value) {
    if (value.size() < 3 || (value[0] != '0' && value[0] != '1') || value[1] != ' ') return false;
    plan.faults.push_back({value[0] == '1' ? 1U : 0U, value.substr(2)});
    return true;
}

// "MODULE.NAME=VALUE"
bool take_parameter(GuestPlan& plan, const std::string& text) {
    auto parameter = guest_parameter_from(text);
    if (!parameter) return false;
    plan.parameters.push_back(std::move(*parameter));
    return true;
}

struct StreamsName {
    GuestStreams streams;
    std::string_view name;
};
constexpr std::array<StreamsName, 3> kStreamsNames{{{GuestStreams::kNone, "none"},
                                                    {GuestStreams::kPipes, "pipes"},
                                                    {GuestStreams::kTerminal, "terminal"}}};

// Whole numbers with a space between them.
std::optional<std::vector<uint32_t>> numbers_in(std::string_view text) {
    std::vector<uint32_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        uint32_t number = 0;
        const auto [rest, error] = std::from_chars(at, end, number);
        if (error != std::errc() || (rest != end && *rest != ' ')) return std::nullopt;
        numbers.push_back(number);
        at = rest == end ? rest : rest + 1;
    }
    return numbers;
}

std::string text_of(const std::vector<uint32_t>& numbers) {
    std::string text;
    for (const uint32_t number : numbers)
        text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

// "FROM\nTO"
bool take_two(std::vector<std::pair<std::string, std::string>>& list, const std::string& value,
              char between) {
    const size_t middle = value.find(between);
    if (middle == std::string::npos || middle == 0) return false;
    list.emplace_back(value.substr(0, middle), value.substr(middle + 1));
    return true;
}

// The keys of a program with streams; nothing if it is none of these.
std::optional<bool> take_of_session(GuestPlan& plan, std::string_view key, std::string& value) {
    const auto numbers = numbers_in(value);
    const auto one = [&](auto& member) {
        if (!numbers || numbers->size() != 1) return false;
        member = static_cast<std::remove_reference_t<decltype(member)>>(numbers->front());
        return true;
    };
    if (key == "streams") {
        for (const auto& [streams, name] : kStreamsNames) {
            if (name != value) continue;
            plan.streams = streams;
            return true;
        }
        return false;
    }
    if (key == "wait-for-environment") {
        plan.wait_for_environment = value == "yes";
    } else if (key == "share") {
        const size_t space = value.find(' ');
        if (space == std::string::npos || space == 0 || value.compare(space, 2, " /") != 0)
            return false;
        plan.shares.push_back({value.substr(0, space), value.substr(space + 1)});
    } else if (key == "copy") {
        return take_two(plan.copies, value, '\n');
    } else if (key == "count-receives") {
        plan.count_receives = value == "yes";
    } else if (key == "modules-on-demand") {
        plan.modules_on_demand = value == "yes";
    } else if (key == "module-folder") {
        plan.module_folder = std::move(value);
    } else if (key == "modprobe") {
        plan.modprobe = std::move(value);
    } else if (key == "huge-pages") {
        return one(plan.huge_pages);
    } else if (key == "host-name") {
        plan.host_name = std::move(value);
    } else if (key == "preparation") {
        plan.preparation.push_back(std::move(value));
    } else if (key == "user") {
        if (!numbers || numbers->size() < 2) return false;
        plan.user = GuestUser{(*numbers)[0], (*numbers)[1], {numbers->begin() + 2, numbers->end()}};
    } else if (key == "folder") {
        plan.folder = std::move(value);
    } else if (key == "peer-argument") {
        plan.peer.arguments.push_back(std::move(value));
    } else if (key == "peer-first") {
        plan.peer.first = value == "yes";
    } else if (key == "peer-linger") {
        return one(plan.peer.linger_seconds);
    } else if (key == "peer-ports") {
        if (!numbers) return false;
        for (const uint32_t port : *numbers) {
            if (port == 0 || port > UINT16_MAX) return false;
            plan.peer.ports.push_back(static_cast<uint16_t>(port));
        }
    } else if (key == "round") {
        plan.rounds.push_back({.name = std::move(value), .peer = {}});
    } else if (key == "round-argument") {
        if (plan.rounds.empty()) return false;
        plan.rounds.back().peer.push_back(std::move(value));
    } else if (key == "round-before") {
        if (plan.rounds.empty()) return false;
        plan.rounds.back().before.push_back(std::move(value));
    } else if (key == "round-old-kernel" || key == "round-restarts") {
        if (plan.rounds.empty()) return false;
        GuestRound& round = plan.rounds.back();
        (key == "round-restarts" ? round.restarts : round.old_kernel) = value == "yes";
    } else {
        return std::nullopt;
    }
    return true;
}

void add_session(std::string& text, const GuestPlan& plan) {
    for (const auto& [streams, name] : kStreamsNames)
        if (streams == plan.streams) add_line(text, "streams", name);
    if (plan.wait_for_environment) add_line(text, "wait-for-environment", "yes");
    for (const GuestShare& share : plan.shares)
        add_line(text, "share", share.tag + " " + share.place);
    for (const auto& [from, to] : plan.copies) add_line(text, "copy", from + "\n" + to);
    if (plan.count_receives) add_line(text, "count-receives", "yes");
    if (plan.modules_on_demand) add_line(text, "modules-on-demand", "yes");
    if (!plan.module_folder.empty()) add_line(text, "module-folder", plan.module_folder);
    if (!plan.modprobe.empty()) add_line(text, "modprobe", plan.modprobe);
    if (plan.huge_pages != 0) add_line(text, "huge-pages", std::to_string(plan.huge_pages));
    if (!plan.host_name.empty()) add_line(text, "host-name", plan.host_name);
    for (const std::string& word : plan.preparation) add_line(text, "preparation", word);
    if (plan.user) {
        std::vector<uint32_t> numbers{plan.user->user, plan.user->group};
        numbers.insert(numbers.end(), plan.user->groups.begin(), plan.user->groups.end());
        add_line(text, "user", text_of(numbers));
    }
    if (!plan.folder.empty()) add_line(text, "folder", plan.folder);
    if (plan.peer.arguments.empty() && plan.rounds.empty()) return;
    for (const std::string& word : plan.peer.arguments) add_line(text, "peer-argument", word);
    if (plan.peer.first) add_line(text, "peer-first", "yes");
    add_line(text, "peer-linger", std::to_string(plan.peer.linger_seconds));
    if (!plan.peer.ports.empty())
        add_line(text, "peer-ports", text_of({plan.peer.ports.begin(), plan.peer.ports.end()}));
    for (const GuestRound& round : plan.rounds) {
        add_line(text, "round", round.name);
        for (const std::string& word : round.peer) add_line(text, "round-argument", word);
        for (const std::string& word : round.before) add_line(text, "round-before", word);
        if (round.old_kernel) add_line(text, "round-old-kernel", "yes");
        if (round.restarts) add_line(text, "round-restarts", "yes");
    }
}

// Takes `key value` into the plan; false if the key is unknown or stands where it cannot.
bool take(GuestPlan& plan, std::string_view key, std::string value) {
    if (key == "module") {
        plan.modules.push_back(std::move(value));
    } else if (key == "wait-for-image") {
        plan.wait_for_image = value == "yes";
    } else if (key == "pair") {
        plan.pairs.push_back({});
        plan.pairs.back().name = std::move(value);
    } else if (key == "fault") {
        return take_fault(plan, value);
    } else if (key == "parameter") {
        return take_parameter(plan, value);
    } else if (key == "environment") {
        return take_two(plan.environment, value, '=');
    } else if (key == "argument") {
        plan.arguments.push_back(std::move(value));
    } else if (key == "interactive") {
        plan.interactive = value == "yes";
    } else if (const auto taken = take_of_session(plan, key, value)) {
        return *taken;
    } else {
        for (const PairField& field : kPairFields) {
            if (key != field.key || plan.pairs.empty()) continue;
            plan.pairs.back().*field.member = std::move(value);
            return true;
        }
        return false;
    }
    return true;
}

}  // namespace

std::optional<GuestParameter> guest_parameter_from(std::string_view text) {
    const size_t equals = text.find('=');
    const std::string_view place = text.substr(0, equals);
    const size_t dot = place.find('.');
    const auto is_word = [](std::string_view word) {
        return !word.empty() && std::ranges::all_of(word, [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        });
    };
    if (equals == std::string_view::npos || dot == std::string_view::npos ||
        !is_word(place.substr(0, dot)) || !is_word(place.substr(dot + 1)))
        return std::nullopt;
    return GuestParameter{std::string(place.substr(0, dot)), std::string(place.substr(dot + 1)),
                          std::string(text.substr(equals + 1))};
}

std::string to_text(const GuestPlan& plan) {
    std::string text;
    for (const std::string& module : plan.modules) add_line(text, "module", module);
    if (plan.wait_for_image) add_line(text, "wait-for-image", "yes");
    for (const GuestPair& pair : plan.pairs) {
        add_line(text, "pair", pair.name);
        for (const PairField& field : kPairFields) add_line(text, field.key, pair.*field.member);
    }
    for (const GuestFault& fault : plan.faults)
        add_line(text, "fault", std::to_string(fault.port) + " " + fault.line);
    for (const GuestParameter& parameter : plan.parameters)
        add_line(text, "parameter",
                 parameter.module + "." + parameter.name + "=" + parameter.value);
    for (const auto& [name, value] : plan.environment)
        add_line(text, "environment", std::string(name).append("=").append(value));
    for (const std::string& argument : plan.arguments) add_line(text, "argument", argument);
    if (plan.interactive) add_line(text, "interactive", "yes");
    add_session(text, plan);
    return text;
}

Result<GuestPlan> guest_plan_from_text(std::string_view text) {
    GuestPlan plan;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty()) continue;
        const size_t space = line.find(' ');
        if (space == std::string_view::npos ||
            !take(plan, line.substr(0, space), unescaped(line.substr(space + 1))))
            return Error{EINVAL, "The guest plan has a line that is not understood: \"" +
                                     std::string(line) + "\"."};
    }
    return plan;
}

}  // namespace zcrxlab
