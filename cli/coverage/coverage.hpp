// zcrxlab coverage: runs scenarios on a kernel that counts its lines, and shows those never run.
#pragma once

#include <string>
#include <vector>

#include "cli/run/run.hpp"
#include "results/coverage/scope.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct CoverageOptions {
    RunOptions run;
    std::string from;                 // a results folder to report on instead of running
    std::vector<std::string> beside;  // NAME=DIR: results folders for columns of their own
    bool check = false;               // reasons that do not fit are a failure
    // Patches to be noticed, instead of counting; and the kernel that they are for.
    std::vector<std::string> patches;
    // Sources of the tree of which mistakes are made, instead of patches; how many of each; 0: all.
    std::vector<std::string> generate;
    unsigned sample = 0;
    bool try_none = false;  // only say whether the lists of what nobody could notice fit
    // NICs beside --nic. With `generate`, those that are asked where nobody on --nic has noticed.
    std::vector<std::string> also;
    std::string share;                   // "2/3" of these; empty: all
    std::vector<std::string> join;       // folders in which others of them were tried
    std::vector<std::string> left_by;    // only what nobody noticed in these folders
    std::string source;                  // a tree, a series, or "" for the standard series
    std::vector<std::string> fragments;  // empty: "faults"
    unsigned jobs = 0;                   // compilers; 0 is one for each processor
    unsigned at_once = 0;                // mistakes; 0 is one for each processor
};

void add_coverage_options(CLI::App& app, CoverageOptions& options);
std::string coverage_manual();
// Those of a run; see the manual for --check and --mutate.
int coverage_command(const CoverageOptions& options);

// kernel-config/coverage.scope.
Result<Scope> read_scope();

// With --mutate: builds the kernel with each patch in turn, and says which of them the scenarios
// notice.
int mutate_command(const CoverageOptions& options);
// With --generate: the same for the mistakes that a rule makes of sources.
int generate_command(const CoverageOptions& options);

}  // namespace zcrxlab
