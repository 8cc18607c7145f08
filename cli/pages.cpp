// Writes the table of commands as plain text and as Markdown.
#include "cli/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zcrxlab {

std::string list_of_commands(std::span<const Command> table) {
    std::string text;
    for (const Command& command : table)
        text += fmt::format("    {:<9}{}\n", command.name, command.sentence);
    return text;
}

std::string readme_table(std::span<const Command> table) {
    std::string text = "| command | what it does |\n|---|---|\n";
    for (const Command& command : table) {
        // What is to be typed stands in quotes.
        std::string sentence(command.sentence);
        std::ranges::replace(sentence, '"', '`');
        text += fmt::format("| `{}` | {} |\n", command.name, sentence);
    }
    return text;
}

}  // namespace zcrxlab
