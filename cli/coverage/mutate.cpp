// Builds the kernel with one mistake at a time, and finds out which scenarios notice it.
#include "cli/coverage/coverage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "harness/base/progress.hpp"
#include "harness/report/report.hpp"
#include "kernels/build/kernel_build.hpp"
#include "kernels/build/linked_tree.hpp"
#include "kernels/packages/cache.hpp"
#include "results/coverage/verdict_on_patch.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using std::chrono::steady_clock;

constexpr size_t kPatchLimit = size_t{4} << 20;
constexpr size_t kResultsLimit = size_t{256} << 20;
// A run on a changed kernel may take this many times as long as one on the kernel as it is.
constexpr double kPatience = 3;
// How often a failure that does not come again is set aside.
constexpr int kRounds = 4;
// How often the scenario of a failure runs alone, with the patch and without.
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

// "io_uring/zcrx.o" of "io_uring/zcrx.c"; of a header, an object that there is not.
std::string object_of(const std::string& source) {
    return fs::path(source).replace_extension(".o").string();
}

// What was found about one patch.
struct Attempt {
    const SourcePatch* patch = nullptr;
    std::string problem;    // why it could not be tried; empty if it was
    std::string set_aside;  // why nobody has to notice it; empty if somebody has
    PatchVerdict verdict;
    std::vector<std::string> only_once;  // failed, and runs of them alone did not prove it
    FailureRate alone;                   // of the scenario that noticed it
    double build_seconds = 0, run_seconds = 0;
};

// The kernel, its twin, and the runs on it.
class Laboratory {
  public:
    Laboratory(const CoverageOptions& options, KernelBuildPlan plan, LinkedTree tree, fs::path out)
        : options_(options),
          plan_(std::move(plan)),
          tree_(std::move(tree)),
          out_(std::move(out)),
          filter_(options.run.filter) {}

    // The run that the others are compared with. An Error if it did not end well.
    // `objects` are those that are compared with what patches make of them.
    Result<void> run_unpatched(const std::set<std::string>& objects) {
        progress_("building the kernel as it is");
        const auto built = build_kernel(plan_, progress_);
        if (!built) return built.error();
        for (const std::string& object : objects) {
            auto bytes = build_object(plan_, object);
            if (!bytes) return bytes.error();
            unpatched_code_[object] = std::move(*bytes);
        }
        image_ = out_ / "unpatched-bzImage";
        std::error_code code;
        fs::copy_file(built->image, image_, fs::copy_options::overwrite_existing, code);
        if (code) return error_from_errno("copy " + built->image.string(), code.value());
        progress_("running the scenarios on it");
        const auto start = steady_clock::now();
        auto run = run_on_it("unpatched", filter_, plan_.output, {});
        if (!run) return run.error();
        if (run->ending != Ending::kFinished)
            return Error{
                EIO, "The run on the kernel without any patch did not end: " + run->ending_message};
        unpatched_ = std::move(*run);
        patience_ = std::max(kLeastSeconds, static_cast<unsigned>(kPatience * elapsed(start)));
        return {};
    }

    // ECANCELED if a person ended it.
    Result<Attempt> try_patch(const SourcePatch& patch) {
        Attempt attempt;
        attempt.patch = &patch;
        if (auto applied = tree_.apply(patch); !applied) {
            attempt.problem = applied.error().sentence;
            return attempt;
        }
        auto start = steady_clock::now();
        const auto built = build_patched(attempt);
        attempt.build_seconds = elapsed(start);
        if (!built) attempt.problem = built.error().sentence;
        if (auto restored = tree_.restore(patch); !restored) return restored.error();
        if (!built || !attempt.set_aside.empty()) return attempt;

        start = steady_clock::now();
        auto noticed = run_patched(attempt);
        attempt.run_seconds = elapsed(start);
        if (!noticed) return noticed.error();
        return attempt;
    }

    const RunSummary& unpatched() const { return unpatched_; }
    const fs::path& source() const { return plan_.source; }

