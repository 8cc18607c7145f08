// The word that somebody meant who typed another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// The one of `words` next to `typed`: one in three of its letters, and at least two, may be wrong,
// missing, too much, or in each other's place. Empty if none is so near.
std::string nearest(std::string_view typed, const std::vector<std::string>& words);

// "; did you mean X?" where there is such a word, else ".": the end of a sentence.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words);

}  // namespace zcrxlab
