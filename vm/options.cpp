// Parses sizes and words of the command line.
#include "vm/options.hpp"

#include <charconv>

namespace zcrxlab {

bool is_passed_through(const std::string& nic) {
    return nic_is_at(nic, NicPlace::kPassedIn);
}

unsigned mebibytes(const std::string& size) {
    unsigned number = 0;
    const char* end = size.data() + size.size();
    const auto [rest, error] = std::from_chars(size.data(), end, number);
    if (error != std::errc() || number == 0) return 0;
    const std::string unit(rest, end);
    if (unit.empty() || unit == "M" || unit == "m") return number;
    if ((unit == "G" || unit == "g") && number <= 1024) return number * 1024;
    return 0;
}

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = '\0';
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0' && c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
            inside = true;
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
            if (inside) words.push_back(std::move(word));
            word.clear();
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (inside) words.push_back(std::move(word));
    return words;
}

}  // namespace zcrxlab
