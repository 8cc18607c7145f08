// CNames: words of an exported C file.
#include "vm/repro/c_names.hpp"

#include <algorithm>
#include <cctype>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {

std::set<std::string> taken_names_in(const std::string& text) {
    std::set<std::string> found = {
        "asm",      "auto",   "break",    "case",   "char",     "const",    "continue", "default",
        "do",       "double", "else",     "enum",   "extern",   "float",    "for",      "goto",
        "if",       "inline", "int",      "long",   "register", "restrict", "return",   "short",
        "signed",   "sizeof", "static",   "struct", "switch",   "typedef",  "typeof",   "union",
        "unsigned", "void",   "volatile", "while",  "linux",    "unix",     "main",     "printf",
        "puts",     "usleep", "stdin",    "stdout", "stderr",   "errno",    "environ"};
    std::string word;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
            continue;
        }
        // Functions, constants and macros; what is local to functions is in nobody's way.
        const bool constant = std::ranges::none_of(
            word, [](unsigned char letter) { return std::islower(letter) != 0; });
        if (!word.empty() && (c == '(' || constant)) found.insert(word);
        word.clear();
    }
    return found;
}

std::string errno_text(int code) {
    return code == kAnyErrno ? "-1" : code == 0 ? "0" : errno_name(code);
}

std::string in_capitals(std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
    return word;
}

std::string number_or_none(const Action& action, std::string_view parameter) {
    return action.has(parameter) ? std::to_string(action.number(parameter)) : "-1";
}

}  // namespace zcrxlab
