// Coverage: how often each line and branch of a kernel's sources was run, from what gcov says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct LineCoverage {
    uint64_t count = 0;              // times that it was run
    std::vector<uint64_t> branches;  // times that each way out of it was taken
    std::string function;            // the one that it belongs to
};

struct FunctionCoverage {
    std::string name;
    uint32_t first_line = 0;
    uint32_t lines = 0;  // that hold code
    uint32_t missed = 0;
    uint64_t calls = 0;
};

struct FileCoverage {
    std::map<uint32_t, LineCoverage> lines;             // those that hold code, by number
    std::map<std::string, FunctionCoverage> functions;  // by name; `lines` and `missed` by count()

    uint32_t lines_hit() const;
    uint32_t branches() const;
    uint32_t branches_hit() const;
};

// By the source's path in the kernel tree, "io_uring/zcrx.c".
using Coverage = std::map<std::string, FileCoverage>;

// Adds what one object's report says: `json` as `gcov --json-format --branch-probabilities` prints
// it (format version 1 and 2, gcc 9 and later). Sources that are not below `tree`, and headers, are
// left out. EPROTO if it is no such report.
Result<void> add_gcov(Coverage& coverage, std::string_view json, const std::string& tree);

// Sums up `lines` and `missed` of every function, from the lines.
void count_functions(Coverage& coverage);

// The table that a person reads: a row for each file, and the functions with lines never run.
std::string to_text(const Coverage& coverage);
// The same as data.
std::string to_json(const Coverage& coverage);
// One page without references to elsewhere: the table, and each source with its counts beside it.
// `source` gives the text of a path of the tree.
std::string to_html(const Coverage& coverage, const std::map<std::string, std::string>& sources,
                    const std::string& title);

}  // namespace zcrxlab
