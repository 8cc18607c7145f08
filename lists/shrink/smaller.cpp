// Smaller: makes the candidates of delta debugging.
#include "lists/shrink/smaller.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "lists/verbs/row/row.hpp"

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
        if (form.lines) threads.insert(action.name);
        return false;
    });
}

// What the shrinker makes simpler of the action.
Simpler simpler(const Action& action) {
    const Simpler* how = row_of(action.verb).shrinker.how();
    return how != nullptr ? *how : Simpler{};
}

// What the stream is to have received cannot be more than what was sent to it.
void lower_waits(ActionList& list) {
    std::map<std::string, uint64_t> sent;  // by stream
    for (Action& action : list.actions) {
        const Simpler how = simpler(action);
        if (how.sent != nullptr) sent[action.name] += how.sent(action);
        const std::vector<Argument> arguments = action.arguments;
        for (const Argument& argument : arguments)
            if (has_word(how.at_most_sent, argument.parameter->name) &&
                argument.numbers.front() > sent[action.name])
                action.set(argument.parameter->name, sent[action.name]);
    }
}

void keep(std::vector<ActionList>& kept, const ActionList& original, ActionList candidate) {
    remove_orphans(candidate);
    lower_waits(candidate);
    if (candidate.actions.empty() || candidate == original || !check_names(candidate)) return;
    if (std::ranges::find(kept, candidate) == kept.end()) kept.push_back(std::move(candidate));
}

// Of a fault rule: each without a field, or with a smaller number.
std::vector<std::string> simpler_rules(const std::string& text) {
    using Json = nlohmann::json;
    std::vector<std::string> rules;
    const Json rule = Json::parse(text, nullptr, false);
    if (!rule.is_object()) return rules;
    const auto try_parts = [&](const Json::json_pointer& place, const Json& object) {
        for (const auto& [name, value] : object.items()) {
            if (place.empty() && name == "what") continue;
            Json without = rule;
            without.at(place).erase(name);
            rules.push_back(without.dump(-1, ' ', true));
            if (!value.is_number_unsigned() || value.get<uint64_t>() < 2) continue;
            Json smaller = rule;
            smaller.at(place).at(name) = value.get<uint64_t>() / 2;
            rules.push_back(smaller.dump(-1, ' ', true));
        }
    };
    try_parts(Json::json_pointer(), rule);
    if (rule.contains("match") && rule["match"].is_object())
        try_parts(Json::json_pointer("/match"), rule["match"]);
    return rules;
}

void leave_out_optional(Action& action) {
    std::erase_if(action.arguments, [](const Argument& argument) {
        const Parameter& parameter = *argument.parameter;
        return !parameter.required && parameter.kind != ValueKind::kName &&
               parameter.kind != ValueKind::kErrno;
    });
}

bool same_thing(const Action& a, const Action& b) {
    return a.verb == b.verb && a.name == b.name;
}

// For each action of `list`, what has become of it in `candidate`, in which some are gone and some
// have other arguments.
std::vector<const Action*> places_in(const ActionList& list, const ActionList& candidate) {
    const size_t rows = list.actions.size(), columns = candidate.actions.size();
    const auto alike = [&](size_t row, size_t column) -> size_t {
        const Action& a = list.actions[row];
        const Action& b = candidate.actions[column];
        return a == b ? 3 : same_thing(a, b) ? 2 : 0;
    };
    // The best score of what is left of both.
    std::vector<std::vector<size_t>> best(rows + 1, std::vector<size_t>(columns + 1));
    for (size_t row = rows; row-- > 0;)
        for (size_t column = columns; column-- > 0;) {
            const size_t score = alike(row, column);
            best[row][column] = std::max(best[row + 1][column], best[row][column + 1]);
            if (score > 0)
                best[row][column] = std::max(best[row][column], score + best[row + 1][column + 1]);
        }
    std::vector<const Action*> places(rows);
    for (size_t row = 0, column = 0; row < rows && column < columns;) {
        const size_t score = alike(row, column);
        if (score > 0 && best[row][column] == score + best[row + 1][column + 1])
            places[row++] = &candidate.actions[column++];
        else if (best[row][column] == best[row + 1][column])
            ++row;
        else
            ++column;
    }
    return places;
}

