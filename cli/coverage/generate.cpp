// zcrxlab coverage --generate: lets a rule make the mistakes, and says which are noticed.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/generation.hpp"
#include "cli/coverage/kept_attempts.hpp"
#include "cli/coverage/kernel_laboratory.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/stop_signals.hpp"
#include "kernels/packages/cache.hpp"
#include "results/coverage/mutation_page.hpp"
#include "results/coverage/scope.hpp"
#include "results/matrix/plan.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// What nobody notices, once more, as it is what to look at.
void say_missed(const MutationReport& report) {
    for (const Attempt& attempt : report.attempts) {
        const Outcome outcome = outcome_of(attempt);
        if (outcome == Outcome::kNotNoticed || outcome == Outcome::kAtTimes)
            fmt::print("{}", line_of(attempt));
    }
    for (const std::string& misfit : report.misfits) fmt::print(stderr, "zcrxlab: {}.\n", misfit);
}

// Whether the lists of what nobody could notice are about mistakes of these sources, and what is
// known of these.
int say_fit(const MutationReport& report, size_t left, bool check) {
    fmt::print("{}; {} left to try\n", to_text(score_of(report.attempts)), left);
    for (const std::string& misfit : report.misfits) fmt::print("{}.\n", misfit);
    if (report.misfits.empty()) fmt::print("Each row of kernel-config/unnoticeable fits.\n");
    return check && !report.misfits.empty() ? kExitFailed : kExitPassed;
}

}  // namespace

int generate_command(const CoverageOptions& options) {
    const StopSignals signals;
    if (!options.share.empty())
        if (const auto share = MachineShare::parse(options.share); !share)
            return fail(share.error());
    const auto out = folder_of_attempts(options.run.vm.out);
    if (!out) return fail(out.error());
    auto laboratory = KernelLaboratory::create(options, *out);
    if (!laboratory) return fail(laboratory.error());
    const fs::path config = fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config";
    auto scope = read_scope();
    if (!scope) return fail(scope.error());
    Generation generation(options, *laboratory, *out, config / "unnoticeable", std::move(*scope));
    const auto ran = generation.run();
    const MutationReport report = generation.report();
    if (ran && options.try_none) return say_fit(report, generation.left(), options.check);
    const fs::path page = *out / "mutations.html";
    if (auto written = write_whole(page, to_page(report)); !written) return fail(written.error());
    if (!ran)
        return fail(ran.error(), ran.error().code == ECANCELED ? kExitInterrupted : kExitUsage);
    say_missed(report);
    fmt::print("page: {}\n", page.string());
    const int score = say_score(report.attempts, *out);
    if (score == kExitPassed && options.check && !report.misfits.empty()) return kExitFailed;
    return score;
}

}  // namespace zcrxlab
