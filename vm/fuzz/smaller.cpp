// Smaller: candidates of delta debugging.
#include "vm/fuzz/smaller.hpp"

#include <algorithm>
#include <set>

namespace zcrxlab {

namespace {

// Takes out what uses a name that is not there (any more).
void remove_orphans(ActionList& list) {
    std::set<std::string> names;
    std::set<std::string> threads = {""};
    std::erase_if(list.actions, [&](const Action& action) {
        bool orphan = !threads.contains(action.thread);
        for (const Argument& argument : action.arguments)
            if (argument.parameter->kind == ValueKind::kName)
                orphan |= !names.contains(argument.word);
        const VerbForm& form = action.form();
        if (form.subject != Thing::kNothing && !form.makes) orphan |= !names.contains(action.name);
        if (orphan) return true;
        if (form.makes) names.insert(action.name);
        if (action.verb == Verb::kThread) threads.insert(action.name);
        return false;
    });
}

// What the stream is to have received cannot be more than what was sent to it.
void lower_waits(ActionList& list) {
    for (Action& wait : list.actions) {
        if (wait.verb != Verb::kWait) continue;
        uint64_t sent = 0;
        for (const Action& other : list.actions) {
            if (&other == &wait) break;
            if (other.verb == Verb::kSend && other.name == wait.name) sent += other.number("bytes");
        }
        for (const char* what : {"bytes", "queued"})
            if (wait.has(what) && wait.number(what) > sent) wait.set(what, sent);
    }
}

void keep(std::vector<ActionList>& kept, const ActionList& original, ActionList candidate) {
    remove_orphans(candidate);
    lower_waits(candidate);
    if (candidate.actions.empty() || candidate == original || !check_names(candidate)) return;
    if (std::ranges::find(kept, candidate) == kept.end()) kept.push_back(std::move(candidate));
}

std::vector<uint64_t> smaller_numbers(const Parameter& parameter, uint64_t number) {
    std::vector<uint64_t> numbers;
    for (const uint64_t smaller : {parameter.least, number / 2, number / 4 * 3})
        if (smaller < number && smaller >= parameter.least) numbers.push_back(smaller);
    return numbers;
}

}  // namespace

std::vector<ActionList> without_parts(const ActionList& list, size_t length) {
    std::vector<ActionList> kept;
    for (size_t at = 0; at < list.actions.size(); at += length) {
        ActionList candidate = list;
        const auto begin = candidate.actions.begin() + static_cast<ptrdiff_t>(at);
        candidate.actions.erase(
            begin, begin + static_cast<ptrdiff_t>(std::min(length, list.actions.size() - at)));
        keep(kept, list, std::move(candidate));
    }
    return kept;
}

std::vector<ActionList> simpler_arguments(const ActionList& list) {
    std::vector<ActionList> kept;
    for (size_t at = 0; at < list.actions.size(); ++at) {
        if (!list.actions[at].thread.empty()) {
            ActionList candidate = list;
            const std::string thread = list.actions[at].thread;
            std::erase_if(candidate.actions, [&](const Action& action) {
                return action.name == thread &&
                       (action.verb == Verb::kThread || action.verb == Verb::kJoin);
            });
            for (Action& action : candidate.actions)
                if (action.thread == thread) action.thread.clear();
            keep(kept, list, std::move(candidate));
        }
        for (const Argument& argument : list.actions[at].arguments) {
            const Parameter& parameter = *argument.parameter;
            if (parameter.kind == ValueKind::kName) continue;
            if (!parameter.required) {
                ActionList candidate = list;
                candidate.actions[at].remove(parameter.name);
                keep(kept, list, std::move(candidate));
            }
            if (parameter.kind != ValueKind::kNumber) continue;
            for (const uint64_t smaller : smaller_numbers(parameter, argument.numbers.front())) {
                ActionList candidate = list;
                candidate.actions[at].set(parameter.name, smaller);
                keep(kept, list, std::move(candidate));
            }
        }
    }
    return kept;
}

size_t weight_of(const ActionList& list) {
    size_t weight = 0;
    for (const Action& action : list.actions) {
        weight += 10'000 + 100 * action.arguments.size();
        for (const Argument& argument : action.arguments)
            for (uint64_t number : argument.numbers)
                for (; number > 0; number /= 2) ++weight;
    }
    return weight;
}

}  // namespace zcrxlab