// What `changed` has otherwise than `original` is so in `target` too.
void take_changes(Action& target, const Action& original, const Action& changed) {
    if (changed.thread != original.thread) target.thread = changed.thread;
    if (changed.text != original.text) target.text = changed.text;
    for (const Argument& argument : original.arguments) {
        const auto other =
            std::ranges::find(changed.arguments, argument.parameter, &Argument::parameter);
        const auto mine =
            std::ranges::find(target.arguments, argument.parameter, &Argument::parameter);
        if (mine == target.arguments.end()) continue;
        if (other == changed.arguments.end())
            target.arguments.erase(mine);
        else if (*other != argument)
            *mine = *other;
    }
}

std::vector<uint64_t> smaller_numbers(const Parameter& parameter, uint64_t number) {
    std::vector<uint64_t> numbers;
    for (const uint64_t smaller :
         {parameter.least, number / 16, number / 4, number / 2, number / 4 * 3})
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
    ActionList bare = list;
    for (Action& action : bare.actions) leave_out_optional(action);
    keep(kept, list, std::move(bare));
    for (size_t at = 0; at < list.actions.size(); ++at) {
        ActionList barer = list;
        leave_out_optional(barer.actions[at]);
        keep(kept, list, std::move(barer));
        const Simpler how = simpler(list.actions[at]);
        if (how.json)
            for (const std::string& rule : simpler_rules(list.actions[at].text)) {
                ActionList candidate = list;
                candidate.actions[at].text = rule;
                keep(kept, list, std::move(candidate));
            }
        if (!list.actions[at].thread.empty()) {
            ActionList candidate = list;
            const std::string thread = list.actions[at].thread;
            std::erase_if(candidate.actions, [&](const Action& action) {
                return action.name == thread && simpler(action).hands_over;
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
            // A wait that gives up sooner fails on a good kernel, too.
            if (parameter.kind != ValueKind::kNumber || parameter.name == "within" || !how.numbers)
                continue;
            for (const uint64_t smaller : smaller_numbers(parameter, argument.numbers.front())) {
                ActionList candidate = list;
                candidate.actions[at].set(parameter.name, smaller);
                keep(kept, list, std::move(candidate));
            }
        }
    }
    return kept;
}

ActionList merged(const ActionList& list, const std::vector<ActionList>& candidates) {
    ActionList result = list;
    std::vector<bool> gone(list.actions.size());
    for (const ActionList& candidate : candidates) {
        const std::vector<const Action*> places = places_in(list, candidate);
        for (size_t at = 0; at < places.size(); ++at) {
            if (places[at] == nullptr)
                gone[at] = true;
            else
                take_changes(result.actions[at], list.actions[at], *places[at]);
        }
    }
    std::vector<Action> left;
    for (size_t at = 0; at < gone.size(); ++at)
        if (!gone[at]) left.push_back(std::move(result.actions[at]));
    result.actions = std::move(left);
    std::vector<ActionList> kept;
    keep(kept, list, std::move(result));
    return kept.empty() ? list : kept.front();
}

ActionList hurried(const ActionList& list, uint64_t milliseconds) {
    ActionList fast = list;
    for (Action& action : fast.actions)
        if (find_parameter(action.form(), "within") != nullptr && !action.has("within"))
            action.set("within", milliseconds);
    return fast;
}

size_t weight_of(const ActionList& list) {
    size_t weight = 0;
    for (const Action& action : list.actions) {
        weight += 10'000 + 100 * action.arguments.size() + action.text.size();
        for (const Argument& argument : action.arguments)
            for (uint64_t number : argument.numbers)
                for (; number > 0; number /= 2) ++weight;
    }
    return weight;
}

}  // namespace zcrxlab
