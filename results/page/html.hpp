// What all pages share: data and text in a page of one file, which cannot break out of its place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace zcrxlab {

// JSON that cannot end the element it stands in, nor begin another.
std::string inside_script(const nlohmann::ordered_json& json);

// From the doctype to the style of a page that has no script and loads nothing: colours for light
// and dark, a column for phones and screens, headings, states. `style` is the page's own, and comes
// behind it; a <title> and more of a <style> can follow.
std::string head_without_script(std::string_view style);

// As text of an element, or as a value in quotes.
std::string escaped(std::string_view text);

// The parts of a page with a script of its own; all but the data are ours.
struct PageParts {
    std::string_view name;   // in the title
    std::string_view style;  // behind the colours that all pages have: --back, --passed ...
    std::string_view body;   // HTML
    std::string_view data;   // of inside_script(), which the script finds by the id "data"
    std::string_view more;   // further elements with data
    std::string_view script;
};
// One page that needs nothing but itself, and loads nothing.
std::string page_of(const PageParts& parts);

}  // namespace zcrxlab
