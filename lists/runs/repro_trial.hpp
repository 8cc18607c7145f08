// Repro trial: a C file on one kernel, and what that says of the kernel.
#pragma once

#include <optional>
#include <string>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "vm/options.hpp"
#include "vm/start/program_run.hpp"

namespace zcrxlab {

struct ReproRunOptions {
    std::string file;  // C
    std::vector<std::string> kernels;
    std::vector<std::string> bad, good;  // kernels on which it must be so
    VmOptions vm;                        // its kernel is not used
    Progress progress;
};

enum class ReproVerdict {
    kNotJudged,  // exit code 77, or something else kept it from being tried
    kGood,       // exit code 0, and a clean kernel log
    kBad,        // exit code 1, a complaint in the kernel log, a panic, or no end at all
};
std::string_view name_of(ReproVerdict verdict);

struct ReproTrial {
    std::string kernel;  // as asked for; then its release
    std::optional<ReproVerdict> foretold;
    ReproVerdict verdict = ReproVerdict::kNotJudged;
    std::string said;  // on one line
};

// What the end of the program and of its guest, the last line that it printed, and a complaint
// about the kernel log (empty: none) say; fills the trial in.
void judge(const ProgramEnd& end, const std::string& printed, const std::string& complaint,
           ReproTrial& trial);

// The same of a run of one list, as "zcrxlab run --actions" ends it.
void judge(const RunSummary& run, ReproTrial& trial);

// Builds the file statically, boots the kernel and runs it there; fills the trial in. An error: it
// could not be built, or no VM could be started.
Result<void> try_repro(const ReproRunOptions& options, ReproTrial& trial);

}  // namespace zcrxlab
