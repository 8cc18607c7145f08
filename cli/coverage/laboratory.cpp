// Builds kernels, starts "zcrxlab run" on them, and compares.
#include "cli/coverage/laboratory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr const char* kFound = "mutations.json";
constexpr size_t kFoundLimit = size_t{64} << 20;
constexpr size_t kResultsLimit = size_t{256} << 20;
// A run on a changed kernel may take this many times as long as one on the kernel as it is.
constexpr double kPatience = 3;
// How often a failure that does not come again is set aside.
constexpr int kRounds = 4;
// How often the scenario of a failure runs alone, with the mistake and without.
constexpr unsigned kRepeats = 3;
constexpr unsigned kLeastSeconds = 180;

double elapsed(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

// Ourselves, to be started for each run.
std::string own_path() {
    std::error_code code;
    const fs::path path = fs::read_symlink("/proc/self/exe", code);
    return code ? "zcrxlab" : path.string();
}

fs::path out_of(const CoverageOptions& options) {
    return options.run.vm.out.empty() ? "zcrxlab-mutations" : options.run.vm.out;
}

}  // namespace

Laboratory::Laboratory(const CoverageOptions& options, KernelBuildPlan plan, LinkedTree tree,
                       fs::path out)
    : options_(&options), plan_(std::move(plan)), tree_(std::move(tree)), out_(std::move(out)) {}

Result<Laboratory> Laboratory::create(const CoverageOptions& options) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const Progress progress = progress_for_people();
    const auto source = find_source_tree(options.source, *cache, progress);
    if (!source) return source.error();
    std::vector<std::string> words{"base"};
    if (options.fragments.empty()) words.emplace_back("faults");
    words.insert(words.end(), options.fragments.begin(), options.fragments.end());
    KernelBuildPlan plan;
    std::string name = source->filename().string();
    for (const std::string& word : words) {
        const auto fragment = find_fragment(word, ZCRXLAB_SOURCE_DIR);
        if (!fragment) return fragment.error();
        plan.fragments.push_back(*fragment);
        name += "-" + fragment->stem().string();
    }
    const fs::path folder = cache->root() / "mutations" / name;
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return error_from_errno("make " + folder.string(), code.value());
    progress("linking the sources into " + folder.string());
    auto tree = LinkedTree::create(*source, folder / "source");
    if (!tree) return tree.error();
    plan.source = tree->path();
    plan.output = folder / "build";
    plan.jobs =
        options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    const fs::path out = out_of(options);
    fs::create_directories(out, code);
    if (code) return error_from_errno("make " + out.string(), code.value());
    return Laboratory(options, std::move(plan), std::move(*tree), fs::absolute(out));
}

Result<void> Laboratory::build(const std::string& what) {
    progress_("building " + what);
    if (auto built = build_kernel(plan_, progress_); !built) return built.error();
    return {};
}

Result<std::string> Laboratory::object(const std::string& source) const {
    return build_object(plan_, fs::path(source).replace_extension(".o").string());
}

Result<fs::path> Laboratory::keep_kernel(const std::string& name) const {
    fs::path kept = out_ / (name + "-bzImage");
    std::error_code code;
    fs::copy_file(image_of(plan_), kept, fs::copy_options::overwrite_existing, code);
    if (code) return error_from_errno("copy " + image_of(plan_).string(), code.value());
    return kept;
}

Result<std::vector<Attempt>> Laboratory::found_before(const std::string& terms) const {
    std::error_code code;
    if (!fs::exists(out_ / kFound, code)) return std::vector<Attempt>();
    const auto text = read_file(out_ / kFound, kFoundLimit);
    if (!text) return text.error();
    auto attempts = attempts_from_json(*text);
    if (!attempts || attempts->terms != terms)
        return Error{EEXIST, fmt::format("{} is about other mistakes; type: --out ANOTHER",
                                         (out_ / kFound).string())};
    // What could not be tried then may be possible now.
    std::erase_if(attempts->all, [](const Attempt& one) { return !one.problem.empty(); });
    return std::move(attempts->all);
}

Result<void> Laboratory::keep(const Attempts& attempts) const {
    return write_whole(out_ / kFound, to_json(attempts));
}

Result<void> Laboratory::run_reference(const Subject& subject) {
    progress_("running the scenarios on the kernel as it is");
    const auto start = steady_clock::now();
    auto run = run_on(subject, "unpatched", options_->run.filter, false);
    if (!run) return run.error();
    if (run->ending != Ending::kFinished)
        return Error{EIO, "The run on the kernel as it is did not end: " + run->ending_message};
    reference_ = std::move(*run);
    patience_ = std::max(kLeastSeconds, static_cast<unsigned>(kPatience * elapsed(start)));
    return {};
}

