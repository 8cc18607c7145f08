// Forms: finds the form of a verb, and prints all forms for the manual.
#include "lists/language/form.hpp"

#include <algorithm>

#include "lists/language/verbs.hpp"

namespace zcrxlab {

namespace {

const std::vector<VerbForm>& all_forms() {
    static const std::vector<VerbForm> forms = make_verbs();
    return forms;
}

std::string value_text(const Parameter& parameter) {
    switch (parameter.kind) {
        case ValueKind::kNumber:
            return "N";
        case ValueKind::kNumbers:
            return "N,...";
        case ValueKind::kWord:
            return std::string(parameter.words);
        case ValueKind::kErrno:
            return "ERRNO";
        case ValueKind::kName:
            return "NAME";
    }
    return {};
}

}  // namespace

std::string_view name_of(Thing thing) {
    switch (thing) {
        case Thing::kNothing:
            return "nothing";
        case Thing::kRing:
            return "ring";
        case Thing::kIfq:
            return "ifq";
        case Thing::kStream:
            return "stream";
        case Thing::kBox:
            return "box";
        case Thing::kProcess:
            return "process";
        case Thing::kThread:
            return "thread";
    }
    return "";
}

std::span<const VerbForm> verb_forms() {
    return all_forms();
}

const VerbForm& form_of(Verb verb) {
    return all_forms()[static_cast<size_t>(verb)];
}

const VerbForm* find_form(std::string_view word) {
    const auto found = std::ranges::find(all_forms(), word, &VerbForm::word);
    return found != all_forms().end() ? &*found : nullptr;
}

const Parameter* find_parameter(const VerbForm& form, std::string_view name) {
    const auto found = std::ranges::find(form.parameters, name, &Parameter::name);
    return found != form.parameters.end() ? &*found : nullptr;
}

std::vector<std::string_view> words_of(const Parameter& parameter) {
    std::vector<std::string_view> words;
    std::string_view rest = parameter.words;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('|'), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

std::string actions_manual() {
    std::string text;
    for (const VerbForm& form : all_forms()) {
        text += "    " + std::string(form.word);
        if (form.subject != Thing::kNothing) {
            const std::string thing(name_of(form.subject));
            text += " " + (form.makes ? "NEW-" + thing : thing);
        }
        if (form.text) text += " JSON";
        text += "\n        " + std::string(form.sentence) + "\n";
        for (const Parameter& parameter : form.parameters) {
            text += "          " + std::string(parameter.name) + "=" + value_text(parameter);
            if (!parameter.sentence.empty()) text += "  " + std::string(parameter.sentence);
            if (parameter.required) text += " (required)";
            if (!parameter.fallback.empty())
                text += " (default " + std::string(parameter.fallback) + ")";
            text += "\n";
        }
    }
    return text;
}

}  // namespace zcrxlab
