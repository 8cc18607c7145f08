// Verifies both ends, tries kernels between them, and shows what changed.
#include "cli/bisect/bisect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kernel_changelog.hpp"
#include "kernels/packages/cache.hpp"
#include "results/bisect/bisect_trials.hpp"
#include "results/bisect/changes_text.hpp"
#include "results/bisect/range.hpp"
#include "results/matrix/matrix_order.hpp"
#include "results/matrix/plan.hpp"
#include "results/matrix/render.hpp"
#include "vm/qemu/qemu_command.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// A command with more tests than these in its filter is nothing to copy.
constexpr size_t kMostTestsByHand = 8;

// Each test has a folder of its own, since its results cannot stand beside those of others.
fs::path usual_folder(const std::string& tests) {
    constexpr size_t kLongestName = 120;
    std::string name = tests.substr(0, kLongestName);
    for (char& c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool plain = letter || (c >= '0' && c <= '9') || c == '_';
        if (!plain && (c != '.' || &c == name.data())) c = '-';
    }
    return fs::path("zcrxlab-bisect") / name;
}

TrialSettings settings_for(const BisectOptions& options, std::vector<KernelChoice> choices,
                           const Progress& progress) {
    TrialSettings settings;
    settings.folder =
        options.runs.vm.out.empty() ? usual_folder(options.runs.filter) : options.runs.vm.out;
    settings.terms = terms_for(options.runs);
    settings.order = order_for(options.runs, std::move(choices));
    settings.nic = options.runs.nics;
    settings.jobs = options.runs.jobs;
    settings.verbose = options.verbose;
    settings.progress = progress;
    return settings;
}

// The command that shows `tests` on a kernel that was tried.
std::string by_hand(const BisectOptions& options, const Trial& trial,
                    const std::vector<std::string>& tests) {
    return command_for(trial.run, tests.size() > kMostTestsByHand
                                      ? options.runs.filter
                                      : fmt::format("{}", fmt::join(tests, ":")));
}

void show_trial(const Trial& trial, const std::string& left, const Trial* shown,
                const BisectOptions& options) {
    fmt::print("{}", trial_text(trial, left, shown, options.verbose));
    std::fflush(stdout);
}

// How this was called but for the two kernels, for people to type it again.
std::string bisect_words(const BisectOptions& options) {
    std::vector<std::string> words{options.runs.self, "bisect", "--nic", options.runs.nics};
    if (!options.runs.vm.out.empty())
        words.insert(words.end(), {"--out", options.runs.vm.out.string()});
    words.push_back(options.runs.filter);
    return quoted_for_shell(words);
}

std::string look_words(const BisectOptions& options) {
    return quoted_for_shell({options.runs.self, "matrix", "--kernels", "all", "--nic",
                             options.runs.nics, "--filter", options.runs.filter});
}

// The tests that both ends are judged by; none if it was interrupted.
Result<std::optional<std::vector<std::string>>> verify_ends(const BisectOptions& options,
                                                            const BisectRange& range,
                                                            Trials& trials) {
    const auto complete = trials.make({range.good(), range.bad()}, [&](Trial& trial) {
        trial.judgement = judge(trial.run);
        show_trial(trial, trial.run.kernel == range.good() ? "--good" : "--bad", nullptr, options);
    });
    if (!complete) return complete.error();
    if (!*complete) return std::optional<std::vector<std::string>>();
    const auto tests = compared_tests(trials.of(range.good()).run, trials.of(range.bad()).run,
                                      bisect_words(options), look_words(options));
    if (!tests) return tests.error();
    for (const std::string& kernel : {range.good(), range.bad()})
        trials.of(kernel).judgement = judge(trials.of(kernel).run, *tests);
    return std::optional(*tests);
}