Result<void> Laboratory::judge(Attempt& attempt, const Subject& with, const Subject& without,
                               const std::vector<std::string>& first) {
    const auto start = steady_clock::now();
    std::string before_others;
    for (const std::string& test : first)
        before_others += (before_others.empty() ? "" : ":") + test;
    for (int round = 0; round < kRounds; ++round) {
        const bool some = round == 0 && !before_others.empty();
        std::string filter =
            some ? before_others : filter_of_the_sound(reference_, attempt.only_once);
        if (filter.empty()) filter = options_->run.filter;
        const auto over = judge_once(attempt, with, without, filter);
        attempt.run_seconds = elapsed(start);
        if (!over) return over.error();
        // That a few notice nothing says little.
        if (*over && !(some && !attempt.verdict.noticed)) return {};
    }
    attempt.verdict = {};
    return {};
}

// Whether there is nothing more to ask.
Result<bool> Laboratory::judge_once(Attempt& attempt, const Subject& with, const Subject& without,
                                    const std::string& filter) {
    const auto run = run_on(with, attempt.name, filter, true);
    if (!run) return run.error();
    attempt.verdict = verdict_on_patch(reference_, *run);
    const PatchVerdict& verdict = attempt.verdict;
    if (!verdict.noticed || verdict.guest_ended) return true;
    const auto again = runs_alone(attempt.name + "-again", verdict.test, with, true);
    if (!again) return again.error();
    if (again->failed > 0 && !without_.contains(verdict.test)) {
        const auto rate = runs_alone("unpatched-again", verdict.test, without, false);
        if (!rate) return rate.error();
        without_[verdict.test] = *rate;
    }
    if (again->failed > 0 && is_proof(*again, without_[verdict.test])) {
        attempt.alone = *again;
        return true;
    }
    // It may have been the machine's load; the rest is asked without it.
    attempt.only_once.push_back(verdict.test);
    return false;
}

Result<FailureRate> Laboratory::runs_alone(const std::string& name, const std::string& test,
                                           const Subject& subject, bool until_it_fails) const {
    FailureRate rate;
    while (rate.runs < kRepeats && !(until_it_fails && rate.failed > 0)) {
        const auto run = run_on(subject, name, test, false);
        if (!run) return run.error();
        ++rate.runs;
        if (verdict_on_patch(reference_, *run).noticed) ++rate.failed;
    }
    return rate;
}

Result<RunSummary> Laboratory::run_on(const Subject& subject, const std::string& name,
                                      const std::string& filter, bool fail_fast) const {
    const fs::path folder = out_ / name;
    const VmOptions& vm = options_->run.vm;
    std::vector<std::string> command{own_path(), "run"};
    const auto add = [&command](const char* option, const std::string& value) {
        if (!value.empty()) command.insert(command.end(), {option, value});
    };
    add("--kernel", subject.kernel.string());
    add("--nic", vm.nic);
    add("--cpus", vm.cpus != 0 ? std::to_string(vm.cpus) : "");
    add("--memory", vm.memory);
    add("--accel", vm.accelerator);
    add("--kernel-args", vm.kernel_arguments);
    add("--seed", std::to_string(vm.seed));
    add("--timeout", std::to_string(patience_ > 0 ? patience_ : vm.timeout));
    add("--out", folder.string());
    add("--filter", filter);
    add("--vms", vm_count(filter));
    if (fail_fast) command.emplace_back("--fail-fast");
    command.insert(command.end(), subject.options.begin(), subject.options.end());
    const auto run = run_program(command);
    if (!run) return run.error();
    if (auto kept = write_whole(out_ / (name + ".log"), run->output); !kept) return kept.error();
    if (run->exit_code == kExitInterrupted) return Error{ECANCELED, "Interrupted."};
    const auto json = read_file(folder / "results.json", kResultsLimit);
    if (!json) return Error{EIO, "The run left no results:\n" + last_lines(run->output, 5)};
    return summary_from_json(*json);
}

// As many with a filter as without.
std::string Laboratory::vm_count(const std::string& filter) const {
    if (filter.find_first_of(":*") == std::string::npos && !filter.empty()) return {};
    if (options_->run.vms != 0) return std::to_string(options_->run.vms);
    for (const auto& [name, value] : reference_.properties)
        if (name == "vms") return value;
    return {};
}

int say_score(const std::vector<Attempt>& attempts, const fs::path& out) {
    const MutationScore score = score_of(attempts);
    fmt::print("{}; results: {}\n", to_text(score), out.string());
    if (score.not_tried > 0) return kExitUsage;
    return score.noticed == score.tried ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
