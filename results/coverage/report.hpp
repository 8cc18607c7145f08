// Writes coverage as text, as JSON, and as one page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/coverage/coverage.hpp"
#include "results/coverage/reasons.hpp"
#include "results/coverage/scope.hpp"

namespace zcrxlab {

// What one test suite made the kernel run.
struct CoverageColumn {
    std::string name;
    Coverage coverage;  // within the scope
};

struct CoverageReport {
    std::string kernel;
    // At least one; the first is the one that reasons are about, the others stand beside it.
    std::vector<CoverageColumn> columns;
    Reasons reasons;
    std::vector<std::string> misfits;  // of the reasons
    Sources sources;
};

// The columns of a table: those of the report and, where more than one stands beside the first,
// what these reach together.
std::vector<CoverageColumn> table_columns(const CoverageReport& report);

// 100 where there is nothing to be run.
double percent(uint32_t part, uint32_t whole);

// A table of the files, and each function that was not wholly run with its lines and the reason.
std::string to_text(const CoverageReport& report);
// Everything: {kernel, suites, files: [{file, lines, branches, suites: {name: {lines, branches}},
// functions: [{name, line, lines, branches, suites, never_run, reason}]}], misfits}.
std::string to_json(const CoverageReport& report);
// One page without references to elsewhere and without a script: the table, and each function's
// source with its counts beside it.
std::string to_page(const CoverageReport& report);

}  // namespace zcrxlab
