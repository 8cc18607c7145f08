// What our pages have in common: data in a page of one file, which cannot break out of its place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace zcrxlab {

// JSON that cannot end the element it stands in, nor begin another.
std::string inside_script(const nlohmann::ordered_json& json);

// `page` with the one place `mark` in it filled.
std::string filled(std::string_view page, std::string_view mark, std::string_view with);

}  // namespace zcrxlab
