// Looks for bodies, and reads names out of the signatures above them.
#include "kernels/c_source/functions.hpp"

#include <cctype>

#include "harness/base/lines.hpp"

namespace zcrxlab {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether `line` ends what is above a signature.
bool ends_what_is_above(std::string_view line) {
    if (line.empty() || line[0] == '#' || line[0] == '}') return true;
    const size_t last = line.find_last_not_of(" \t");
    return last == std::string_view::npos || line[last] == ';' || line.ends_with("*/");
}

// The word in front of the first parenthesis that has one.
std::string name_in(std::string_view signature) {
    const size_t paren = signature.find('(');
    if (paren == std::string_view::npos) return {};
    size_t end = paren;
    while (end > 0 && !is_word(signature[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && is_word(signature[begin - 1])) --begin;
    return std::string(signature.substr(begin, end - begin));
}

}  // namespace

std::vector<SourceFunction> functions_of(std::string_view source) {
    const std::vector<std::string_view> lines = lines_of(source);
    std::vector<SourceFunction> functions;
    for (size_t open = 0; open < lines.size(); ++open) {
        if (lines[open] != "{") continue;
        size_t close = open + 1;
        while (close < lines.size() && (lines[close].empty() || lines[close][0] != '}')) ++close;
        if (close == lines.size()) break;
        size_t first = open;
        while (first > 0 && !ends_what_is_above(lines[first - 1])) --first;
        std::string signature;
        for (size_t line = first; line < open; ++line) {
            signature += lines[line];
            signature += ' ';
        }
        std::string name = name_in(signature);
        if (!name.empty())
            functions.push_back({std::move(name), static_cast<uint32_t>(first + 1),
                                 static_cast<uint32_t>(close + 1)});
        open = close;
    }
    return functions;
}

}  // namespace zcrxlab
