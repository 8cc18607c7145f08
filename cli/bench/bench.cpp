// Boots VMs for measurements, and makes tables of them.
#include "cli/bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "cli/bench/process_cost.hpp"
#include "harness/base/environment.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/nics/nic_table.hpp"
#include "results/bench/bench_files.hpp"
#include "results/bench/bench_table.hpp"
#include "vm/programs.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/output_recorder.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

namespace {

using std::chrono::duration;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kScenarios = "/usr/bin/zcrx-scenarios";
constexpr const char* kBenchFilter = "bench*";
constexpr const char* kIdleMark = "idle";
constexpr int kIdleSeconds = 5;
constexpr int kBoots = 3;

class Bench {
  public:
    Bench(const BenchOptions& options, ResultsFolder& out) : options_(options), out_(out) {
        options_.vm.fresh = true;  // boots are among what is measured
    }

    int run() {
        boot();
        idle();
        const int code = scenarios();
        const std::string text = tables_.to_text();
        fmt::print("{}\nresults: {}\n", text, out_.path().string());
        if (auto written = write_measurements(out_, tables_); !written)
            return fail(written.error());
        return code;
    }

  private:
    void boot() {
        std::vector<double> bare;
        std::vector<double> full;
        for (int round = 0; round < kBoots; ++round) {
            const std::optional<double> init = until_init();
            const std::optional<double> scenario = until_first_scenario();
            if (!init || !scenario) return;
            bare.push_back(*init);
            full.push_back(*scenario);
        }
        std::sort(bare.begin(), bare.end());
        std::sort(full.begin(), full.end());
        const auto add = [&](const char* what, const std::vector<double>& values) {
            tables_.add("Boot, seconds from power-on",
                        {{"to", fmt::format("\"{}\"", what)},
                         {"median", fmt::format("{:.2f}", values[kBoots / 2])},
                         {"lowest", fmt::format("{:.2f}", values.front())},
                         {"highest", fmt::format("{:.2f}", values.back())},
                         {"ratio", fmt::format("{:.2f}", values[kBoots / 2] / bare[kBoots / 2])}});
        };
        add("init of the bare kernel", bare);
        add("the first scenario", full);
    }

    // The kernel of the run with nothing but an init that powers off: what a boot costs at least.
    std::optional<double> until_init() {
        VmOptions options = options_.vm;
        options.nic = nic_at(NicPlace::kNowhere).name;
        const auto vm = prepare_vm(options, GuestJob{}, out_, progress_);
        if (!vm) {
            progress_(vm.error().sentence);
            return std::nullopt;
        }
        const auto start = steady_clock::now();
        Watch watch(bounds(), start);
        std::optional<double> seconds_taken;
        ConsoleLines lines([&](const std::string& line) {
            if (line.find(kBareBootLine) != std::string::npos && !seconds_taken)
                seconds_taken = duration<double>(steady_clock::now() - start).count();
        });
        MachineCallbacks callbacks;
        callbacks.console = [&](std::string_view bytes) { lines.feed(bytes); };
        if (auto ran = run_machine(vm->machine, watch, callbacks); !ran)
            progress_(ran.error().sentence);
        return seconds_taken;
    }

    // A whole run up to there.
    std::optional<double> until_first_scenario() {
        const auto vm = prepare_scenarios("", false);
        if (!vm) {
            progress_(vm.error().sentence);
            return std::nullopt;
        }
        Watch watch(bounds(), steady_clock::now());
        MachineCallbacks callbacks;
        callbacks.record = [&](const Record&) {
            if (watch.until_first_test()) watch.interrupted(steady_clock::now());
        };
        if (auto ran = run_machine(vm->machine, watch, callbacks); !ran)
            progress_(ran.error().sentence);
        if (!watch.until_first_test()) return std::nullopt;
        return duration<double>(*watch.until_first_test()).count();
    }

    Result<PreparedVm> prepare_scenarios(const std::string& filter, bool comparison_nics) {
        const auto program = own_program("zcrx-scenarios");
        if (!program) return program.error();
        GuestJob job;
        job.arguments = {kScenarios};
        job.programs = {{*program, kScenarios}};
        job.comparison_nics = comparison_nics;
        job.environment = {{environment::kFilter, filter}};
        return prepare_vm(options_.vm, job, out_, progress_);
    }

