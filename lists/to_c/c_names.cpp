// CNames: reads the words that the C language and the parts of a file have taken.
#include "lists/to_c/c_names.hpp"

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

}  // namespace zcrxlab
