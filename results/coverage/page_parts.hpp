// What the pages about sources share: how they look, and text that is no markup.
#pragma once

#include <string>
#include <string_view>

#include "results/page/html.hpp"

namespace zcrxlab {

// From the doctype to the style, which allows no script and nothing from elsewhere. A <title> and
// more of a <style> can follow.
std::string page_head();

// What goes into an id and behind a #.
std::string anchor(std::string_view text);

}  // namespace zcrxlab