    // What the device process costs while the guest does nothing.
    void idle() {
        if (!nic_is_at(options_.vm.nic, NicPlace::kNicProgram)) return;
        GuestJob job;
        job.tools = true;
        job.session.streams = GuestStreams::kPipes;
        job.arguments = {"/bin/sh", "-c",
                         fmt::format("sleep 1; echo {}; sleep {}", kIdleMark, kIdleSeconds)};
        const auto vm = prepare_vm(options_.vm, job, out_, progress_);
        if (!vm) return note(vm.error());
        Watch watch(bounds(), steady_clock::now());
        pid_t nic = -1;
        std::optional<ProcessCost> before;
        std::optional<ProcessCost> after;
        MachineCallbacks callbacks;
        callbacks.started = [&](pid_t, pid_t nic_pid) { nic = nic_pid; };
        callbacks.record = [&](const Record& record) {
            if (record.json.find(kIdleMark) != std::string::npos && !before)
                before = ProcessCost::of(nic);
        };
        callbacks.ending = [&] { after = ProcessCost::of(nic); };
        if (auto ran = run_machine(vm->machine, watch, callbacks); !ran) return note(ran.error());
        if (!before || !after) return;
        after->cpu_seconds -= before->cpu_seconds;
        add_device_row("idle", *after, kIdleSeconds);
    }

    int scenarios() {
        const auto vm =
            prepare_scenarios(options_.filter.empty() ? kBenchFilter : options_.filter, true);
        if (!vm) return fail(vm.error());
        for (const std::string& text : vm->notes) progress_(text);
        if (auto written = out_.write("qemu-command.txt", command_by_hand(*vm)); !written)
            return fail(written.error());
        Watch watch(bounds(), steady_clock::now());
        pid_t nic = -1;
        std::optional<ProcessCost> cost;
        OutputRecorder recorder(out_, options_.vm.verbose, [&](const Record& record) {
            if (record.type == RecordType::kBench && !tables_.take(record.json))
                progress_("A measurement of the guest could not be read.");
            if (record.type == RecordType::kTestEnded && watch.last_ended() != nullptr)
                progress_("measured " + on_one_line(watch.last_ended()->name));
        });
        MachineCallbacks callbacks = recorder.callbacks();
        callbacks.started = [&](pid_t, pid_t nic_pid) { nic = nic_pid; };
        callbacks.ending = [&] { cost = ProcessCost::of(nic); };
        if (auto ran = run_machine(vm->machine, watch, callbacks); !ran) return fail(ran.error());
        RunSummary run = watch.summary(steady_clock::now());
        run.nic = options_.vm.nic;
        run.seed = options_.vm.seed;
        if (auto written = out_.finish_logs(); !written) return fail(written.error());
        if (auto written = out_.write_reports(run); !written) return fail(written.error());
        if (cost) add_device_row("measuring", *cost, run.seconds);
        for (const TestResult& test : run.tests)
            if (test.status == TestStatus::kFailed || test.status == TestStatus::kLost)
                fmt::print("{}\n", to_line(test));
        if (!run.ending_message.empty()) fmt::print("{}\n", run.ending_message);
        fmt::print("{}", recorder.last_words(watch));
        return exit_code(run);
    }

    void add_device_row(const char* when, const ProcessCost& cost, double wall) {
        const auto mebibytes = [](uint64_t kib) {
            return fmt::format("{:.1f}", static_cast<double>(kib) / 1024);
        };
        tables_.add("The device process", {{"while", fmt::format("\"{}\"", when)},
                                           {"CPU seconds", fmt::format("{:.2f}", cost.cpu_seconds)},
                                           {"of", fmt::format("{:.1f}", wall)},
                                           {"own MiB", mebibytes(cost.own_kib)},
                                           {"guest's MiB", mebibytes(cost.guest_kib)}});
    }

    WatchBounds bounds() const {
        WatchBounds bounds;
        bounds.total = seconds(options_.vm.timeout);
        bounds.silence = bounds.total;
        return bounds;
    }
    void note(const Error& error) { progress_(error.sentence); }

    BenchOptions options_;
    ResultsFolder& out_;
    const Progress progress_ = progress_for_people();
    BenchTables tables_;
};

}  // namespace

int bench_command(const BenchOptions& options) {
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());
    return Bench(options, *out).run();
}

}  // namespace zcrxlab
