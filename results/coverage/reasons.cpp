// Reads reasons, and compares them with the counts.
#include "results/coverage/reasons.hpp"

#include <algorithm>
#include <sstream>

namespace zcrxlab {
namespace {

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

Result<Reasons> parse_reasons(std::string_view text) {
    Reasons reasons;
    std::string* last = nullptr;
    std::istringstream stream{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        const std::string rest = trimmed(line);
        if (rest.empty() || line[0] == '#') continue;
        if (line[0] == ' ' && last != nullptr) {
            *last += " " + rest;
            continue;
        }
        const size_t colon = rest.find(": ");
        const size_t space = rest.find(' ');
        if (line[0] == ' ' || colon == std::string::npos || space > colon)
            return Error{EINVAL, "Line " + std::to_string(number) +
                                     " of the reasons is not like this: io_uring/zcrx.c function: "
                                     "sentence"};
        const std::pair key{rest.substr(0, space), trimmed(rest.substr(space, colon - space))};
        const auto [entry, is_new] = reasons.try_emplace(key, trimmed(rest.substr(colon + 1)));
        if (!is_new)
            return Error{EINVAL, "Line " + std::to_string(number) +
                                     " of the reasons gives a second one for " + key.second + "."};
        last = &entry->second;
    }
    return reasons;
}

std::vector<std::string> misfits(const Reasons& reasons, const Coverage& coverage) {
    std::vector<std::string> sentences;
    for (const auto& [key, reason] : reasons) {
        const auto& [path, name] = key;
        const auto file = coverage.find(path);
        const bool there = file != coverage.end() && file->second.functions.contains(name);
        if (!there)
            sentences.push_back(path + " " + name +
                                ": a reason is given, but there is no such function");
        else if (file->second.tally(file->second.functions.at(name)).whole())
            sentences.push_back(path + " " + name +
                                ": a reason is given, but every line of it was run");
    }
    for (const auto& [path, file] : coverage)
        for (const auto& [name, function] : file.functions)
            if (!file.tally(function).whole() && !reasons.contains({path, name}))
                sentences.push_back(path + " " + name + ": lines " +
                                    lines_never_run(file, function) +
                                    " were never run, and no reason is given");
    return sentences;
}

}  // namespace zcrxlab
