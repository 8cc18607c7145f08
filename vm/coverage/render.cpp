// Coverage as text, as JSON, and as one page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "vm/coverage/coverage.hpp"

namespace zcrxlab {
namespace {

double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

// A source's lines with their counts; those with code are marked as run or missed.
std::string listing(const FileCoverage& file, std::string_view source) {
    std::string html = "<pre>";
    uint32_t number = 1;
    for (size_t begin = 0; begin < source.size(); ++number) {
        const size_t end = std::min(source.find('\n', begin), source.size());
        const auto line = file.lines.find(number);
        const std::string text = escaped(source.substr(begin, end - begin));
        if (line == file.lines.end())
            html += fmt::format("<i>{:>5} {:>9}</i> {}\n", number, "", text);
        else
            html += fmt::format("<span class={}><i>{:>5} {:>9}</i> {}</span>\n",
                                line->second.count > 0 ? "run" : "missed", number,
                                line->second.count, text);
        begin = end + 1;
    }
    return html + "</pre>";
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .7rem; text-align: right; }
td:first-child, th:first-child { text-align: left; }
pre { overflow-x: auto; font-size: 12px; } pre i { opacity: .6; font-style: normal; }
.run { background: rgba(0, 160, 60, .15); } .missed { background: rgba(220, 0, 0, .25); }
</style>
)";

}  // namespace

std::string to_text(const Coverage& coverage) {
    std::string out =
        fmt::format("{:<50} {:>15} {:>7} {:>15} {:>7}\n", "", "lines", "", "branches", "");
    for (const auto& [path, file] : coverage)
        out += fmt::format("{:<50} {:>7} / {:>5} {:>5.1f} % {:>7} / {:>5} {:>5.1f} %\n", path,
                           file.lines_hit(), file.lines.size(),
                           percent(file.lines_hit(), file.lines.size()), file.branches_hit(),
                           file.branches(), percent(file.branches_hit(), file.branches()));
    for (const auto& [path, file] : coverage) {
        bool first = true;
        for (const auto& [name, function] : file.functions) {
            if (function.missed == 0) continue;
            if (first) out += fmt::format("\nnever run in {}:\n", path);
            first = false;
            out += fmt::format("  {:<44} {:>4} of {:>4} lines{}\n", name, function.missed,
                               function.lines, function.calls == 0 ? ", never called" : "");
        }
    }
    return out;
}

std::string to_json(const Coverage& coverage) {
    using Json = nlohmann::ordered_json;
    Json files = Json::array();
    for (const auto& [path, file] : coverage) {
        Json functions = Json::array();
        for (const auto& [name, function] : file.functions)
            functions.push_back({{"name", name},
                                 {"calls", function.calls},
                                 {"lines", function.lines},
                                 {"missed", function.missed}});
        Json missed = Json::array();
        for (const auto& [at, line] : file.lines)
            if (line.count == 0) missed.push_back(at);
        files.push_back({{"file", path},
                         {"lines", file.lines.size()},
                         {"lines_run", file.lines_hit()},
                         {"branches", file.branches()},
                         {"branches_taken", file.branches_hit()},
                         {"functions", std::move(functions)},
                         {"missed", std::move(missed)}});
    }
    const Json all = {{"files", std::move(files)}};
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_html(const Coverage& coverage, const std::map<std::string, std::string>& sources,
                    const std::string& title) {
    std::string page = kHead;
    page += fmt::format(
        "<title>{0}</title></head><body><h1>{0}</h1>\n<table><tr><th>source<th>"
        "lines<th>%<th>branches<th>%</tr>\n",
        escaped(title));
    for (const auto& [path, file] : coverage)
        page += fmt::format(
            "<tr><td><a href=\"#{0}\">{0}</a><td>{1} / {2}<td>{3:.1f}<td>{4} / {5}"
            "<td>{6:.1f}</tr>\n",
            escaped(path), file.lines_hit(), file.lines.size(),
            percent(file.lines_hit(), file.lines.size()), file.branches_hit(), file.branches(),
            percent(file.branches_hit(), file.branches()));
    page += "</table>\n";
    for (const auto& [path, file] : coverage) {
        page += fmt::format("<h2 id=\"{0}\">{0}</h2>\n", escaped(path));
        const auto source = sources.find(path);
        page += source == sources.end() ? "<p>The source is not at hand.</p>\n"
                                        : listing(file, source->second) + "\n";
    }
    return page + "</body></html>\n";
}

}  // namespace zcrxlab
