// Parsing, merging and comparing lines of kernel configurations.
#include "kernels/build/fragment.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace zcrxlab {
namespace {

constexpr std::string_view kPrefix = "CONFIG_";
constexpr std::string_view kOffBegin = "# CONFIG_";
constexpr std::string_view kOffEnd = " is not set";
constexpr std::string_view kPatches = "# patches: ";

bool is_symbol(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    const size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

// "CONFIG_X=value" or "# CONFIG_X is not set".
std::optional<ConfigSetting> parse_line(std::string_view line) {
    if (line.starts_with(kOffBegin) && line.ends_with(kOffEnd) &&
        line.size() > kOffBegin.size() + kOffEnd.size()) {
        const auto symbol =
            line.substr(kOffBegin.size(), line.size() - kOffBegin.size() - kOffEnd.size());
        if (is_symbol(symbol)) return ConfigSetting{std::string(symbol), "n", {}};
    }
    const size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string_view::npos) return std::nullopt;
    const auto symbol = line.substr(kPrefix.size(), equals - kPrefix.size());
    const auto value = line.substr(equals + 1);
    if (!is_symbol(symbol) || value.empty()) return std::nullopt;
    return ConfigSetting{std::string(symbol), std::string(value), {}};
}

template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
    for (size_t begin = 0, number = 1; begin < text.size(); ++number) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        visit(trimmed(text.substr(begin, end - begin)), number);
        begin = end + 1;
    }
}

}  // namespace

Result<std::vector<ConfigSetting>> parse_fragment(std::string_view text, const std::string& name) {
    std::vector<ConfigSetting> settings;
    std::string complaint;
    for_each_line(text, [&](std::string_view line, size_t number) {
        const std::string place = name + ":" + std::to_string(number);
        if (auto setting = parse_line(line)) {
            setting->place = place;
            settings.push_back(std::move(*setting));
        } else if (!line.empty() && line.front() != '#' && complaint.empty()) {
            complaint = place + ": \"" + std::string(line) +
                        "\" is no setting; one looks like this: CONFIG_GVE=y";
        }
    });
    if (!complaint.empty()) return Error{EINVAL, complaint};
    return settings;
}

std::string patch_folder(std::string_view text) {
    std::string folder;
    for_each_line(text, [&](std::string_view line, size_t) {
        if (line.starts_with(kPatches)) folder = line.substr(kPatches.size());
    });
    return folder;
}

std::vector<ConfigSetting> merged(const std::vector<std::vector<ConfigSetting>>& fragments) {
    std::map<std::string, ConfigSetting> by_symbol;
    for (const auto& fragment : fragments)
        for (const ConfigSetting& setting : fragment) by_symbol[setting.symbol] = setting;
    std::vector<ConfigSetting> settings;
    settings.reserve(by_symbol.size());
    for (auto& [symbol, setting] : by_symbol) settings.push_back(std::move(setting));
    return settings;
}

std::string config_text(const std::vector<ConfigSetting>& settings) {
    std::string text;
    for (const ConfigSetting& setting : settings)
        text += setting.value == "n" ? "# CONFIG_" + setting.symbol + " is not set\n"
                                     : "CONFIG_" + setting.symbol + "=" + setting.value + "\n";
    return text;
}

std::vector<UnmetSetting> unmet(const std::vector<ConfigSetting>& asked, std::string_view config) {
    std::map<std::string, std::string> got;
    for_each_line(config, [&](std::string_view line, size_t) {
        if (auto setting = parse_line(line)) got[setting->symbol] = setting->value;
    });
    std::vector<UnmetSetting> differing;
    for (const ConfigSetting& setting : asked) {
        const auto found = got.find(setting.symbol);
        const std::string value = found == got.end() ? "n" : found->second;
        if (value != setting.value) differing.push_back({setting, value});
    }
    return differing;
}

}  // namespace zcrxlab
