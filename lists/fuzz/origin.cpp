// Origin: says in text whose choices a list is made of, and reads that text.
#include <charconv>

#include "lists/fuzz/model.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kOf = " of seed ";
constexpr std::string_view kThen = "; from choice ";
constexpr std::string_view kOn = " on list ";
constexpr size_t kMostTurns = 64;

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

bool take(std::string_view& text, uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

}  // namespace

std::string to_text(const Origin& origin) {
    std::string text;
    for (const Random::Turn& turn : origin) {
        if (text.empty())
            text = kMadeByFuzzer;
        else
            text.append(kThen).append(std::to_string(turn.choice)).append(kOn);
        text.append(std::to_string(turn.number)).append(kOf).append(std::to_string(turn.seed));
    }
    return text;
}

Origin origin_from_text(std::string_view text) {
    Origin origin(1);
    if (!take(text, kMadeByFuzzer)) return {};
    for (;;) {
        Random::Turn& turn = origin.back();
        if (!take(text, turn.number) || !take(text, kOf) || !take(text, turn.seed)) return {};
        if (text.empty()) return origin;
        Random::Turn next;
        if (!take(text, kThen) || !take(text, next.choice) || !take(text, kOn)) return {};
        if (next.choice < turn.choice || origin.size() == kMostTurns) return {};
        origin.push_back(next);
    }
}

Origin changed(const ModelOptions& options, const Origin& origin, uint64_t number) {
    uint64_t choices = 0;
    static_cast<void>(list_of(options, origin, &choices));
    // Which choice: a choice of its own, so that it differs from those of the list.
    const uint64_t from = Random(~options.seed, number).below(choices == 0 ? 1 : choices);
    Origin other = origin;
    std::erase_if(
        other, [&](const Random::Turn& turn) { return turn.choice >= from && turn.choice != 0; });
    if (other.size() < kMostTurns) other.push_back({from, options.seed, number});
    return other;
}

}  // namespace zcrxlab