// Until nothing is left that could be tried; false if it was interrupted.
Result<bool> search(const BisectOptions& options, const BisectRange& range,
                    const std::vector<std::string>& tests, Bisection& bisection, Trials& trials) {
    while (true) {
        const std::vector<size_t> next = bisection.next(options.runs.jobs);
        if (next.empty()) return true;
        std::vector<std::string> kernels;
        for (const size_t index : next) kernels.push_back(range.kernels[index]);
        const auto complete = trials.make(kernels, [&](Trial& trial) {
            trial.judgement = judge(trial.run, tests);
            const auto place = std::ranges::find(range.kernels, trial.run.kernel);
            bisection.tell(static_cast<size_t>(place - range.kernels.begin()),
                           trial.judgement.verdict);
            show_trial(trial, left_text(bisection, trial.run.cost.seconds), &trials.of(range.bad()),
                       options);
        });
        if (!complete || !*complete) return complete;
    }
}

// What Debian says of the two; the whole of it goes to a file in `folder`.
Result<std::string> changelog_text(const std::string& older, const std::string& newer,
                                   const fs::path& folder, const Progress& progress) {
    const Version first = *Version::parse(older), last = *Version::parse(newer);
    const std::string upstream = upstream_text(first.text(), last.text());
    const auto newer_log = find_kernel_changelog(newer, progress);
    if (!newer_log)
        return fmt::format("What changed, Debian's changelog does not tell: {}\n{}",
                           newer_log.error().sentence, upstream);
    // Without it, all that is newer than this version is taken.
    const auto older_log = find_kernel_changelog(older, progress);
    const KernelChanges changes =
        changes_between(older_log ? parse_changelog(*older_log) : std::vector<ChangelogEntry>(),
                        first, parse_changelog(*newer_log));
    const fs::path file = folder / fmt::format("changes-{}-{}.txt", older, newer);
    if (auto written = write_whole(file, full_text(changes, older, newer)); !written)
        return written.error();
    return relevant_text(changes, older, newer) + fmt::format("All of them: {}\n", file.string()) +
           upstream;
}

}  // namespace

int bisect_command(const BisectOptions& options) {
    const Progress progress = progress_for_people();
    if (options.runs.filter.empty())
        return fail(
            {EINVAL, "Which tests are to be compared? Name them last, as in: " +
                         quoted_for_shell({options.runs.self, "bisect", "--good", options.good,
                                           "--bad", options.bad, "areas.above_4_gib"}) +
                         "; to see all, type: " + options.runs.self + " list"});
    const auto choices = list_kernels(progress);
    if (!choices) return fail(choices.error());
    const auto range =
        bisect_range(options.good, options.bad, *choices, flavour_for(options.runs.nics));
    if (!range) return fail(range.error());
    if (const auto catalogue = find_catalogue(options.runs); !catalogue)
        return fail(catalogue.error());
    Result<Trials> trials = Trials::open(settings_for(options, *choices, progress));
    if (!trials) return fail(trials.error());

    Bisection bisection(range->kernels.size(), range->oldest);
    fmt::print("{} to {}: {} kernels between them\n", range->kernels.front(), range->kernels.back(),
               bisection.left());
    std::fflush(stdout);
    const auto tests = verify_ends(options, *range, *trials);
    if (!tests) return fail(tests.error());
    if (!*tests) return kExitInterrupted;
    const auto complete = search(options, *range, **tests, bisection, *trials);
    if (!complete) return fail(complete.error());
    if (!*complete) return kExitInterrupted;

    const std::string& older = range->kernels[bisection.older()];
    const std::string& newer = range->kernels[bisection.newer()];
    const Trial &last = trials->of(older), &first = trials->of(newer);
    fmt::print("{}\n",
               result_text(bisection, range->kernels, last, first,
                           {by_hand(options, last, **tests), by_hand(options, first, **tests)}));
    std::fflush(stdout);
    const auto changes = changelog_text(older, newer, trials->folder(), progress);
    if (!changes) return fail(changes.error());
    fmt::print("{}", *changes);
    return bisection.unclear().empty() ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
