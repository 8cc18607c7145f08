// Deck: what may take long comes first, so that no VM is alone with it at the end.
#include "vm/boot/deck.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

double at(const std::vector<double>& numbers, size_t index) {
    return index < numbers.size() ? numbers[index] : 0;
}

}  // namespace

void Deck::join(size_t vm, const DealtPlan& plan) {
    Hand& hand = hands_.at(vm);
    for (size_t i = 0; i < plan.names.size(); ++i) {
        const std::string& name = plan.names[i];
        hand.known.insert(name);
        if (std::ranges::find(order_, name) != order_.end()) continue;
        order_.push_back(name);
        cards_.push_back({name, at(plan.bounds, i), at(plan.cpus, i) > 1});
    }
    hand.unfit = plan.unfit;
    // Among equals the plan's order stays.
    std::ranges::stable_sort(cards_, std::ranges::greater(), &Card::bound);
}

template <typename Wanted>
std::string Deck::take(Wanted wanted) {
    const auto card = std::ranges::find_if(cards_, wanted);
    if (card == cards_.end()) return {};
    std::string name = std::move(card->name);
    cards_.erase(card);
    return name;
}

bool Deck::others_than(size_t vm) const {
    return std::ranges::any_of(
        hands_, [&](const Hand& hand) { return hand.there && &hand != &hands_[vm]; });
}

std::string Deck::next(size_t vm) {
    Hand& hand = hands_.at(vm);
    const bool others = others_than(vm);
    const bool parallel_only = first_for_parallel_ && vm == 0 && others;
    std::string name = take([&](const Card& card) {
        return hand.known.contains(card.name) && !hand.unfit.contains(card.name) &&
               (card.parallel || !parallel_only);
    });
    // Whoever is the last says of the rest why it cannot run.
    if (name.empty() && !others)
        name = take([&](const Card& card) { return hand.known.contains(card.name); });
    if (name.empty()) leave(vm);
    return name;
}

std::vector<std::string> Deck::left() const {
    std::vector<std::string> names;
    for (const std::string& name : order_)
        if (std::ranges::find(cards_, name, &Card::name) != cards_.end()) names.push_back(name);
    return names;
}

}  // namespace zcrxlab
