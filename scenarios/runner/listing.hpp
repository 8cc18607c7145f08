// Listing: chapters, scenarios and their needs, for people and for programs.
#pragma once

#include <string>
#include <string_view>

namespace zcrxlab {

// A paragraph per chapter, a line per scenario that `filter` selects. Ends with a newline.
std::string listing_for_people(std::string_view filter);

// {"chapters": [{"name", "sentence", "on_request", "tests": [{"name", "sentence", "needs": [...],
// "seconds": bound, "violates": "I4" (controls only)}]}]}
std::string listing_as_json(std::string_view filter);

}  // namespace zcrxlab
