// ActionList: parses the text of a list line by line, and prints it.
#include <algorithm>
#include <string>

#include "lists/language/list.hpp"
#include "lists/language/value.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes the first word off.
std::string_view next_word(std::string_view& rest) {
    rest = trimmed(rest);
    const size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
    return word;
}

bool is_printable(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

Error refuse(const std::string& sentence) {
    return Error{EINVAL, sentence};
}

// "ring, register ..."
std::string all_verbs() {
    std::string text;
    for (const VerbForm& form : verb_forms())
        text += (text.empty() ? "" : ", ") + std::string(form.word);
    return text;
}

Result<void> read_parameters(Action& action, std::string_view rest) {
    const VerbForm& form = action.form();
    std::vector<Argument> found;
    while (!rest.empty()) {
        const std::string_view word = next_word(rest);
        const size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const Parameter* parameter = find_parameter(form, name);
        if (parameter == nullptr || equals == std::string_view::npos) {
            std::string names;
            for (const Parameter& known : form.parameters)
                names += (names.empty() ? "" : ", ") + std::string(known.name) + "=";
            return refuse("\"" + std::string(word) + "\" says nothing here; " +
                          (names.empty() ? std::string(form.word) + " takes no parameter"
                                         : "there are " + names));
        }
        if (action.has(name)) return refuse(std::string(name) + "= is there twice");
        Result<Argument> argument = argument_from_text(*parameter, word.substr(equals + 1));
        if (!argument) return argument.error();
        action.arguments.push_back(std::move(*argument));
    }
    std::ranges::sort(action.arguments, {}, &Argument::parameter);
    for (const Parameter& parameter : form.parameters)
        if (parameter.required && !action.has(parameter.name))
            return refuse(std::string(form.word) + " needs " + std::string(parameter.name) + "=");
    return {};
}

Result<Action> action_from_line(std::string_view line) {
    Action action;
    std::string_view rest = line;
    std::string_view word = next_word(rest);
    if (word.ends_with(':')) {
        word.remove_suffix(1);
        if (!is_name(word)) return refuse("\"" + std::string(word) + "\" is no name of a thread");
        action.thread = word;
        word = next_word(rest);
    }
    const VerbForm* form = find_form(word);
    if (form == nullptr)
        return refuse("there is no action \"" + std::string(word) + "\"; there are " + all_verbs());
    action.verb = form->verb;
    if (form->text) {
        if (rest.empty()) return refuse(std::string(form->word) + " needs its text");
        action.text = rest;
        return action;
    }
    if (form->subject != Thing::kNothing) {
        const std::string_view name = next_word(rest);
        if (!is_name(name))
            return refuse(std::string(form->word) + " needs the name of a " +
                          std::string(name_of(form->subject)) + ", like r1");
        action.name = name;
    }
    if (auto read = read_parameters(action, rest); !read) return read.error();
    return action;
}

// A fault rule is JSON, in which # has no meaning.
std::string_view without_comment(std::string_view line) {
    std::string_view rest = line;
    std::string_view word = next_word(rest);
    if (word.ends_with(':')) word = next_word(rest);
    if (const VerbForm* form = find_form(word); form != nullptr && form->text) return line;
    return line.substr(0, line.find('#'));
}

}  // namespace

Result<ActionList> actions_from_text(std::string_view text) {
    if (text.size() > kMostListBytes) return refuse("The list is longer than 1 MiB.");
    ActionList list;
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto at_line = [number](const std::string& sentence) {
            return refuse("Line " + std::to_string(number) + ": " + sentence + ".");
        };
        const std::string_view whole = trimmed(line);
        if (std::string_view plain = whole; plain.starts_with('#')) {
            if (!is_printable(plain)) return at_line("it has control characters");
            if (list.actions.empty()) list.comments.emplace_back(trimmed(plain.substr(1)));
            continue;
        }
        const std::string_view words = trimmed(without_comment(whole));
        if (words.empty()) continue;
        if (!std::ranges::all_of(words, [](char c) { return c == '\t' || is_printable({&c, 1}); }))
            return at_line("it has control characters");
        Result<Action> action = action_from_line(words);
        if (!action) return at_line(action.error().sentence);
        list.actions.push_back(std::move(*action));
        if (list.actions.size() > kMostActions)
            return at_line("the list has more than " + std::to_string(kMostActions) + " actions");
    }
    if (auto names = check_names(list); !names) return names.error();
    return list;
}

Result<Action> action_from_text(std::string_view line) {
    if (!is_printable(line)) return refuse("it has control characters");
    return action_from_line(trimmed(without_comment(line)));
}

std::string to_text(const Action& action) {
    std::string text = action.thread.empty() ? "" : action.thread + ": ";
    text += action.form().word;
    if (!action.name.empty()) text += " " + action.name;
    if (!action.text.empty()) text += " " + action.text;
    for (const Argument& argument : action.arguments) text += " " + to_text(argument);
    return text;
}

std::string to_text(const ActionList& list) {
    std::string text;
    for (const std::string& comment : list.comments)
        text += comment.empty() ? "#\n" : "# " + comment + "\n";
    for (const Action& action : list.actions) text += to_text(action) + "\n";
    return text;
}

}  // namespace zcrxlab
