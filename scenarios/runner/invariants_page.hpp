// The invariants as a table: the block in README.md.
#pragma once

#include <string>

namespace zcrxlab {

// Markdown, with the markers between which it stands in a page.
std::string invariants_page();

}  // namespace zcrxlab
