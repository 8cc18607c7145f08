// BenchTables: results of measurements, collected into tables for people and JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zcrxlab {

class BenchTables {
  public:
    // The JSON of a kBench record, {"table": name, "rows": [{column: value ...} ...]}: rows are
    // added to the table of that name. False if it is no such thing.
    bool take(std::string_view json);
    // One row of our own; values are JSON literals ("3.2", "\"igb\"").
    void add(const std::string& table, const std::vector<std::pair<std::string, std::string>>& row);

    bool empty() const { return tables_.empty(); }
    // Columns in the order in which they first came, numbers to the right.
    std::string to_text() const;
    // {table: [row ...], ...}
    std::string to_json() const;

  private:
    struct Row {
        std::vector<std::pair<std::string, std::string>> cells;  // column, JSON literal
    };
    struct Table {
        std::string name;
        std::vector<Row> rows;
    };
    Table& table(const std::string& name);

    std::vector<Table> tables_;
};

}  // namespace zcrxlab
