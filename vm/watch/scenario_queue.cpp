// Hands out scenarios that may take long first, so that no VM works alone at the end.
#include "vm/watch/scenario_queue.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

double at(const std::vector<double>& numbers, size_t index) {
    return index < numbers.size() ? numbers[index] : 0;
}

}  // namespace

void ScenarioQueue::join(size_t vm, const ScenarioOffer& plan) {
    Runner& hand = runners_.at(vm);
    for (size_t i = 0; i < plan.names.size(); ++i) {
        const std::string& name = plan.names[i];
        if (name.empty()) continue;  // next() says by it that nothing is left
        hand.known.insert(name);
        if (std::ranges::find(order_, name) != order_.end()) continue;
        order_.push_back(name);
        waiting_.push_back({name, at(plan.bounds, i), at(plan.cpus, i) > 1});
    }
    hand.unfit = plan.unfit;
    // Among equals the plan's order stays.
    std::ranges::stable_sort(waiting_, [this](const Waiting& a, const Waiting& b) {
        return quick_first_ ? a.bound < b.bound : a.bound > b.bound;
    });
}

template <typename Wanted>
std::string ScenarioQueue::take(Wanted wanted) {
    const auto card = std::ranges::find_if(waiting_, wanted);
    if (card == waiting_.end()) return {};
    dealt_.push_back(std::move(*card));
    waiting_.erase(card);
    return dealt_.back().name;
}

void ScenarioQueue::again(const std::string& name) {
    const auto card = std::ranges::find(dealt_, name, &Waiting::name);
    if (card == dealt_.end()) return;
    waiting_.push_back(std::move(*card));
    dealt_.erase(card);
}

bool ScenarioQueue::others_than(size_t vm) const {
    return std::ranges::any_of(
        runners_, [&](const Runner& hand) { return hand.there && &hand != &runners_[vm]; });
}

std::string ScenarioQueue::next(size_t vm) {
    Runner& hand = runners_.at(vm);
    const bool others = others_than(vm);
    const bool parallel_only = first_for_parallel_ && vm == 0 && others;
    std::string name = take([&](const Waiting& card) {
        return hand.known.contains(card.name) && !hand.unfit.contains(card.name) &&
               (card.parallel || !parallel_only);
    });
    // Whoever is the last says of the rest why it cannot run.
    if (name.empty() && !others)
        name = take([&](const Waiting& card) { return hand.known.contains(card.name); });
    if (name.empty()) leave(vm);
    return name;
}

std::vector<std::string> ScenarioQueue::left() const {
    std::vector<std::string> names;
    for (const std::string& name : order_)
        if (std::ranges::find(waiting_, name, &Waiting::name) != waiting_.end())
            names.push_back(name);
    return names;
}

}  // namespace zcrxlab
