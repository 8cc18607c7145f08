// Collects measurements and prints tables.
#include "results/bench/bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

// Keeps the columns in the order in which the guest wrote them.
using Json = nlohmann::ordered_json;

// A cell for people: strings without quotes, numbers with three digits that count.
std::string shown(const std::string& literal) {
    const Result<Json> value = parse_ordered_json(literal);
    if (!value) return on_one_line(literal);
    if (value->is_string()) return on_one_line(value->get<std::string>());
    if (value->is_number_float()) {
        const double number = value->get<double>();
        return number >= 100 || number <= -100 ? fmt::format("{:.0f}", number)
                                               : fmt::format("{:.3g}", number);
    }
    return literal;
}

bool is_number(const std::string& literal) {
    return !literal.empty() && (literal[0] == '-' || (literal[0] >= '0' && literal[0] <= '9'));
}

}  // namespace

bool BenchTables::take(std::string_view text) {
    const Result<Json> json = parse_ordered_json_object(text);
    if (!json) return false;
    const std::optional<std::string> name = get<std::string>(*json, "table");
    const Json* entries = member(*json, "rows");
    if (!name || entries == nullptr || !entries->is_array()) return false;
    std::vector<Row> rows;
    for (const Json& entry : *entries) {
        if (!entry.is_object()) return false;
        Row& row = rows.emplace_back();
        for (const auto& [column, value] : entry.items())
            row.cells.emplace_back(column, json_text(value));
    }
    for (Row& row : rows) table(*name).rows.push_back(std::move(row));
    return true;
}

void BenchTables::add(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& row) {
    table(name).rows.push_back({row});
}

std::string BenchTables::to_text() const {
    std::string text;
    for (const Table& table : tables_) {
        std::vector<std::string> columns;
        for (const Row& row : table.rows)
            for (const auto& [column, value] : row.cells)
                if (std::find(columns.begin(), columns.end(), column) == columns.end())
                    columns.push_back(column);
        // First the heads, then each row, all as text.
        std::vector<std::vector<std::string>> lines(table.rows.size() + 1);
        std::vector<size_t> widths(columns.size());
        std::vector<bool> right(columns.size(), true);
        for (size_t c = 0; c < columns.size(); ++c) {
            lines[0].push_back(on_one_line(columns[c]));
            for (size_t r = 0; r < table.rows.size(); ++r) {
                std::string cell = "-";
                for (const auto& [column, value] : table.rows[r].cells) {
                    if (column != columns[c]) continue;
                    cell = shown(value);
                    if (!is_number(value)) right[c] = false;
                }
                lines[r + 1].push_back(std::move(cell));
            }
            for (const auto& line : lines) widths[c] = std::max(widths[c], line[c].size());
        }
        text += fmt::format("{}{}\n", text.empty() ? "" : "\n", on_one_line(table.name));
        for (const auto& line : lines) {
            std::string shown_line = " ";
            for (size_t c = 0; c < columns.size(); ++c)
                shown_line += right[c] ? fmt::format(" {:>{}}", line[c], widths[c])
                                       : fmt::format(" {:<{}}", line[c], widths[c]);
            shown_line.erase(shown_line.find_last_not_of(' ') + 1);
            text += shown_line + "\n";
        }
    }
    return text;
}

std::string BenchTables::to_json() const {
    Json json = Json::object();
    for (const Table& table : tables_) {
        Json rows = Json::array();
        for (const Row& row : table.rows) {
            Json object = Json::object();
            for (const auto& [column, value] : row.cells)
                if (Result<Json> cell = parse_ordered_json(value))
                    object[column] = *std::move(cell);
            rows.push_back(std::move(object));
        }
        json[table.name] = std::move(rows);
    }
    return json_text(json, 2) + "\n";
}

BenchTables::Table& BenchTables::table(const std::string& name) {
    for (Table& candidate : tables_)
        if (candidate.name == name) return candidate;
    tables_.push_back({name, {}});
    return tables_.back();
}

}  // namespace zcrxlab
