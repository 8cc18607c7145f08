// Markdown: plain text as it has to be written so that GitHub shows it unchanged in a table.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace zcrxlab {

// Plain text in which no character means anything to Markdown or HTML. Line breaks become blanks.
std::string as_cell(std::string_view text);
// `text` in a fixed-width font. It may contain backticks and bars.
std::string as_code_cell(std::string_view text);
// One row; the cells are Markdown already.
std::string table_row(std::span<const std::string> cells);
// The first two lines of a table; the titles are plain text.
std::string table_head(std::span<const std::string_view> titles);

}  // namespace zcrxlab
