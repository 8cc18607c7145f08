// Runs C files as "repro run" does, and scripts as whoever gets them would.
#include "cli/repro/repro_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/repro/repro.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "harness/base/progress.hpp"
#include "harness/report/report.hpp"
#include "kernels/kernel.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

std::string_view words_for(const std::string& form) {
    return form == "c" ? "C file" : "script";
}

Result<void> try_c(const Failure& failure, const fs::path& file, const fs::path& out,
                   ReproTrial& trial) {
    ReproRunOptions options;
    options.file = file.string();
    options.vm.timeout = kMostOfATrial;
    options.vm.out = out;
    if (!failure.nic.empty()) options.vm.nic = failure.nic;
    options.progress = progress_for_people();
    return try_repro(options, trial);
}

Result<void> try_script(const fs::path& file, const std::string& self, const fs::path& out,
                        ReproTrial& trial) {
    ProgramOptions options;
    options.environment = {{"ZCRXLAB", self}, {"OUT", out.string()}};
    if (!trial.kernel.empty()) options.environment.emplace_back("KERNEL", trial.kernel);
    const auto ran = run_program({"sh", file.string()}, options);
    if (!ran) return ran.error();
    const auto run = summary_from_json(text_of_file(out / "results.json"));
    if (!run)
        return Error{EIO, "The script did not come to a result:\n" + last_lines(ran->output, 10)};
    judge(*run, trial);
    return {};
}

// The console has what the log has not: how the guest died. A C file has a folder for each kernel.
bool showed_an_embargoed_finding(const fs::path& results) {
    std::error_code code;
    for (fs::recursive_directory_iterator at(results, code), end; !code && at != end;
         at.increment(code)) {
        const std::string name = at->path().filename().string();
        if ((name == "kernel.log" || name == "console.log") &&
            tells_of_embargoed(findings(), text_of_file(at->path())))
            return true;
    }
    return false;
}

void say(const std::string& form, const ReproTrial& trial) {
    fmt::print(stderr, "the {} on {}: {}{}\n", words_for(form), trial.kernel,
               name_of(trial.verdict), trial.said.empty() ? "" : " (" + trial.said + ")");
    if (!trial.foretold || trial.verdict == *trial.foretold) return;
    if (*trial.foretold == ReproVerdict::kBad)
        fmt::print(stderr, "It does not show there what the list is said to show, and says so.\n");
    else
        fmt::print(stderr, "That kernel was to be good.\n");
}

}  // namespace

Result<std::vector<CheckedKernel>> kernels_to_check(const Failure& failure,
                                                    const std::vector<std::string>& bad,
                                                    const std::vector<std::string>& good) {
    std::vector<CheckedKernel> kernels;
    std::vector<std::string> releases;
    const auto add = [&](const std::string& kernel,
                         std::optional<ReproVerdict> foretold) -> Result<void> {
        const Result<Kernel> found = find_kernel(kernel, progress_for_people());
        if (!found) return found.error();
        if (std::ranges::find(releases, found->release) != releases.end()) return {};
        releases.push_back(found->release);
        kernels.push_back({kernel.empty() ? found->release : kernel, foretold});
        return {};
    };
    std::vector<std::string> all_bad = bad;
    all_bad.insert(all_bad.end(), failure.bad.begin(), failure.bad.end());
    if (all_bad.empty() && !failure.kernel.empty()) all_bad.push_back(failure.kernel);
    std::vector<std::string> all_good = good;
    all_good.insert(all_good.end(), failure.good.begin(), failure.good.end());
    for (const std::string& kernel : all_bad)
        if (auto added = add(kernel, ReproVerdict::kBad); !added) return added.error();
    for (const std::string& kernel : all_good)
        if (auto added = add(kernel, ReproVerdict::kGood); !added) return added.error();
    if (all_good.empty())
        if (auto added = add("", {}); !added) return added.error();
    return kernels;
}

Result<int> check_form(Failure& failure, const std::string& form, const fs::path& file,
                       const std::vector<CheckedKernel>& kernels, const std::string& self,
                       const fs::path& out) {
    bool judged = false;
    bool wrong = false;
    for (const auto& [kernel, foretold] : kernels) {
        ReproTrial trial{kernel, foretold, {}, {}};
        const fs::path results = out / fmt::format("{}-{}", form, failure.seen.size());
        const auto tried = form == "c" ? try_c(failure, file, results, trial)
                                       : try_script(file, self, results, trial);
        if (!tried) return tried.error();
        say(form, trial);
        failure.embargoed = failure.embargoed || showed_an_embargoed_finding(results);
        failure.seen.push_back(
            {form, trial.kernel, std::string(name_of(trial.verdict)), trial.said});
        judged = judged || trial.verdict != ReproVerdict::kNotJudged;
        wrong = wrong || (foretold && trial.verdict != *foretold);
    }
    return wrong ? kExitFailed : judged ? kExitPassed : kExitSkipped;
}

}  // namespace zcrxlab
