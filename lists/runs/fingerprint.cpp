// Removes from a text what differs from one run to the next.
#include "lists/runs/fingerprint.hpp"

#include <cctype>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include "harness/base/hex.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kLongest = 160;
constexpr size_t kFrames = 3;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// "file.cpp:12: " of a check in a scenario says nothing about the kernel.
std::string without_place(const std::string& line) {
    const size_t space = line.find(": ");
    const size_t colon = line.find(".cpp:");
    return colon != std::string::npos && space != std::string::npos && colon < space
               ? line.substr(space + 2)
               : line;
}

// "I4: " in place of "I4 (what it promises) does not hold: ", which is as long as all the rest.
std::string without_promise(const std::string& line) {
    constexpr std::string_view kEnd = ") does not hold: ";
    const size_t open = line.find(" (");
    const size_t end = line.find(kEnd);
    if (line.empty() || line[0] != 'I' || open > 2 || end == std::string::npos) return line;
    return line.substr(0, open) + ": " + line.substr(end + kEnd.size());
}

std::string without_numbers(const std::string& line) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            const size_t end = line.find('"', i + 1);
            if (end != std::string::npos) {
                out += "\"\"";
                i = end;
                continue;
            }
        }
        // I1 and -ENOMEM are names; 12 and 0x1f are not.
        if (is_digit(line[i]) && (i == 0 || !is_word(line[i - 1]))) {
            while (i + 1 < line.size() && is_word(line[i + 1])) ++i;
            out += '#';
            continue;
        }
        out += line[i];
    }
    return out;
}

// "zcrx_parse_rq" of " zcrx_parse_rq+0x12/0x80 [mod]"; empty for another line.
std::string function_in(const std::string& line) {
    const size_t plus = line.find("+0x");
    if (plus == std::string::npos || line.find('/', plus) == std::string::npos) return {};
    size_t begin = plus;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    return line.substr(begin, plus - begin);
}

}  // namespace

std::string fingerprint_of(const std::string& message) {
    std::istringstream lines(message);
    std::string line;
    while (std::getline(lines, line) && line.empty()) continue;
    // A check says what was wrong on the line below.
    if (line = without_place(line); line == "Failed" && std::getline(lines, line))
        line = without_place(line);
    std::string text = without_numbers(without_promise(line));
    if (text.size() > kLongest) text.resize(kLongest);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
    return text;
}

std::string splat_fingerprint(const std::string& console) {
    std::istringstream lines(console);
    std::string text;
    size_t frames = 0;
    bool inside = false;
    for (std::string line; std::getline(lines, line) && frames < kFrames;) {
        if (!inside) {
            for (const char* begin : {"BUG: ", "WARNING: ", "Oops", "general protection fault",
                                      "kernel BUG at", "Kernel panic"})
                if (const size_t at = line.find(begin); at != std::string::npos && !inside) {
                    inside = true;
                    text = without_numbers(line.substr(at, 40));
                }
            continue;
        }
        const std::string function = function_in(line);
        if (function.empty()) continue;
        text += (frames == 0 ? " in " : " < ") + function;
        ++frames;
    }
    return text;
}

std::string folder_name(const std::string& fingerprint) {
    uint32_t hash = 2166136261U;
    std::string name;
    for (const char c : fingerprint) {
        hash = (hash ^ static_cast<uint8_t>(c)) * 16777619U;
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (name.size() >= 40) continue;
        if (plain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name + "-" + hex_of_number(hash);
}

}  // namespace zcrxlab