  private:
    // Links only what differs from the kernel as it is: that takes most of the time.
    Result<void> build_patched(Attempt& attempt) const {
        bool same = true;
        for (const std::string& source : attempt.patch->sources) {
            const auto known = unpatched_code_.find(object_of(source));
            if (known == unpatched_code_.end()) {
                same = false;
                continue;
            }
            const auto code = build_object(plan_, known->first);
            if (!code && code.error().code != EIO) return code.error();
            if (!code) attempt.set_aside = "it does not compile";
            if (!code) return {};
            same = same && *code == known->second;
        }
        if (same) attempt.set_aside = "the compiler makes the same of it";
        if (same) return {};
        if (auto built = build_kernel(plan_, progress_); !built) return built.error();
        return {};
    }

    // Until a failure is proved by runs of its scenario alone. One that does not come again may
    // have been the machine's load; it is told, and the rest is asked without it.
    Result<void> run_patched(Attempt& attempt) {
        const std::string name = attempt.patch->file.stem().string();
        for (int round = 0; round < kRounds; ++round) {
            std::string filter = filter_of_the_sound(unpatched_, attempt.only_once);
            if (filter.empty()) filter = filter_;
            const auto run = run_on_it(name, filter, plan_.output, {"--fail-fast"});
            if (!run) return run.error();
            attempt.verdict = verdict_on_patch(unpatched_, *run);
            const PatchVerdict& verdict = attempt.verdict;
            if (!verdict.noticed || verdict.guest_ended) return {};
            const auto with = runs_alone(name + "-again", verdict.test, plan_.output, true);
            if (!with) return with.error();
            if (with->failed > 0) {
                const auto without = runs_alone("unpatched-again", verdict.test, image_, false);
                if (!without) return without.error();
                attempt.alone = *with;
                if (is_proof(*with, *without)) return {};
            }
            attempt.only_once.push_back(verdict.test);
        }
        attempt.verdict = {};
        return {};
    }

    // How often `test` fails alone. `once`: until it does.
    Result<FailureRate> runs_alone(const std::string& name, const std::string& test,
                                   const fs::path& kernel, bool once) const {
        FailureRate rate;
        while (rate.runs < kRepeats && !(once && rate.failed > 0)) {
            const auto run = run_on_it(name, test, kernel, {});
            if (!run) return run.error();
            ++rate.runs;
            if (verdict_on_patch(unpatched_, *run).noticed) ++rate.failed;
        }
        return rate;
    }

    Result<RunSummary> run_on_it(const std::string& name, const std::string& filter,
                                 const fs::path& kernel,
                                 const std::vector<std::string>& more) const {
        const fs::path folder = out_ / name;
        const VmOptions& vm = options_.run.vm;
        std::vector<std::string> command{own_path(), "run"};
        const auto add = [&command](const char* option, const std::string& value) {
            if (!value.empty()) command.insert(command.end(), {option, value});
        };
        add("--kernel", kernel.string());
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
        command.insert(command.end(), more.begin(), more.end());
        const auto run = run_program(command);
        if (!run) return run.error();
        if (auto kept = write_whole(out_ / (name + ".log"), run->output); !kept)
            return kept.error();
        if (run->exit_code == kExitInterrupted) return Error{ECANCELED, "Interrupted."};
        const auto json = read_file(folder / "results.json", kResultsLimit);
        if (!json) return Error{EIO, "The run left no results:\n" + last_lines(run->output, 5)};
        return summary_from_json(*json);
    }

    // As many with a filter as without.
    std::string vm_count(const std::string& filter) const {
        if (filter.find_first_of(":*") == std::string::npos && !filter.empty()) return {};
        if (options_.run.vms != 0) return std::to_string(options_.run.vms);
        for (const auto& [name, value] : unpatched_.properties)
            if (name == "vms") return value;
        return {};
    }

    const CoverageOptions& options_;
    KernelBuildPlan plan_;
    LinkedTree tree_;
    fs::path out_;
    std::string filter_;
    RunSummary unpatched_;
    fs::path image_;                                     // of the kernel as it is
    std::map<std::string, std::string> unpatched_code_;  // of objects
    unsigned patience_ = 0;                              // seconds
    Progress progress_ = progress_for_people();
};

Result<std::vector<SourcePatch>> read_patches(const std::vector<std::string>& files) {
    std::vector<SourcePatch> patches;
    for (const std::string& file : files) {
        const auto text = read_file(file, kPatchLimit);
        if (!text) return text.error();
        auto patch = parse_source_patch(*text, file);
        if (!patch) return patch.error();
        const auto same_name = [&](const SourcePatch& other) {
            return other.file.stem() == patch->file.stem();
        };
        if (std::ranges::any_of(patches, same_name))
            return Error{EINVAL, "Two patches are called " + patch->file.stem().string() + "."};
        patches.push_back(std::move(*patch));
    }
    return patches;
}

