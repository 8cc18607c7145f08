// zcrxlab repro: gives a list of actions out in a form that others can run, and runs that.
#pragma once

#include <string>
#include <vector>

#include "cli/run/run.hpp"
#include "lists/runs/repro_trial.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// Seconds. Its waits have bounds of ten seconds each, of which few can fail in one run.
inline constexpr unsigned kMostOfATrial = 300;

struct ReproExportOptions {
    std::string what;      // a list, the folder of a failure, or a trace.jsonl
    std::string test;      // of the trace
    std::string as = "c";  // or "list", "script", "bundle"
    std::string out;       // "" is standard output
    std::string tree;      // a kernel tree, for its MAINTAINERS
    std::string security;  // "yes" or "no", for a bundle; "" asks, where somebody can answer
    std::string vmlinux;   // with the symbols of the kernel; "" is looked for
    // Kernels on which it must show and must not, beside those of the failure.
    std::vector<std::string> bad, good;
    bool no_check = false;  // it is not run
    std::string self;       // how this program was called
};

struct ReproAgainOptions {
    std::string what;  // the folder of a run
    std::string test;  // of these only; may have * and ?
    RunOptions run;    // its actions and filter are not used; out "" is zcrxlab-again
    bool only_lists = false;
};

struct ReproOptions {
    enum class Work {
        kExport,  // a list as a C file, a script, a list or a bundle
        kRun,     // "repro run": such a C file, on kernels
        kAgain,   // "repro again": what passed in a run, as lists
    };
    Work work = Work::kExport;
    ReproExportOptions out;
    ReproRunOptions run;
    ReproAgainOptions again;
};

void add_repro_options(CLI::App& app, ReproOptions& options);
std::string repro_manual();
// Does what `work` says. The exit codes are in the manual.
int repro_command(const ReproOptions& options);

// Gives a list of actions out in a form that others can run.
int repro_export_command(const ReproExportOptions& options);

// Builds such a file, and says on which kernels the bug shows.
int repro_run_command(const ReproRunOptions& options);

// Makes lists of what passed in a run, runs them, and says which did the same again.
int repro_again_command(ReproAgainOptions options);

}  // namespace zcrxlab
