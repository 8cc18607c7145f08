// The commands of zcrxlab; each returns the program's exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/kernel/progress.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

inline constexpr unsigned kMostVms = 16;

struct RunOptions {
    VmOptions vm;
    std::string filter;
    std::string actions;       // a list of actions, or a folder of such, in place of the scenarios
    bool controls = false;     // the negative controls, which must fail
    bool fail_fast = false;    // the first failure ends the run
    bool whole_trace = false;  // keep every event, also of what passed
    std::string slowness;      // multiplies every time bound; "" = as the kernel needs
    bool profiles = false;     // of a kernel built for coverage: one after each scenario
    unsigned vms = 0;          // side by side, each with a part of the scenarios; 0 = as fits
    // How this program was called, for the command that runs one scenario again.
    std::string self;
};
int run_command(const RunOptions& options);

int shell_command(const VmOptions& options);

struct ExecOptions {
    VmOptions vm;
    std::vector<std::string> arguments;    // the program first
    std::vector<std::string> files;        // HOST[:GUEST]
    std::vector<std::string> environment;  // NAME=VALUE
    std::vector<std::string> writable;     // folders that it may really write to
    bool packed = false;                   // a guest without this machine's files
    bool bare = false;                     // the NIC as the driver made it
    std::vector<uint16_t> ports;           // of the program, steered to its queues
    unsigned queues = 1;                   // for zero copy
    std::string peer;                      // a command for a shell in the other namespace
    bool peer_first = false;               // it is what listens
    std::string send;                      // or what our sender does
    unsigned linger = 5;                   // seconds from the peer's end to the program's
    std::vector<std::string> expected;     // "zero-copy=99%"
    std::vector<std::string> modules;      // of the guest's kernel
    bool examples = false;                 // list them, and nothing else
};
int exec_command(const ExecOptions& options);
// Lists the examples with the commands that build and run them; `self` is how this program was
// called.
int exec_examples_command(const std::string& self);

int doctor_command(const VmOptions& options);
// Lists kernels, or, if `fetch` names one, only sees to it that this one is in the cache.
int kernels_command(bool json, const std::string& fetch);

struct KernelBuildOptions {
    std::string source;                  // a tree, a series, or "" for the standard series
    std::vector<std::string> fragments;  // of kernel-config/, or files; "base" is always there
    std::string output;                  // "" is a folder of the cache
    std::string name;                    // "" is made of the source and the fragments
    unsigned jobs = 0;                   // 0 is one for each processor
    bool configure_only = false;
};
int kernel_build_command(const KernelBuildOptions& options);

// Prints where the source of "kernel" or "liburing" is, or the kernel's "headers"; fetched if need
// be.
int source_command(const std::string& what, const std::string& version);
// What can be behind an errno; `interface` may be empty.
int explain_command(const std::string& code, const std::string& operation,
                    const std::string& interface, uint32_t queue);
int list_command(const std::string& filter, bool json);

struct CoverageOptions {
    RunOptions run;
    std::string from;                 // a results folder to report on instead of running
    std::vector<std::string> beside;  // NAME=DIR: results folders for columns of their own
    bool check = false;               // reasons that do not fit are a failure
    // Patches to be noticed, instead of counting; and the kernel that they are for.
    std::vector<std::string> patches;
    std::string source;                  // a tree, a series, or "" for the standard series
    std::vector<std::string> fragments;  // empty: "faults"
    unsigned jobs = 0;                   // compilers; 0 is one for each processor
};
// Runs scenarios on a kernel built for coverage and says what of it they reach.
int coverage_command(CoverageOptions options);
// Builds the kernel with each patch in turn, and says which of them the scenarios notice.
int mutate_command(const CoverageOptions& options);
int bench_command(const RunOptions& options);

struct MatrixOptions {
    VmOptions vm;  // but kernel, nic, faults and the like: those are the matrix's
    std::string kernels, nics, filter, share;
    unsigned jobs = 1;  // runs side by side
    unsigned vms = 0;   // of each run; 0 = as "run" does
    bool plan = false;  // print the runs, and stop
    std::string self;   // how this program was called
};
int matrix_command(const MatrixOptions& options);

struct BisectOptions {
    // `filter` is what is compared, `nics` the one NIC; kernels, share and plan are not used.
    MatrixOptions runs;
    std::string good, bad;
    bool verbose = false;
};
// Narrows down where a verdict changes over the stock kernels.
int bisect_command(const BisectOptions& options);

struct ReproOptions {
    std::string what;      // a list, the folder of a failure, or a trace.jsonl
    std::string test;      // of the trace
    std::string as = "c";  // or "list", "script", "bundle"
    std::string out;       // "" is standard output
    std::string tree;      // a kernel tree, for its MAINTAINERS
    std::string security;  // "yes" or "no", for a bundle; "" asks, where somebody can answer
    std::string vmlinux;   // with the symbols of the kernel; "" is looked for
    std::vector<std::string> bad,
        good;          // kernels on which it was tried, beside those of the failure
    std::string self;  // how this program was called
};
// Gives a list of actions out in a form that others can run.
int repro_command(const ReproOptions& options);

struct ReproAgainOptions {
    std::string what;  // the folder of a run
    std::string test;  // of these only; may have * and ?
    RunOptions run;    // its actions and filter are not used; out "" is zcrxlab-again
    bool only_lists = false;
};
// Makes lists of what passed in a run, runs them, and says which did the same again.
int repro_again_command(ReproAgainOptions options);

struct ReproRunOptions {
    std::string file;  // C
    std::vector<std::string> kernels;
    std::vector<std::string> bad, good;  // kernels on which it must be so
    VmOptions vm;                        // its kernel is not used
    Progress progress;
};
// Builds such a file, and says on which kernels the bug shows.
int repro_run_command(const ReproRunOptions& options);

struct FuzzOptions {
    VmOptions vm;            // its seed is that of the lists; out "" is zcrxlab-fuzz
    unsigned seconds = 600;  // no batch is begun after these
    uint64_t lists = UINT64_MAX;
    unsigned jobs = 1;    // VMs side by side
    unsigned batch = 50;  // lists for each VM
    bool print = false;   // the lists, and nothing else
    std::string corpus;   // a folder of lists worth keeping; "": none
    std::string self;
};
// Runs random lists; 1 if some failed.
int fuzz_command(FuzzOptions options);

struct ShrinkOptions {
    std::string what;         // a list, or the folder of a failure
    VmOptions vm;             // kernel and nic "": those of the failure
    std::string good;         // a kernel without the bug, on which no list may fail so
    unsigned repeats = 5;     // for how often it fails
    unsigned seconds = 3600;  // no step is begun after these
    unsigned batch = 60;
    size_t candidates = 60;  // tried in one step
    std::string self;
};
// Makes a list that fails as small as it can be; 1 if it does not fail at all.
int shrink_command(ShrinkOptions options);

struct MergeOptions {
    std::vector<std::string> from;
    std::string out;
};
int merge_command(const MergeOptions& options);

struct TraceOptions {
    std::string file;  // a trace.jsonl, or the folder of a run
    std::string test;  // a pattern; empty: all
    std::string html;  // write a page there in place of text
    std::string around;
    bool full = false;  // fold nothing
};
// Tells what happened in the scenarios of a run.
int trace_command(const TraceOptions& options);

// Says what went wrong on standard error.
int fail(const Error& error, int exit_code = kExitUsage);
// Progress on standard error.
Progress progress_for_people();

}  // namespace zcrxlab
