// Takes the line with the command, and undoes what make asks for.
#include "kernels/build/saved_command.hpp"

#include <cerrno>

#include "harness/base/lines.hpp"

namespace zcrxlab {
namespace {

// What scripts/Kbuild.include writes for what a makefile would take otherwise.
Result<std::string> without_escapes(std::string_view text) {
    constexpr std::string_view kHash = "$(pound)";
    std::string plain;
    while (!text.empty()) {
        size_t taken = 1;
        if (text.starts_with("$$")) {
            taken = 2;
            plain += '$';
        } else if (text.starts_with(kHash)) {
            taken = kHash.size();
            plain += '#';
        } else if (text[0] == '$') {
            return Error{EINVAL, "The command of an object has a variable of make."};
        } else {
            plain += text[0];
        }
        text.remove_prefix(taken);
    }
    return plain;
}

// Word by word. The dependencies, which the makefiles have taken in already, are nobody's.
std::string redirected(std::string_view command, std::string_view object, std::string_view into) {
    constexpr std::string_view kDependencies = "-Wp,-MMD,";
    std::string text;
    while (!command.empty()) {
        const size_t end = command.find(' ');
        const std::string_view word = command.substr(0, end);
        if (word == object)
            text += into;
        else if (word.starts_with(kDependencies))
            text += std::string(kDependencies) + "/dev/null";
        else
            text += word;
        if (end == std::string_view::npos) break;
        text += ' ';
        command.remove_prefix(end + 1);
    }
    return text;
}

}  // namespace

Result<std::string> saved_command(std::string_view text, std::string_view object,
                                  std::string_view into) {
    const std::string start = "savedcmd_" + std::string(object) + " := ";
    for (const std::string_view line : lines_of(text)) {
        if (!line.starts_with(start)) continue;
        const auto command = without_escapes(line.substr(start.size()));
        if (!command) return command.error();
        return redirected(*command, object, into);
    }
    return Error{EINVAL, "The makefiles have left no command for " + std::string(object) + "."};
}

}  // namespace zcrxlab
