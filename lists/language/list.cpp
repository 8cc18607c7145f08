// ActionList: reads and sets the values of actions, and checks their names.
#include "lists/language/list.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lists/language/value.hpp"

namespace zcrxlab {

namespace {

const Argument* find(const Action& action, std::string_view name) {
    for (const Argument& argument : action.arguments)
        if (argument.parameter->name == name) return &argument;
    return nullptr;
}

// The argument, or the table's default as one.
Argument value_of(const Action& action, std::string_view name) {
    if (const Argument* written = find(action, name)) return *written;
    const Parameter* parameter = find_parameter(action.form(), name);
    if (parameter == nullptr || parameter->fallback.empty()) return {};
    Result<Argument> fallback = argument_from_text(*parameter, parameter->fallback);
    return fallback ? *std::move(fallback) : Argument{};
}

void put(Action& action, Argument argument) {
    action.remove(argument.parameter->name);
    const auto behind = std::ranges::find_if(action.arguments, [&](const Argument& other) {
        return other.parameter > argument.parameter;
    });
    action.arguments.insert(behind, std::move(argument));
}

struct Made {
    Thing thing;
    std::string thread;
    size_t place = 0;     // in the list
    bool shared = false;  // a child that was there later sees its memory, and not a copy
};

struct NameCheck {
    std::map<std::string, Made> made = {};
    std::set<std::string> threads = {};
    std::set<std::string> joined = {};
    std::map<std::string, size_t> processes = {};  // that do lines, and where they began
    size_t place = 0;

    std::string complaint_about(const Action& action) {
        const VerbForm& form = action.form();
        ++place;
        if (!action.thread.empty() && !threads.contains(action.thread))
            return "there is no thread " + action.thread + "; write: thread " + action.thread +
                   ", or: process " + action.thread;
        if (joined.contains(action.thread))
            return (processes.contains(action.thread) ? "the process " : "the thread ") +
                   action.thread + " has ended before";
        if (!action.thread.empty() && form.first_thread)
            return std::string(form.word) + " is for the first thread";
        for (const Argument& argument : action.arguments)
            if (argument.parameter->kind == ValueKind::kName)
                if (std::string text =
                        use(argument.word, argument.parameter->thing, action.thread, false);
                    !text.empty())
                    return text;
        if (form.subject == Thing::kNothing) return {};
        if (!form.makes) {
            std::string text = use(action.name, form.subject, action.thread, form.any_thread);
            if (text.empty() && action.verb == Verb::kReap && !processes.contains(action.name))
                text = action.name + " does nothing until it is killed, or has ended before";
            if (text.empty() && (action.verb == Verb::kReap || action.verb == Verb::kKill))
                joined.insert(action.name);
            if (text.empty() && action.verb == Verb::kReap) made.erase(action.name);
            if (text.empty() && action.verb == Verb::kClose) made.erase(action.name);
            if (text.empty() && action.verb == Verb::kJoin && !joined.insert(action.name).second)
                text = "the thread " + action.name + " has ended before";
            return text;
        }
        if (threads.contains(action.name)) return "the name " + action.name + " is taken";
        const Made thing{form.subject, action.thread, place, is_shared(action)};
        if (!made.emplace(action.name, thing).second)
            return "there is a " + std::string(name_of(made.at(action.name).thing)) + " " +
                   action.name + " already";
        if (form.lines) threads.insert(action.name);
        if (action.verb == Verb::kProcess) processes[action.name] = place;
        return {};
    }

    bool is_shared(const Action& action) const {
        if (action.verb == Verb::kRegister)
            return action.word("rq_memory") == "kernel" &&
                   (action.word("memory").ends_with("memfd") ||
                    action.word("memory") == "repeated");
        const auto ifq = action.verb == Verb::kExport ? made.find(action.word("ifq")) : made.end();
        return ifq != made.end() && ifq->second.shared;
    }

    std::string use(const std::string& name, Thing thing, const std::string& thread, bool anyone) {
        const auto found = made.find(name);
        if (found == made.end() || found->second.thing != thing)
            return "there is no " + std::string(name_of(thing)) + " " + name + " at this place";
        const auto process = processes.find(thread);
        if (found->second.thread == thread) return {};
        // What was open when a child began is open in it; nothing else is shared.
        if (processes.contains(found->second.thread) ||
            (process != processes.end() &&
             (thing != Thing::kBox || found->second.place > process->second)))
            return "the " + std::string(name_of(thing)) + " " + name + " is in another process";
        if (process != processes.end() && !found->second.shared)
            return "the process " + thread + " has only a copy of the memory behind " + name +
                   "; register it with memory=memfd rq_memory=kernel";
        if (!anyone && thing != Thing::kThread && thing != Thing::kBox && thing != Thing::kProcess)
            return "the " + std::string(name_of(thing)) + " " + name + " belongs to another thread";
        return {};
    }
};

}  // namespace

bool Action::has(std::string_view parameter) const {
    return find(*this, parameter) != nullptr;
}

uint64_t Action::number(std::string_view parameter) const {
    const Argument value = value_of(*this, parameter);
    return value.numbers.empty() ? 0 : value.numbers.front();
}

std::vector<uint64_t> Action::numbers(std::string_view parameter) const {
    return value_of(*this, parameter).numbers;
}

std::string Action::word(std::string_view parameter) const {
    return value_of(*this, parameter).word;
}

std::string comment_of(const ActionList& list, std::string_view word) {
    for (const std::string& comment : list.comments)
        if (comment.starts_with(word)) return comment.substr(word.size());
    return {};
}

std::string title_of(const ActionList& list) {
    if (list.comments.empty()) return {};
    const std::string& first = list.comments.front();
    const bool other = first.starts_with(kMadeByFuzzer) || first.starts_with(kExpectedComment) ||
                       first.starts_with(kHappensComment);
    return other ? std::string() : first;
}

int Action::expected() const {
    const Result<int> code = errno_from_name(word("expect"));
    return code ? *code : 0;
}

void Action::set(std::string_view parameter, uint64_t number) {
    set(parameter, std::vector<uint64_t>{number});
}

void Action::set(std::string_view parameter, std::vector<uint64_t> numbers) {
    if (const Parameter* found = find_parameter(form(), parameter))
        put(*this, {found, std::move(numbers), {}});
}

void Action::set(std::string_view parameter, std::string_view word) {
    if (const Parameter* found = find_parameter(form(), parameter))
        put(*this, {found, {}, std::string(word)});
}

void Action::remove(std::string_view parameter) {
    std::erase_if(arguments, [parameter](const Argument& argument) {
        return argument.parameter->name == parameter;
    });
}

Result<void> check_names(const ActionList& list) {
    NameCheck check;
    for (const Action& action : list.actions)
        if (const std::string text = check.complaint_about(action); !text.empty())
            return Error{EINVAL, "\"" + to_text(action) + "\": " + text + "."};
    return {};
}

}  // namespace zcrxlab
