// Writes the table for a terminal, as Markdown, and as one HTML page.
#pragma once

#include <string>

#include "results/matrix/table.hpp"

namespace zcrxlab {

// Tables for a terminal of `width` columns, one below the other where kernels do not fit; then what
// failed, with the command that runs it again, and the sum. Ends with a newline.
std::string to_text(const Matrix& matrix, const Table& table, size_t width);

// A table for each NIC, with its costs.
std::string to_markdown(const Matrix& matrix, const Table& table);

// A page that needs nothing but itself; a cell opens to its tests, what they said, and the command
// that repeats it. Links to logs are relative to the folder that the page lies in.
std::string to_page(const Matrix& matrix, const Table& table);

// In a table: "34", "2 failed" ... without the name of the row.
std::string short_text(const Row& row, const Cell& cell);
// Seconds as people like them: "0", "7", "148".
std::string seconds_text(double seconds);

// `zcrxlab run ...` for the cell's tests alone: its chapter, or the whole run.
std::string command_for(const MatrixRun& run, const std::string& filter);

}  // namespace zcrxlab
