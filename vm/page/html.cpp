// What our pages have in common: data in a page of one file, which cannot break out of its place.
#include "vm/page/html.hpp"

#include <nlohmann/json.hpp>

namespace zcrxlab {

std::string inside_script(const nlohmann::ordered_json& json) {
    const std::string text =
        json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

std::string filled(std::string_view page, std::string_view mark, std::string_view with) {
    const size_t at = page.find(mark);
    if (at == std::string_view::npos) return std::string(page);
    return std::string(page.substr(0, at)) + std::string(with) +
           std::string(page.substr(at + mark.size()));
}

}  // namespace zcrxlab
