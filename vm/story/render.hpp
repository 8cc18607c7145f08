// Stories as text for a terminal and as a page.
#pragma once

#include <string>
#include <vector>

#include "vm/story/story.hpp"

namespace zcrxlab {

struct TextTerms {
    size_t width = 100;           // columns
    bool around_failure = false;  // only what is next to failures, nothing folded
    bool everything = false;      // nothing is folded
};

// A line for each item, in milliseconds since the story began; what repeats is folded.
std::string to_text(const Story& story, const TextTerms& terms);

// How many tests there are of which status, and where failures are.
std::string summary_of(const std::vector<Story>& stories);

// One page that needs nothing but itself. `title` names the run.
std::string to_page(const std::vector<Story>& stories, const std::string& title);

}  // namespace zcrxlab
