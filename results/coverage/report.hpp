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
    Coverage coverage;              // within the scope
    bool is_part_of_first = false;  // what the suite on one NIC made run, of several
};

struct CoverageReport {
    std::string kernel;
    // At least one; the first is the suite, on all NICs, which reasons are about. The others stand
    // beside it.
    std::vector<CoverageColumn> columns;
    Reasons reasons;
    std::vector<std::string> misfits;  // of the reasons
    Sources sources;
};

// "suite": what it made run on all `nics` together, at least one; and behind it these, if there are
// several.
std::vector<CoverageColumn> suite_columns(std::vector<CoverageColumn> nics);

// The columns of a table: those of the report and, where more than one is of somebody else, what
// these reach together.
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
