// Reads rows, and finds the mistakes that they are about.
#include "kernels/mutations/unnoticeable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/lines.hpp"

namespace zcrxlab {
namespace {

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_whole(const Unnoticeable& row) {
    return !row.line.empty() && !row.reason.empty();
}

// "function rule"
std::optional<Unnoticeable> row_from(std::string_view line, uint32_t at) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    std::string_view rule = trimmed(line.substr(space));
    Unnoticeable row;
    row.function = line.substr(0, space);
    row.at = at;
    if (const size_t behind = rule.find(' '); behind != std::string_view::npos) {
        const std::string_view number = trimmed(rule.substr(behind));
        const auto read = std::from_chars(number.begin(), number.end(), row.number);
        if (read.ec != std::errc() || read.ptr != number.end() || row.number == 0)
            return std::nullopt;
        rule = rule.substr(0, behind);
    }
    const auto mistake = mistake_from_name(rule);
    if (!mistake) return std::nullopt;
    row.mistake = *mistake;
    return row;
}

// Whether they are the same but for the number.
bool is_like(const Unnoticeable& row, const Mutant& mutant, std::string_view source) {
    return row.mistake == mutant.mistake && row.function == mutant.function &&
           row.line == changed_line(mutant, source);
}

// Which of those that `row` is like it is, from 1.
unsigned number_of(const Unnoticeable& row, const Mutant& mutant, std::string_view source) {
    unsigned number = 0;
    for (const Mutant& other : mutants_of(source)) {
        if (!is_like(row, other, source)) continue;
        ++number;
        if (other.name == mutant.name) break;
    }
    return number;
}

bool is_about(const Unnoticeable& row, const Mutant& mutant, std::string_view source) {
    return is_like(row, mutant, source) &&
           (row.number == 0 || row.number == number_of(row, mutant, source));
}

// "written for VERSION CRC32"
std::optional<UnnoticeableList> list_for(std::string_view line) {
    constexpr std::string_view kWords = "written for ";
    constexpr size_t kDigits = 8;
    if (!line.starts_with(kWords)) return std::nullopt;
    line.remove_prefix(kWords.size());
    const size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos) return std::nullopt;
    const std::string_view digits = line.substr(space + 1);
    UnnoticeableList list{std::string(line.substr(0, space)), 0, {}};
    const auto read = std::from_chars(digits.begin(), digits.end(), list.checksum, 16);
    if (digits.size() != kDigits || read.ec != std::errc() || read.ptr != digits.end())
        return std::nullopt;
    return list;
}

// With the parentheses that its other lines have: "f(a | b);" of "a | b);", and "if (a | b) {" of
// "a | b) {".
std::string closed(const std::string& line) {
    size_t open = 0, missing = 0;
    for (const char c : line) {
        if (c == '(') ++open;
        if (c == ')') open > 0 ? --open : ++missing;
    }
    std::string whole;
    for (; missing > 0; --missing) whole += whole.empty() && line.ends_with('{') ? "if (" : "f(";
    whole += line;
    // Behind a comma or an operator an operand is missing, too.
    if (open > 0 && std::string_view(",&|+-=<>?:").find(line.back()) != std::string_view::npos)
        whole += "0";
    return whole + std::string(open, ')');
}

// Whether the rule makes this mistake where nothing but the row's line is in its function.
bool is_made_of_its_line(const Unnoticeable& row) {
    Unnoticeable alone = row;
    alone.line = closed(row.line);
    // A line may end one block and begin another one.
    const std::string_view opening = alone.line.starts_with("} while") ? "do {"
                                     : alone.line.starts_with('}')     ? "if (other) {"
                                                                       : ";";
    const std::string source =
        fmt::format("int {}(void)\n{{\n\t{}\n\t{}\n\t{}\n}}\n", alone.function, opening, alone.line,
                    alone.line.ends_with('{') ? "}" : ";");
    const std::vector<Mutant> mutants = mutants_of(source);
    return std::ranges::any_of(mutants,
                               [&](const Mutant& one) { return is_like(alone, one, source); });
}

}  // namespace

Result<UnnoticeableList> parse_unnoticeable(std::string_view text) {
    std::optional<UnnoticeableList> list;
    std::vector<Unnoticeable> rows;
    uint32_t at = 0;
    for (const std::string_view line : lines_of(text)) {
        ++at;
        const std::string_view rest = trimmed(line);
        if (rest.empty() || line[0] == '#') continue;
        if (!list) {
            list = list_for(rest);
            if (!list)
                return Error{EINVAL, fmt::format("Line {} is not like this: written for 7.3.4 "
                                                 "0123abcd (the CRC-32 of the source)",
                                                 at)};
        } else if (line[0] == '|' && !rows.empty() && rows.back().line.empty()) {
            rows.back().line = trimmed(line.substr(1));
        } else if (line[0] == ' ' && !rows.empty() && !rows.back().line.empty()) {
            std::string& reason = rows.back().reason;
            reason += (reason.empty() ? "" : " ") + std::string(rest);
        } else if (auto row = row_from(line, at); row && (rows.empty() || is_whole(rows.back()))) {
            rows.push_back(std::move(*row));
        } else {
            return Error{
                EINVAL,
                fmt::format("Line {} is not like this: \"function rule [number]\", then \"| "
                            "the line of the source\", then \"  the reason\"",
                            at)};
        }
    }
    if (!rows.empty() && !is_whole(rows.back()))
        return Error{EINVAL, fmt::format("Line {} is not followed by \"| the line of the source\" "
                                         "and \"  the reason\"",
                                         rows.back().at)};
    if (!list) return Error{EINVAL, "It does not say which kernel it was written for."};
    list->rows = std::move(rows);
    return std::move(*list);
}

std::vector<std::string> faults_of(const UnnoticeableList& list) {
    std::vector<std::string> sentences;
    const auto say = [&](const Unnoticeable& row, std::string_view fault) {
        sentences.push_back(fmt::format("Line {} {}: {}", row.at, fault, row.line));
    };
    std::set<std::tuple<std::string, Mistake, unsigned, std::string>> before;
    for (const Unnoticeable& row : list.rows) {
        if (!before.emplace(row.function, row.mistake, row.number, row.line).second)
            say(row, "is there for the second time");
        if (!row.reason.ends_with('.') || row.reason.find(' ') == std::string::npos)
            say(row, "has a reason that is no sentence");
        if (!is_made_of_its_line(row))
            say(row,
                fmt::format("is about no {}, which is never made of this", name_of(row.mistake)));
    }
    return sentences;
}

const Unnoticeable* row_about(std::span<const Unnoticeable> rows, const Mutant& mutant,
                              std::string_view source) {
    const auto found = std::ranges::find_if(
        rows, [&](const Unnoticeable& row) { return is_about(row, mutant, source); });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> misfits(std::span<const Unnoticeable> rows,
                                 std::span<const Mutant> mutants, std::string_view source) {
    std::vector<std::string> sentences;
    for (const Unnoticeable& row : rows)
        if (std::ranges::none_of(mutants,
                                 [&](const Mutant& one) { return is_about(row, one, source); }))
            sentences.push_back(fmt::format("Line {} is about no {} in {} of this kernel: {}",
                                            row.at, name_of(row.mistake), row.function, row.line));
    return sentences;
}

}  // namespace zcrxlab
