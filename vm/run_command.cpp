// zcrxlab run: boots a VM, runs scenarios in it, judges and reports.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/report/report.hpp"
#include "vm/audience.hpp"
#include "vm/boot/machine.hpp"
#include "vm/commands.hpp"
#include "vm/prepare.hpp"
#include "vm/programs.hpp"
#include "vm/results_folder.hpp"
#include "vm/version.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kScenarios = "/usr/bin/zcrx-scenarios";
// Nothing is said between the start and the end of a test, and the longest take a minute under TCG.
constexpr milliseconds kSilence{300'000};

WatchBounds bounds_for(const VmOptions& options) {
    WatchBounds bounds;
    bounds.total = seconds(options.timeout);
    bounds.silence = kSilence;
    return bounds;
}

// The command that runs `test` alone again, with the same seed.
std::string rerun_command(const RunOptions& options, const std::string& test) {
    std::vector<std::string> words{options.self, "run"};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {name, value});
    };
    add("--kernel", options.vm.kernel);
    add("--nic", options.vm.nic);
    if (options.vm.accelerator != "auto") add("--accel", options.vm.accelerator);
    add("--vm-args", options.vm.vm_arguments);
    add("--kernel-args", options.vm.kernel_arguments);
    for (const std::string& rule : options.vm.faults) add("--fault", rule);
    add("--mutation", options.vm.mutation);
    add("--seed", std::to_string(options.vm.seed));
    add("--filter", test);
    return quoted_for_shell(words);
}

// Shows what scenarios do, as they do it.
void show(const Record& record, const Watch& watch, bool verbose) {
    if (record.type == RecordType::kHello) {
        fmt::print("booted {} in {:.1f} s\n", on_one_line(watch.kernel()),
                   static_cast<double>(watch.until_ready()->count()) / 1000);
    } else if (record.type == RecordType::kNotice && verbose) {
        const Json json = Json::parse(record.json, nullptr, false);
        if (json.is_object() && json.contains("text") && json["text"].is_string())
            fmt::print(stderr, "{}\n", cleaned(json["text"].get<std::string>()));
    } else if (record.type == RecordType::kTestEnded && watch.last_ended() != nullptr) {
        fmt::print("{}\n", to_line(*watch.last_ended()));
    }
    std::fflush(stdout);
}

Result<GuestJob> scenarios_job(const RunOptions& options) {
    auto program = own_program("zcrx-scenarios");
    if (!program) return program.error();
    GuestJob job;
    job.arguments = {kScenarios};
    job.programs = {{*program, kScenarios}};
    job.modules = {"tls"};  // chapter neighbours
    job.environment = {{"ZCRXLAB_FILTER", options.controls && options.filter.empty()
                                              ? std::string("control_*")
                                              : options.filter}};
    return job;
}

// A run in which nothing ran although the guest was well: the scenario program says why.
Result<void> check_program(const RunOptions& options, const Watch& watch,
                           const std::string& console) {
    if (watch.state() != VmState::kDone || !watch.tests().empty()) return {};
    if (watch.program_exit() == kExitUsage && !options.filter.empty())
        return Error{EINVAL, "No scenario matches --filter " + options.filter +
                                 "; to see all, type: " + options.self + " list"};
    return Error{EINVAL, fmt::format("The scenario program ended with code {} before any scenario. "
                                     "The last lines of the console:\n{}",
                                     watch.program_exit().value_or(-1), cleaned(console))};
}

void print_failures(const RunOptions& options, const RunSummary& run) {
    // Of a guest that was lost, it is shown once, below.
    const std::string console = run.ending == Ending::kFinished ? run.console : "";
    for (const TestResult& test : run.tests) {
        if (test.status != TestStatus::kFailed && test.status != TestStatus::kLost) continue;
        // Of the tests that a lost guest took along, the one that was running tells most.
        const bool bystander = test.status == TestStatus::kLost && test.seconds == 0 &&
                               test.message.compare(0, 18, "It had not started") == 0;
        if (bystander) continue;
        fmt::print("\n{}", to_text(test, console, rerun_command(options, test.name)));
    }
}

}  // namespace

int run_command(const RunOptions& options) {
    const Progress progress = progress_for_people();
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());
    const Result<GuestJob> job = scenarios_job(options);
    if (!job) return fail(job.error());
    const Result<PreparedVm> vm = prepare_vm(options.vm, *job, *out, progress);
    if (!vm) return fail(vm.error());
    for (const std::string& note : vm->notes) progress(note);
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out->write("qemu-command.txt", by_hand); !written)
        return fail(written.error());
    if (options.vm.print_command) {
        fmt::print("{}", by_hand);
        return 0;
    }
    fmt::print("kernel {} ({}), QEMU {} ({}, {}), NIC {}, seed {}\n{}\n", vm->kernel.release,
               vm->kernel.origin, vm->settings.qemu.version, vm->settings.qemu.origin,
               vm->settings.accelerator == Accelerator::kKvm ? "KVM" : "emulated", options.vm.nic,
               options.vm.seed, quoted_for_shell(vm->machine.qemu));
    std::fflush(stdout);

    Watch watch(bounds_for(options.vm), steady_clock::now());
    Audience audience(*out, options.vm.verbose,
                      [&](const Record& record) { show(record, watch, options.vm.verbose); });
    if (auto ran = run_machine(vm->machine, watch, audience.ears()); !ran)
        return fail(ran.error(), ran.error().code == EINVAL ? kExitUsage : 255);

    RunSummary run = watch.summary(steady_clock::now());
    if (run.kernel.empty()) run.kernel = vm->kernel.release;
    run.nic = options.vm.nic;
    run.seed = options.vm.seed;
    run.console = audience.console_tail();
    run.properties = {
        {"zcrxlab", kVersion},
        {"qemu", vm->settings.qemu.version},
        {"accelerator", vm->settings.accelerator == Accelerator::kKvm ? "kvm" : "tcg"}};
    if (watch.until_first_test())
        run.properties.emplace_back(
            "seconds_to_first_test",
            fmt::format("{:.2f}", static_cast<double>(watch.until_first_test()->count()) / 1000));
    if (auto written = out->write_reports(run); !written) return fail(written.error());

    print_failures(options, run);
    fmt::print("{}", audience.last_words(watch));
    fmt::print("\n{}results: {}\n", to_text(run), out->path().string());
    if (auto fit = check_program(options, watch, run.console); !fit) return fail(fit.error());
    return exit_code(run);
}

}  // namespace zcrxlab
