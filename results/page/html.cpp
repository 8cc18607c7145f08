// Puts data into a page of one file, so that the data cannot break out of its place.
#include "results/page/html.hpp"

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

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

std::string page_of(const PageParts& parts) {
    std::string page =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>";
    page.append(parts.name).append("</title>\n<style>\n").append(parts.style);
    page.append("\n</style>\n</head>\n<body>\n").append(parts.body);
    page.append("<script type=\"application/json\" id=\"data\">").append(parts.data);
    page.append("</script>\n").append(parts.more);
    page.append("<script>\n").append(parts.script).append("\n</script>\n</body>\n</html>\n");
    return page;
}

}  // namespace zcrxlab
