// Markdown: what is escaped, by the rules of GitHub Flavored Markdown 0.29 (github.github.com/gfm).
#include "scenarios/contract/markdown.hpp"

#include <algorithm>
#include <vector>

namespace zcrxlab {
namespace {

// Between two of these an underscore is only that (section 6.4), so that names stay readable.
bool is_word(std::string_view text, size_t at) {
    if (at >= text.size()) return false;
    const char c = text[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool has_meaning(std::string_view text, size_t at) {
    if (text[at] == '_') return at == 0 || !is_word(text, at - 1) || !is_word(text, at + 1);
    return std::string_view("\\`*|<>[]&~").find(text[at]) != std::string_view::npos;
}

size_t longest_run_of_backticks(std::string_view text) {
    size_t longest = 0;
    size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

}  // namespace

std::string as_cell(std::string_view text) {
    std::string cell;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n' || text[at] == '\r') {
            cell += ' ';
            continue;
        }
        if (has_meaning(text, at)) cell += '\\';
        cell += text[at];
    }
    return cell;
}

// A code span takes no escapes (section 6.3), so more backticks than inside enclose it. Only a bar
// is escaped, since a table is divided into cells first (section 4.10).
std::string as_code_cell(std::string_view text) {
    if (text.empty()) return {};
    const std::string fence(longest_run_of_backticks(text) + 1, '`');
    const bool padded = text.front() == '`' || text.back() == '`';
    std::string cell = fence + (padded ? " " : "");
    for (const char c : text) {
        if (c == '|') cell += '\\';
        cell += c == '\n' || c == '\r' ? ' ' : c;
    }
    return cell + (padded ? " " : "") + fence;
}

std::string table_row(std::span<const std::string> cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row += ' ' + cell + " |";
    return row + '\n';
}

std::string table_head(std::span<const std::string_view> titles) {
    std::vector<std::string> cells;
    for (const std::string_view title : titles) cells.push_back(as_cell(title));
    std::string rule = "|";
    for (size_t i = 0; i < titles.size(); ++i) rule += "---|";
    return table_row(cells) + rule + '\n';
}

}  // namespace zcrxlab
