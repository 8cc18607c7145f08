// Fold: which items of a timeline are worth a line each, and which are more of the same.
#pragma once

#include <cstddef>
#include <vector>

#include "results/timeline/timeline.hpp"

namespace zcrxlab {

// Items [from, to): one that is shown, or several that are not.
struct Fold {
    size_t from = 0, to = 0;
    bool folded = false;
};

// All items, in order. Folded is what follows the first few of a run of many that differ in numbers
// only; never what is next to a failure, nor what happens once. The last ones of a run are shown.
std::vector<Fold> folds_of(const Timeline& timeline);
// As it is: each item is shown, from `from` up to, not including, `to`.
std::vector<Fold> unfolded(size_t from, size_t to);

}  // namespace zcrxlab
