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
    uint32_t last_line = 0;
    uint64_t calls = 0;
};

// How much of something was run.
struct Tally {
    uint32_t lines = 0;  // that hold code
    uint32_t lines_run = 0;
    uint32_t branches = 0;
    uint32_t branches_taken = 0;

    bool whole() const { return lines_run == lines; }
    void add(const LineCoverage& line);
};

struct FileCoverage {
    std::map<uint32_t, LineCoverage> lines;             // those that hold code, by number
    std::map<std::string, FunctionCoverage> functions;  // by name

    Tally tally() const;
    Tally tally(const FunctionCoverage& function) const;
};

// By the source's path in the kernel tree, "io_uring/zcrx.c".
using Coverage = std::map<std::string, FileCoverage>;

// Adds what one object's report says: `json` as `gcov --json-format --branch-probabilities` prints
// it (format version 1 and 2, gcc 9 and later). Sources that are not below `tree`, and headers, are
// left out. EPROTO if it is no such report.
Result<void> add_gcov(Coverage& coverage, std::string_view json, const std::string& tree);

// Adds another run's counts.
void add(Coverage& coverage, const Coverage& more);

// The lines of `function` that hold code and were never run: "612-614, 620"; lines without code in
// between do not end a range.
std::string lines_never_run(const FileCoverage& file, const FunctionCoverage& function);

}  // namespace zcrxlab
