// Counts the typing errors between two words: optimal string alignment.
#include "cli/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace zcrxlab {

namespace {

// Letters added, left out, replaced, or exchanged with the next one.
size_t typing_errors(std::string_view typed, std::string_view meant) {
    const size_t width = meant.size() + 1;
    // A row for each letter of `typed`: the errors up to there, for each beginning of `meant`.
    std::vector<std::vector<size_t>> rows(typed.size() + 1, std::vector<size_t>(width));
    for (size_t column = 0; column < width; ++column) rows[0][column] = column;
    for (size_t i = 1; i < rows.size(); ++i) {
        rows[i][0] = i;
        for (size_t j = 1; j < width; ++j) {
            const size_t other = typed[i - 1] == meant[j - 1] ? 0 : 1;
            rows[i][j] =
                std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + other});
            if (i > 1 && j > 1 && typed[i - 1] == meant[j - 2] && typed[i - 2] == meant[j - 1])
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows.back().back();
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& words) {
    std::string best;
    size_t fewest = std::max<size_t>(2, typed.size() / 3) + 1;
    for (const std::string& word : words) {
        const size_t errors = typing_errors(typed, word);
        // A short word is not another one with all its letters wrong.
        if (errors >= fewest || errors >= std::max(typed.size(), word.size())) continue;
        fewest = errors;
        best = word;
    }
    return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words) {
    const std::string word = nearest(typed, words);
    return word.empty() ? "." : "; did you mean " + word + "?";
}

}  // namespace zcrxlab
