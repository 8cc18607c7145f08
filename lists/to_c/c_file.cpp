// CFile: writes the comment, the parts that are used, and main().
#include "lists/to_c/c_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <vector>

#include "lists/to_c/c_calls.hpp"
#include "lists/to_c/parts_file.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kPart = "//@ part ";
constexpr size_t kWidth = 92;

// The parts in the order in which they stand in the file.
std::vector<std::pair<std::string, std::string>> all_parts() {
    std::vector<std::pair<std::string, std::string>> parts;
    std::istringstream lines{std::string(repro_files::kParts)};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kPart))
            parts.emplace_back(line.substr(kPart.size()), "");
        else if (!parts.empty())
            parts.back().second += line + "\n";
    }
    return parts;
}

std::string parts_for(const std::set<std::string>& wanted) {
    std::string text;
    for (const auto& [name, part] : all_parts()) {
        if (!wanted.contains(name)) continue;
        // Where a function ends, nothing else goes on.
        if (!text.empty() && !text.ends_with("\n\n")) text += '\n';
        text += part;
    }
    return text;
}

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool has_call(const std::string& text, const std::string& function) {
    for (size_t at = 0; (at = text.find(function + "(", at)) != std::string::npos;
         at += function.size())
        if (at == 0 || !is_of_word(text[at - 1])) return true;
    return false;
}

// A function, or whatever else stands between empty lines, with the comment above it.
struct Chunk {
    std::string text;
    std::string function;  // empty: none
};

std::vector<Chunk> chunks_of(const std::string& text) {
    std::vector<Chunk> chunks(1);
    std::istringstream lines(text);
    bool inside = false;  // a body, which has empty lines of its own
    for (std::string line; std::getline(lines, line);) {
        Chunk& chunk = chunks.back();
        chunk.text += line + "\n";
        const size_t bracket = line.find('(');
        if (chunk.function.empty() && line.starts_with("static ") && bracket != std::string::npos &&
            line.find('=') == std::string::npos) {
            size_t begin = bracket;
            while (is_of_word(line[begin - 1])) --begin;
            chunk.function = line.substr(begin, bracket - begin);
        }
        if (line == "{") inside = true;
        if (line == "}") inside = false;
        if (line.empty() && !inside) chunks.emplace_back();
    }
    return chunks;
}

// Without the functions that `rest` does not need, so that a compiler has no word to say, and a
// reader nothing to skip.
std::string used_of(const std::string& text, const std::string& rest) {
    std::vector<Chunk> chunks = chunks_of(text);
    const auto is_used = [&](const Chunk& asked) {
        return asked.function.empty() || has_call(rest, asked.function) ||
               std::ranges::any_of(chunks, [&](const Chunk& other) {
                   return &other != &asked && has_call(other.text, asked.function);
               });
    };
    for (bool again = true; again;) {
        again = false;
        for (auto chunk = chunks.begin(); chunk != chunks.end() && !again; ++chunk)
            if (!is_used(*chunk)) {
                chunks.erase(chunk);
                again = true;
            }
    }
    std::string used;
    for (const Chunk& chunk : chunks) used += chunk.text;
    return used;
}

// Neither beginning nor end of a comment can be in one.
std::string harmless(std::string text) {
    for (const char* mark : {"*/", "/*"})
        for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
            text.insert(at + 1, " ");
    return text;
}

// " * text", wrapped.
std::string comment_lines(const std::string& text, const std::string& indent = " * ") {
    std::string out;
    std::istringstream words(harmless(text));
    std::string line = indent;
    for (std::string word; words >> word;) {
        if (line.size() > indent.size() && line.size() + 1 + word.size() > kWidth) {
            out += line + "\n";
            line = indent;
        }
        if (line.size() > indent.size()) line += ' ';
        line += word;
    }
    return out + line + "\n";
}

std::string first_of(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts)
        if (!text.empty()) return text;
    return {};
}

std::string how_to_run(bool device) {
    if (!device)
        return " * No NIC is needed (ZCRX_REG_NODEV, Linux 7.1 and later); as root:\n"
               " *     cc -O2 -static -o repro THIS.c && ./repro; echo $?\n"
               " * In a virtual machine, on kernels as they are distributed:\n"
               " *     zcrxlab repro run THIS.c --kernel 7.2.6 --kernel 7.3\n";
    return " * Needs a NIC whose second port, or any other machine's, is the peer: here in a "
           "network\n"
           " * namespace. As root, with IF, QUEUE and ADDRESS of the receiving side:\n"
           " *     ethtool -G IF tcp-data-split on    # from ethtool 6.7 on; or zcrxlab lab split "
           "IF\n"
           " *     ethtool -X IF equal 1\n"
           " *     ethtool -N IF flow-type tcp4 dst-port 9100 action QUEUE\n"
           " *     cc -O2 -static -o repro THIS.c\n"
           " *     NETIF=IF QUEUE=QUEUE LOCAL_V4=ADDRESS PEER_NETNS=/run/netns/peer ./repro; echo "
           "$?\n"
           " * For IPv6: tcp6 in that rule, and LOCAL_V6.\n"
           " * On an emulated NIC, on kernels as they are distributed:\n"
           " *     zcrxlab repro run THIS.c --kernel 7.2.6 --kernel 7.3\n";
}

std::string first_comment(const ActionList& list, const CFileText& text, bool device) {
    std::string out =
        "/*\n" +
        comment_lines(first_of({text.title, title_of(list), "io_uring zero-copy receive"}));
    out += " *\n" +
           comment_lines("Expected: " + first_of({text.expected, comment_of(list, kExpectedComment),
                                                  "every byte arrives once, every request "
                                                  "ends once, in bounded time."}));
    const std::string happens = first_of({text.happens, comment_of(list, kHappensComment)});
    out += comment_lines("What happens: " + first_of({happens, "not known yet; run it."}));
    out += text.seen.empty() ? " *\n * This program was not run before it was given out.\n"
                             : " *\n * What it did where it was run:\n";
    for (const std::string& line : text.seen) out += comment_lines(line, " *     ");
    out += " *\n" + how_to_run(device);
    out +=
        " * Exit code: 0 = as expected, 1 = not, 77 = it cannot be tried here. See dmesg, too.\n";
    out += " *\n * The list of actions that it was made of:\n";
    for (const Action& action : list.actions) {
        out += " *     " + harmless(to_text(action)) + "\n";
    }
    return out + " */\n";
}

}  // namespace

Result<std::string> to_c(const ActionList& list, const CFileText& text) {
    std::string everything(repro_files::kParts);
    Result<CCalls> calls = c_calls_for(list, everything);
    if (!calls) return calls.error();
    std::set<std::string> parts = calls->parts;
    const bool device = parts.contains("device");
    if (!device) parts.insert("no_device");
    parts.insert({"include", "base", "registration"});
    const std::string rest = calls->before_main + "int main(void)\n{\n" + calls->main +
                             "\tputs(\"as expected\");\n\treturn 0;\n}\n";
    return first_comment(list, text, device) + used_of(parts_for(parts), rest) + rest;
}

bool wants_device(const std::string& c_file) {
    return c_file.find("setting(\"NETIF\")") != std::string::npos;
}

}  // namespace zcrxlab
