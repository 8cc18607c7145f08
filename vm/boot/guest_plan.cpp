// GuestPlan as text: written on the host, read in the guest.
#include "vm/boot/guest_plan.hpp"

#include <array>

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

// Takes `key value` into the plan; false if the key is unknown or stands where it cannot.
bool take(GuestPlan& plan, std::string_view key, std::string value) {
    if (key == "module") {
        plan.modules.push_back(std::move(value));
    } else if (key == "pair") {
        plan.pairs.push_back({});
        plan.pairs.back().name = std::move(value);
    } else if (key == "fault") {
        return take_fault(plan, value);
    } else if (key == "environment") {
        const size_t equals = value.find('=');
        if (equals == std::string::npos || equals == 0) return false;
        plan.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else if (key == "argument") {
        plan.arguments.push_back(std::move(value));
    } else if (key == "interactive") {
        plan.interactive = value == "yes";
    } else if (key == "capture-output") {
        plan.capture_output = value == "yes";
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

std::string to_text(const GuestPlan& plan) {
    std::string text;
    for (const std::string& module : plan.modules) add_line(text, "module", module);
    for (const GuestPair& pair : plan.pairs) {
        add_line(text, "pair", pair.name);
        for (const PairField& field : kPairFields) add_line(text, field.key, pair.*field.member);
    }
    for (const GuestFault& fault : plan.faults)
        add_line(text, "fault", std::to_string(fault.port) + " " + fault.line);
    for (const auto& [name, value] : plan.environment)
        add_line(text, "environment", std::string(name).append("=").append(value));
    for (const std::string& argument : plan.arguments) add_line(text, "argument", argument);
    if (plan.interactive) add_line(text, "interactive", "yes");
    if (plan.capture_output) add_line(text, "capture-output", "yes");
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
