// Finds the functions in a splat, and their places in the source.
#include "lists/bundle/splat.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <optional>
#include <sstream>

#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

bool is_symbol(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

std::optional<uint64_t> hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return number_from_hex<uint64_t>(text);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// "name+0x1a/0x200" as the place it is.
std::optional<SplatPlace> place_in(const std::string& word) {
    const size_t plus = word.find("+0x");
    const size_t slash = word.find("/0x", plus == std::string::npos ? 0 : plus);
    if (plus == std::string::npos || slash == std::string::npos || plus == 0) return {};
    // "0010:name" of an RIP.
    size_t begin = plus;
    while (begin > 0 && is_symbol(word[begin - 1])) --begin;
    size_t end = slash + 3;
    while (end < word.size() && std::isxdigit(static_cast<unsigned char>(word[end])) != 0) ++end;
    const auto offset = hex(std::string_view(word).substr(plus + 1, slash - plus - 1));
    if (begin == plus || !offset) return {};
    return SplatPlace{.function = word.substr(begin, plus - begin), .offset = *offset};
}

// An address behind a call may be in the next line of the source already.
std::optional<uint64_t> address_of(const SplatPlace& place,
                                   const std::map<std::string, uint64_t>& symbols) {
    const auto found = symbols.find(place.function);
    if (!place.module.empty() || found == symbols.end()) return {};
    return found->second + place.offset - (place.at || place.offset == 0 ? 0 : 1);
}

}  // namespace

std::vector<SplatPlace> places_in(const std::string& splat) {
    std::vector<SplatPlace> places;
    const std::vector<std::string> lines = lines_of(splat);
    for (size_t number = 0; number < lines.size(); ++number) {
        std::istringstream words(lines[number]);
        std::optional<SplatPlace> last;
        for (std::string word; words >> word;) {
            if (last && word.size() > 2 && word.front() == '[' && word.back() == ']')
                places.back().module = word.substr(1, word.size() - 2);
            last = place_in(word);
            if (!last) continue;
            last->line = number;
            last->at = lines[number].find("RIP:") != std::string::npos ||
                       lines[number].find("WARNING:") != std::string::npos;
            places.push_back(*last);
        }
    }
    return places;
}

std::map<std::string, uint64_t> symbols_from(const std::string& nm) {
    std::map<std::string, uint64_t> symbols;
    for (const std::string& line : lines_of(nm)) {
        std::istringstream words(line);
        std::string address, kind, name;
        if (!(words >> address >> kind >> name) || kind.size() != 1) continue;
        const auto value = hex(address);
        if (value && (kind == "t" || kind == "T" || kind == "w" || kind == "W"))
            symbols.try_emplace(name, *value);
    }
    return symbols;
}

std::vector<uint64_t> addresses_of(const std::string& splat,
                                   const std::map<std::string, uint64_t>& symbols) {
    std::vector<uint64_t> addresses;
    for (const SplatPlace& place : places_in(splat))
        if (const auto address = address_of(place, symbols)) addresses.push_back(*address);
    return addresses;
}

std::map<uint64_t, std::vector<std::string>> lines_from(const std::string& addr2line) {
    std::map<uint64_t, std::vector<std::string>> found;
    std::optional<uint64_t> address;
    bool place = false;  // function and place come in turn
    for (const std::string& line : lines_of(addr2line)) {
        if (line.starts_with("0x")) {
            address = hex(line);
            place = false;
            continue;
        }
        if (place && address && !line.starts_with("??"))
            // "(discriminator 3)" is of use to nobody here.
            found[*address].push_back(line.substr(0, line.find(" (")));
        place = !place;
    }
    return found;
}

DecodedSplat with_lines(const std::string& splat, const std::map<std::string, uint64_t>& symbols,
                        const std::map<uint64_t, std::vector<std::string>>& lines) {
    DecodedSplat decoded;
    std::vector<std::string> text = lines_of(splat);
    for (const SplatPlace& place : places_in(splat)) {
        const auto address = address_of(place, symbols);
        const auto found = address ? lines.find(*address) : lines.end();
        if (found == lines.end()) continue;
        text[place.line] += fmt::format(" ({})", fmt::join(found->second, " < "));
        ++decoded.decoded;
    }
    for (const std::string& line : text) decoded.text += line + "\n";
    return decoded;
}

}  // namespace zcrxlab