fs::path out_of(const CoverageOptions& options) {
    return options.run.vm.out.empty() ? "zcrxlab-mutations" : options.run.vm.out;
}

Result<Laboratory> laboratory_for(const CoverageOptions& options) {
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

std::string line_of(const Attempt& attempt) {
    const std::string name = attempt.patch->file.stem().string();
    if (!attempt.problem.empty())
        return fmt::format("not tried    {}: {}\n", name, attempt.problem);
    if (!attempt.set_aside.empty())
        return fmt::format("set aside    {}: {}\n             {}\n", name, attempt.set_aside,
                           attempt.patch->title);
    const PatchVerdict& verdict = attempt.verdict;
    if (!verdict.noticed && !attempt.only_once.empty())
        return fmt::format(
            "at times     {}  {:.0f} s: {}\n             {} failed once, and not again "
            "alone\n",
            name, attempt.run_seconds, attempt.patch->title, fmt::join(attempt.only_once, ", "));
    if (!verdict.noticed)
        return fmt::format("not noticed  {}  {:.0f} s: {}\n", name, attempt.run_seconds,
                           attempt.patch->title);
    return fmt::format("noticed      {}  {:.0f} s: {}\n             by {}{}: {}\n", name,
                       attempt.run_seconds, attempt.patch->title,
                       verdict.test.empty() ? "the guest" : verdict.test,
                       verdict.invariants.empty() ? "" : " (" + verdict.invariants + ")",
                       on_one_line(verdict.said));
}

OrderedJson json_of(const Attempt& attempt) {
    return {{"patch", attempt.patch->file.filename().string()},
            {"title", attempt.patch->title},
            {"problem", attempt.problem},
            {"set_aside", attempt.set_aside},
            {"noticed", attempt.verdict.noticed},
            {"only_once", attempt.only_once},
            {"alone", {{"failed", attempt.alone.failed}, {"runs", attempt.alone.runs}}},
            {"test", attempt.verdict.test},
            {"invariants", attempt.verdict.invariants},
            {"said", attempt.verdict.said},
            {"build_seconds", attempt.build_seconds},
            {"run_seconds", attempt.run_seconds}};
}

}  // namespace

int mutate_command(const CoverageOptions& options) {
    auto patches = read_patches(options.patches);
    if (!patches) return fail(patches.error());
    auto laboratory = laboratory_for(options);
    if (!laboratory) return fail(laboratory.error());
    const fs::path out = out_of(options);
    auto generated = generated_patches(options, laboratory->source(), out / "patches");
    if (!generated) return fail(generated.error());
    std::ranges::move(*generated, std::back_inserter(*patches));
    std::set<std::string> objects;
    for (const std::string& source : options.generate) objects.insert(object_of(source));
    if (auto ran = laboratory->run_unpatched(objects); !ran)
        return fail(ran.error(), ran.error().code == ECANCELED ? kExitInterrupted : kExitUsage);
    fmt::print("without a patch: {}", to_text(laboratory->unpatched()));

    OrderedJson found = OrderedJson::array();
    size_t noticed = 0, tried = 0, not_tried = 0;
    for (const SourcePatch& patch : *patches) {
        const auto attempt = laboratory->try_patch(patch);
        if (!attempt)
            return fail(attempt.error(),
                        attempt.error().code == ECANCELED ? kExitInterrupted : kExitUsage);
        fmt::print("{}", line_of(*attempt));
        std::fflush(stdout);
        if (attempt->problem.empty() && attempt->set_aside.empty()) ++tried;
        if (!attempt->problem.empty()) ++not_tried;
        if (attempt->verdict.noticed) ++noticed;
        found.push_back(json_of(*attempt));
        const OrderedJson all = {{"filter", options.run.filter}, {"patches", found}};
        // As far as it got, should it be broken off.
        if (auto written =
                write_whole(out / "mutations.json",
                            all.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
            !written)
            return fail(written.error());
    }
    fmt::print("{} of {} noticed; results: {}\n", noticed, tried, fs::absolute(out).string());
    if (not_tried > 0) return kExitUsage;
    return noticed == tried ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
