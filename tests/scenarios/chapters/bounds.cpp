// Bounds of time: finding what is written down, and the call that it stands in.
#include "tests/scenarios/chapters/bounds.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>

namespace zcrxlab {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The same text, with blanks for comments and for what stands in quotation marks.
std::string code_only(std::string_view content) {
    std::string code(content);
    for (size_t i = 0; i < code.size(); ++i) {
        if (code.compare(i, 2, "//") == 0) {
            for (; i < code.size() && code[i] != '\n'; ++i) code[i] = ' ';
        } else if (code[i] == '"') {
            for (++i; i < code.size() && code[i] != '"' && code[i] != '\n'; ++i) {
                const bool escape = code[i] == '\\';
                code[i] = ' ';
                if (escape && i + 1 < code.size()) code[++i] = ' ';
            }
        }
    }
    return code;
}

size_t line_of(std::string_view text, size_t at) {
    return 1 + static_cast<size_t>(
                   std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::string_view text_of_line(std::string_view text, size_t at) {
    const size_t before = text.rfind('\n', at);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(begin, text.find('\n', at) - begin);
}

// The name before the innermost parenthesis that is open at `at`.
std::string_view call_around(std::string_view code, size_t at) {
    int closed = 0;
    while (at-- > 0) {
        if (code[at] == ')') ++closed;
        if (code[at] != '(' || closed-- > 0) continue;
        size_t begin = at;
        while (begin > 0 && is_word(code[begin - 1])) --begin;
        return code.substr(begin, at - begin);
    }
    return {};
}

bool is_scaled(std::string_view code, size_t at) {
    const std::string_view call = call_around(code, at);
    return call == "scaled" || call == "within";
}

// The constant that the time at `at` is the value of, if it is one.
std::optional<std::string> constant_at(const std::string& code, size_t at) {
    static const std::regex definition(R"(constexpr\s[^;(){}]*\b(k[A-Z]\w*)\s*(=\s*|\{\s*)$)");
    const std::string before = code.substr(0, at);
    const size_t begin = before.find_last_of(";}\n");
    std::smatch match;
    const std::string line = before.substr(begin == std::string::npos ? 0 : begin);
    if (!std::regex_search(line, match, definition)) return std::nullopt;
    return match[1].str();
}

// Whether a constant is only ever named where it is scaled; `definition` is the first time.
bool is_scaled_everywhere(const std::string& code, const std::string& name) {
    bool first = true;
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
        if ((at > 0 && is_word(code[at - 1])) || is_word(code[at + name.size()])) continue;
        if (!first && !is_scaled(code, at)) return false;
        first = false;
    }
    return true;
}

bool is_fixed(std::string_view file, std::string_view line, std::span<const FixedTime> fixed) {
    return std::ranges::any_of(fixed, [&](const FixedTime& time) {
        return time.file == file && line.find(time.words) != std::string_view::npos;
    });
}

}  // namespace

std::vector<std::string> complaints_about_bounds(std::string_view file, std::string_view content,
                                                 std::span<const FixedTime> fixed) {
    // 5s; seconds(5); milliseconds kBound{5}; the last argument of poll(2); a timeval.
    static const std::regex times(
        R"(\b[1-9][0-9']*(ns|us|ms|s|min|h)\b)"
        R"(|\b((std::)?chrono::)?(nano|micro|milli)?(seconds|minutes|hours)\([1-9])"
        R"(|\b(nano|micro|milli)?(seconds|minutes|hours) k\w+\{[1-9])"
        R"(|\b(nano|micro|milli)?(seconds|minutes|hours) \w+\{[1-9])"
        R"(|\bpoll\((?:[^;()]|\([^;()]*\))*,\s*([1-9]|k[A-Z])\w*\))"
        R"(|\btv_u?n?sec = [1-9])"
        R"(|\busleep\()");
    std::vector<std::string> complaints;
    const std::string code = code_only(content);
    for (std::sregex_iterator it(code.begin(), code.end(), times), end; it != end; ++it) {
        const std::string found = it->str();
        auto at = static_cast<size_t>(it->position());
        // Of "milliseconds kBound{5" the value is what counts.
        if (found.find('{') != std::string::npos) at += found.find('{') + 1;
        if (is_scaled(code, at) || is_fixed(file, text_of_line(content, at), fixed)) continue;
        const auto constant = constant_at(code, at);
        if (constant && is_scaled_everywhere(code, *constant)) continue;
        complaints.push_back(
            std::string(file) + ":" + std::to_string(line_of(code, at)) +
            ": a time that is the same on every machine; use scene.scaled(), "
            "wait_for() or time_left(), or say in tests/scenarios/chapters why not");
    }
    return complaints;
}

std::vector<std::string> complaints_about_fixed_times(std::string_view file,
                                                      std::string_view content,
                                                      std::span<const FixedTime> fixed) {
    std::vector<std::string> complaints;
    for (const FixedTime& time : fixed)
        if (time.file == file && content.find(time.words) == std::string_view::npos)
            complaints.push_back(std::string(file) + " has no more \"" + std::string(time.words) +
                                 "\": take it off the list of fixed times");
    return complaints;
}

}  // namespace zcrxlab
