// Cuts lines of a kernel histogram into keys and values.
#include "results/exec/kernel_histogram.hpp"

#include <algorithm>

#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The next line of `text`, which is shortened by it.
std::string_view take_line(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
    return number_from<Number>(trimmed(text));
}

// "common_pid: a, b: c [       1], ifq: 5, ok: 1": the first value is a task, whose name may be
// anything; those behind it are numbers. So the line is read from its end.
void take_keys(std::string_view text, HistogramRow& row) {
    for (;;) {
        const size_t comma = text.rfind(", ");
        const size_t colon = comma == std::string_view::npos ? comma : text.find(": ", comma);
        if (colon == std::string_view::npos || !parsed<uint64_t>(text.substr(colon + 2))) break;
        row.keys.emplace(trimmed(text.substr(comma + 2, colon - comma - 2)),
                         trimmed(text.substr(colon + 2)));
        text = text.substr(0, comma);
    }
    const size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return;
    row.keys.emplace(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 2)));
}

// "hitcount:         46  len:    1572864"
void take_values(std::string_view text, HistogramRow& row) {
    for (;;) {
        const size_t colon = text.find(':');
        if (colon == std::string_view::npos) return;
        const std::string_view name = trimmed(text.substr(0, colon));
        text = trimmed(text.substr(colon + 1));
        const size_t end = std::min(text.find(' '), text.size());
        if (const auto value = parsed<uint64_t>(text.substr(0, end)))
            row.values.emplace(name, *value);
        text.remove_prefix(end);
    }
}

}  // namespace

std::optional<int64_t> HistogramRow::number(std::string_view key) const {
    const auto found = keys.find(key);
    if (found == keys.end()) return std::nullopt;
    // An address of the kernel is beyond int64_t, and only compared.
    if (const auto number = parsed<int64_t>(found->second)) return number;
    if (const auto number = parsed<uint64_t>(found->second)) return static_cast<int64_t>(*number);
    return std::nullopt;
}

uint64_t HistogramRow::value(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
}

std::vector<HistogramRow> parse_histograms(std::string_view text) {
    std::vector<HistogramRow> rows;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        // What onmax() has saved stands below its row.
        if (trimmed(line).starts_with("max:") && !rows.empty())
            take_values(trimmed(line), rows.back());
        const size_t close = line.rfind('}');
        if (!line.starts_with("{ ") || close == std::string_view::npos) continue;
        HistogramRow row;
        take_keys(trimmed(line.substr(1, close - 1)), row);
        take_values(line.substr(close + 1), row);
        if (!row.keys.empty() && row.values.contains("hitcount")) rows.push_back(std::move(row));
    }
    return rows;
}

uint64_t dropped_hits(std::string_view text) {
    constexpr std::string_view kDropped = "Dropped:";
    uint64_t sum = 0;
    while (!text.empty()) {
        const std::string_view line = trimmed(take_line(text));
        if (line.starts_with(kDropped))
            sum += parsed<uint64_t>(line.substr(kDropped.size())).value_or(0);
    }
    return sum;
}

std::optional<TaskName> parse_task(std::string_view text) {
    const size_t close = text.rfind(']');
    const size_t open = text.rfind('[', close);
    if (close == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
    const auto pid = parsed<int64_t>(text.substr(open + 1, close - open - 1));
    if (!pid) return std::nullopt;
    return TaskName{*pid, std::string(trimmed(text.substr(0, open)))};
}

}  // namespace zcrxlab
