// Runs a C file on one kernel after the other, and says on which of them the bug shows.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/repro/repro.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "lists/runs/repro_trial.hpp"

namespace zcrxlab {

namespace {

void print_table(const std::vector<ReproTrial>& trials) {
    size_t widest = 6;
    for (const ReproTrial& trial : trials) widest = std::max(widest, trial.kernel.size());
    fmt::print("\n{:<{}}  {:<15}  {}\n", "kernel", widest, "verdict", "what it said");
    for (const ReproTrial& trial : trials)
        fmt::print("{:<{}}  {:<15}  {}\n", trial.kernel, widest, name_of(trial.verdict),
                   trial.said);
}

// 0 as was foretold (or, without a prophecy, all good); 1 otherwise; 4 nothing could be judged.
int exit_of(const std::vector<ReproTrial>& trials) {
    bool judged = false;
    bool wrong = false;
    for (const ReproTrial& trial : trials) {
        judged = judged || trial.verdict != ReproVerdict::kNotJudged;
        const ReproVerdict foretold = trial.foretold.value_or(ReproVerdict::kGood);
        wrong = wrong ||
                (trial.foretold ? trial.verdict != foretold : trial.verdict == ReproVerdict::kBad);
    }
    if (wrong) return kExitFailed;
    return judged ? kExitPassed : kExitSkipped;
}

}  // namespace

int repro_run_command(const ReproRunOptions& wanted) {
    ReproRunOptions options = wanted;
    options.progress = progress_for_people();
    std::vector<ReproTrial> trials;
    const auto add = [&](const std::vector<std::string>& kernels,
                         std::optional<ReproVerdict> foretold) {
        for (const std::string& kernel : kernels) trials.push_back({kernel, foretold, {}, {}});
    };
    add(options.kernels, {});
    add(options.bad, ReproVerdict::kBad);
    add(options.good, ReproVerdict::kGood);
    if (trials.empty()) trials.push_back({"", {}, {}, {}});
    for (ReproTrial& trial : trials) {
        if (auto tried = try_repro(options, trial); !tried) return fail(tried.error());
        fmt::print("{}: {}\n", trial.kernel, name_of(trial.verdict));
        std::fflush(stdout);
    }
    print_table(trials);
    return exit_of(trials);
}

}  // namespace zcrxlab
