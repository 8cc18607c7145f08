// Fold: which items of a timeline are worth a line each, and which are more of the same.
#include "results/timeline/fold.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace zcrxlab {

namespace {

constexpr size_t kPatterns = 8;    // different lines that may take turns in a run
constexpr size_t kTimes = 4;       // a run has as many of each, on average
constexpr size_t kShortest = 12;   // items of a run
constexpr size_t kShownFirst = 6;  // of a run
constexpr size_t kShownLast = 2;
constexpr size_t kNearFailure = 5;  // items on either side of one

bool may_repeat(ItemKind kind) {
    switch (kind) {
        case ItemKind::kRequest:
        case ItemKind::kData:
        case ItemKind::kEnd:
        case ItemKind::kReturn:
        case ItemKind::kSent:
        case ItemKind::kWrite:
        case ItemKind::kFrame:
        case ItemKind::kHarm:
        case ItemKind::kKernel:
            return true;
        case ItemKind::kSetup:
        case ItemKind::kCheck:
        case ItemKind::kNote:
            break;
    }
    return false;
}

// The text with each number as "#".
std::string pattern_of(const Item& item) {
    std::string pattern = std::to_string(item.lane) + " ";
    const std::string& text = item.text;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](size_t at) {
            return at < text.size() && text[at] >= '0' && text[at] <= '9';
        };
        if (!digit(i)) {
            pattern += text[i];
            continue;
        }
        // "0x1f0" is one number; so is "12".
        const bool hex = text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x';
        if (hex) ++i;
        const auto part = [&](size_t at) {
            return digit(at) || (hex && at < text.size() && text[at] >= 'a' && text[at] <= 'f');
        };
        while (part(i + 1)) ++i;
        pattern += '#';
    }
    return pattern;
}

}  // namespace

std::vector<Fold> unfolded(size_t from, size_t to) {
    std::vector<Fold> folds;
    for (size_t i = from; i < to; ++i) folds.push_back({i, i + 1, false});
    return folds;
}

std::vector<Fold> folds_of(const Timeline& timeline) {
    const std::vector<Item>& items = timeline.items;
    std::unordered_map<std::string, size_t> numbers;
    std::vector<size_t> patterns;
    std::vector<bool> free;  // to be folded
    for (const Item& item : items) {
        patterns.push_back(numbers.try_emplace(pattern_of(item), numbers.size()).first->second);
        free.push_back(may_repeat(item.kind));
    }
    for (const Breach& failure : timeline.failures) {
        const size_t from = failure.item > kNearFailure ? failure.item - kNearFailure : 0;
        for (size_t i = from; i < std::min(items.size(), failure.item + kNearFailure + 1); ++i)
            free[i] = false;
    }

    std::vector<Fold> folds;
    for (size_t from = 0; from < items.size();) {
        std::map<size_t, size_t> counts;
        size_t to = from;
        while (to < items.size() && free[to] &&
               (counts.contains(patterns[to]) || counts.size() < kPatterns))
            ++counts[patterns[to++]];
        const size_t length = to - from;
        if (length < std::max(kShortest, kTimes * counts.size())) {
            folds.push_back({from, from + 1, false});
            ++from;
            continue;
        }
        const std::vector<Fold> first = unfolded(from, from + kShownFirst);
        folds.insert(folds.end(), first.begin(), first.end());
        folds.push_back({from + kShownFirst, to - kShownLast, true});
        const std::vector<Fold> last = unfolded(to - kShownLast, to);
        folds.insert(folds.end(), last.begin(), last.end());
        from = to;
    }
    return folds;
}

}  // namespace zcrxlab
