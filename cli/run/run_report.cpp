// Joins the summaries of the VMs, and prints failures with the commands that repeat them.
#include "cli/run/run_report.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "cli/vm_options.hpp"
#include "harness/base/version.hpp"
#include "results/run_page/run_page.hpp"
#include "scenarios/known_issues/counted_runs.hpp"
#include "vm/qemu/qemu_command.hpp"

namespace zcrxlab {

namespace {

// The command that runs `test` alone again, with the same seed.
std::string rerun_command(const RunOptions& options, const std::string& test) {
    std::vector<std::string> words{options.self, "run"};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {name, value});
    };
    add("--kernel", options.vm.kernel);
    add("--nic", options.vm.nic);
    std::ranges::move(words_of_machine(options.vm), std::back_inserter(words));
    add("--slowness", options.slowness);
    add("--count", options.count);
    if (options.lenient) words.emplace_back("--lenient");
    add("--seed", std::to_string(options.vm.seed));
    add("--actions", options.actions);
    add("--filter", test);
    return quoted_for_shell(words);
}

// The command that shows the trace of `test`; empty if none has come out of the guest.
std::string trace_command_of(const RunOptions& options, const ResultsFolder& out,
                             const TestResult& test) {
    if (test.status != TestStatus::kFailed) return "";
    return quoted_for_shell({options.self, "trace", out.path().string(), "--test", test.name,
                             "--html", test.name.substr(0, test.name.find('/')) + ".html"});
}

// In the order of the plan, with those that no VM has got.
std::vector<TestResult> in_order(std::vector<TestResult> results,
                                 const ScenarioQueue& scenario_queue) {
    for (const std::string& name : scenario_queue.left())
        results.push_back({.name = name,
                           .message = "It had not started when the run ended.",
                           .reached = Reached::kNothing});
    std::map<std::string, size_t> places;
    for (const std::string& name : scenario_queue.all()) places.emplace(name, places.size());
    std::ranges::stable_sort(results, {}, [&places](const TestResult& result) {
        const auto place = places.find(result.name);
        return place != places.end() ? place->second : SIZE_MAX;
    });
    return results;
}

// Whether it is what counted_runs() is of: every scenario, on a guest as it comes.
bool is_of_everything(const RunOptions& options) {
    const VmOptions usual;
    const VmOptions& vm = options.vm;
    return options.filter.empty() && options.actions.empty() && !options.controls &&
           options.count.empty() && !options.lenient && vm.mutation.empty() && vm.faults.empty() &&
           vm.vm_arguments.empty() && vm.kernel_arguments.empty() && vm.memory == usual.memory &&
           vm.cpus == usual.cpus && vm.iommu == usual.iommu;
}

double in_seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

bool has_failed(const RunSummary& run) {
    return std::ranges::any_of(
        run.tests, [](const TestResult& test) { return test.status == TestStatus::kFailed; });
}

RunSummary summary_of(const RunOptions& options, const PreparedVm& vm, std::vector<VmEnd> ends,
                      const ScenarioQueue& scenario_queue) {
    constexpr std::array kWorstLast{Ending::kFinished, Ending::kTimeout, Ending::kLost,
                                    Ending::kPanicked, Ending::kInterrupted};
    const auto badness = [&](Ending ending) { return std::ranges::find(kWorstLast, ending); };
    RunSummary run;
    std::vector<TestResult> results;
    double slowest = 0;
    std::string stood_still;
    for (VmEnd& end : ends) {
        RunSummary& part = end.summary;
        std::ranges::move(part.tests, std::back_inserter(results));
        for (const auto& [name, value] : part.properties) {
            const std::string place =
                ends.size() == 1 ? "" : "vm" + std::to_string(&end - ends.data() + 1) + ": ";
            if (name == kStoodStill)
                stood_still += (stood_still.empty() ? "" : " ") + place + value;
        }
        if (end.until_first_test)
            slowest = std::max(slowest, static_cast<double>(end.until_first_test->count()) / 1000);
        if (&end == ends.data() || badness(part.ending) > badness(run.ending)) {
            part.seconds = std::max(part.seconds, run.seconds);
            run = std::move(part);
        }
    }
    run.tests = in_order(std::move(results), scenario_queue);
    if (run.kernel.empty()) run.kernel = vm.kernel.release;
    run.nic = options.vm.nic;
    run.seed = options.vm.seed;
    run.properties = {{"zcrxlab", kVersion},
                      {"qemu", vm.settings.qemu.version},
                      {"accelerator", vm.settings.accelerator == Accelerator::kKvm ? "kvm" : "tcg"},
                      {"start", vm.settings.saved ? "saved guest" : "boot"},
                      {"vms", std::to_string(ends.size())},
                      {std::string(kAgain), rerun_command(options, std::string(kAgainTest))}};
    if (!stood_still.empty()) run.properties.emplace_back(kStoodStill, stood_still);
    if (is_passed_through(options.vm.nic))
        run.properties.emplace_back("zero_copy_proof", "counters");
    // Of QEMU and of the NIC: how much work it was, however busy the machine is otherwise.
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    run.properties.emplace_back(
        "cpu_seconds",
        fmt::format("{:.1f}", in_seconds(used.ru_utime) + in_seconds(used.ru_stime)));
    if (slowest > 0)
        run.properties.emplace_back("seconds_to_first_test", fmt::format("{:.2f}", slowest));
    return run;
}

std::string judge_findings(const RunOptions& options, const RunSummary& run) {
    if (!is_of_everything(options)) return {};
    const CountedRun* row = find_counted_run(counted_runs(), run.nic, run.kernel);
    if (row == nullptr) return {};
    return differs(*row, issues_in(known_issues(), run.kernel, run.nic), run);
}

std::string nobody_has_counted(const RunOptions& options, const RunSummary& run) {
    if (!is_of_everything(options) || run.ending != Ending::kFinished ||
        find_counted_run(counted_runs(), run.nic, run.kernel) != nullptr)
        return {};
    return fmt::format(
        "nobody has counted what is known, blocked and skipped of {} on {}: no number is "
        "compared\n",
        on_one_line(run.nic), on_one_line(run.kernel));
}

void print_failures(const RunOptions& options, const RunSummary& run, const ResultsFolder& out) {
    // Of a guest that was lost, it is shown once, below.
    const std::string console = run.ending == Ending::kFinished ? run.console : "";
    for (const TestResult& test : run.tests) {
        if (test.status != TestStatus::kFailed && test.status != TestStatus::kLost) continue;
        // Of the tests that a lost guest took along, the one that was running tells most.
        if (test.reached == Reached::kNothing && run.ending != Ending::kFinished) continue;
        fmt::print("\n{}", to_text(test, console, rerun_command(options, test.name),
                                   trace_command_of(options, out, test)));
    }
}

}  // namespace zcrxlab
