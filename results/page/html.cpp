// Puts data into a page of one file, so that the data cannot break out of its place.
#include "results/page/html.hpp"

#include <nlohmann/json.hpp>

namespace zcrxlab {

namespace {

// The colours of all pages, for light and dark.
constexpr std::string_view kColours = R"(:root {
  --back: #fff; --text: #1b1f24; --quiet: #59636e; --line: #d1d9e0; --raised: #f6f8fa;
  --passed: #1a7f37; --failed: #a0111f; --known: #7a4d00; --none: #59616a;
  --passed-back: #dafbe1; --failed-back: #ffd8d5; --known-back: #fff2c2; --none-back: #f0f2f4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --raised: #161b22;
    --passed: #57d364; --failed: #ff8a80; --known: #e3b341; --none: #9198a1;
    --passed-back: #12341c; --failed-back: #4b1113; --known-back: #3a2c05; --none-back: #1c2128;
  }
}
)";

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
)";

constexpr const char* kFrame = R"(* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 0 12px 40px; background: var(--back);
  color: var(--text); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere;
}
@media (min-width: 700px) { body { padding: 0 24px 40px; } }
h1 { font-size: 1.3rem; margin: 16px 0 4px; }
h2 { font-size: 1.1rem; margin: 24px 0 6px; }
a { color: inherit; }
.quiet { color: var(--quiet); }
.state { border-radius: 5px; padding: 1px 7px; }
summary { cursor: pointer; }
)";

}  // namespace

std::string head_without_script(std::string_view style) {
    return std::string(kHead).append(kColours).append(kFrame).append(style).append("</style>\n");
}

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
    page.append(parts.name).append("</title>\n<style>\n").append(kColours).append(parts.style);
    page.append("\n</style>\n</head>\n<body>\n").append(parts.body);
    page.append("<script type=\"application/json\" id=\"data\">").append(parts.data);
    page.append("</script>\n").append(parts.more);
    page.append("<script>\n").append(parts.script).append("\n</script>\n</body>\n</html>\n");
    return page;
}

}  // namespace zcrxlab
