// Puts what CLI11 found into sentences.
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <string_view>
#include <vector>

#include "cli/nearest.hpp"

namespace zcrxlab {

namespace {

// The command that was named, or the command of it.
const CLI::App& named_last(const CLI::App& app) {
    const auto named = app.get_subcommands();
    return named.empty() ? app : named_last(*named.back());
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

// As they are typed: "--kernel", "-v".
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

// About the first word that nothing takes; empty if all were taken.
std::string not_taken(const CLI::App& app, const CLI::App& last, const std::string& name) {
    std::vector<std::string> words = app.remaining(true);
    std::erase(words, "--");
    for (const std::string& word : words) {
        if (!word.starts_with('-')) continue;
        const std::string option = word.substr(0, word.find('='));
        return fmt::format("{} has no option {}{}", name, option,
                           did_you_mean(option, options_of(last)));
    }
    if (words.empty()) return {};
    const std::vector<std::string> commands = commands_of(last);
    if (commands.empty()) return fmt::format("{} takes no \"{}\".", name, words.front());
    return fmt::format("{} has no command \"{}\"{}", name, words.front(),
                       did_you_mean(words.front(), commands));
}

// Of an option that was given without its value, or too often; empty for other errors.
std::string mismatch(const CLI::App& last, const CLI::ParseError& error) {
    const std::string text = error.what();
    if (error.get_name() != "ArgumentMismatch") return {};
    const std::string name = text.substr(0, text.find(": "));
    if (text.ends_with(" missing")) return name + " has no value.";
    for (const CLI::Option* option : last.get_options())
        if (option->get_name() == name && option->count() > 1)
            return fmt::format("{} stands {} times; once is possible.", name, option->count());
    return {};
}

// In the words of CLI11, or of a check of a value.
std::string other_error(const CLI::App& last, const std::string& name,
                        const CLI::ParseError& error) {
    std::string sentence = error.what();
    // CLI11 gives no name to arguments that help does not list; what they can be is its footer.
    if (sentence == " is required")
        return fmt::format("Something is missing; like this: {}{}", name, last.get_footer());
    if (sentence.starts_with(": ")) sentence.erase(0, 2);
    if (sentence == "A subcommand is required") return name + " needs a command.";
    if (error.get_name() != "ValidationError") sentence += '.';
    return sentence;
}

}  // namespace

std::string called_as() {
    constexpr std::string_view kOnlyRun = "zcrx-run";
    std::string name = ::program_invocation_name;
    if (name.ends_with(kOnlyRun)) name.replace(name.size() - kOnlyRun.size(), name.npos, "zcrxlab");
    return name;
}

std::string usage_text(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& last = named_last(app);
    std::string words;
    for (const CLI::App* one = &last; one->get_parent() != nullptr; one = one->get_parent())
        words = " " + one->get_name() + words;
    const std::string name = "zcrxlab" + words;
    std::string sentence = not_taken(app, last, name);
    if (sentence.empty()) sentence = mismatch(last, error);
    if (sentence.empty()) sentence = other_error(last, name, error);
    return fmt::format("zcrxlab: {}\nTo see what it takes, type: {}{} --help\n", sentence,
                       called_as(), words);
}

}  // namespace zcrxlab
