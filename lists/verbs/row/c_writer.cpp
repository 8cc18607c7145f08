// CWriter: words and calls of an exported C file.
#include "lists/verbs/row/c_writer.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {

Error cannot_be_c(const Action& action, std::string_view why) {
    return Error{EINVAL, "\"" + to_text(action) + "\" cannot be done by a C file alone: " +
                             std::string(why) + "; take: --as script, or --as bundle"};
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

std::string c_call(std::string_view function, std::initializer_list<std::string> arguments) {
    std::string text(function);
    text += '(';
    for (const std::string& argument : arguments)
        text += (&argument == arguments.begin() ? "" : ", ") + argument;
    return text + ")";
}

std::string c_line(std::string_view function, std::initializer_list<std::string> arguments) {
    return "\t" + c_call(function, arguments) + ";\n";
}

}  // namespace zcrxlab
