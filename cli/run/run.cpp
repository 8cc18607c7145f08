// Boots the VMs of a run, lets each take scenarios until none is left, and judges.
#include "cli/run/run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "cli/report/report.hpp"
#include "cli/run/run_report.hpp"
#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/base/time_left.hpp"
#include "harness/report/expected_counts.hpp"
#include "harness/report/report.hpp"
#include "harness/ring/area.hpp"
#include "lists/language/action_files.hpp"
#include "results/bench/bench_table.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"
#include "vm/passthrough/taken_cards.hpp"
#include "vm/programs.hpp"
#include "vm/start/cache_damage.hpp"
#include "vm/start/prepare.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/output_recorder.hpp"
#include "vm/watch/record_line.hpp"
#include "vm/watch/results_folder.hpp"
#include "vm/watch/scenario_queue.hpp"

namespace zcrxlab {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kScenarios = "/usr/bin/zcrx-scenarios";
constexpr const char* kSetup = "/usr/bin/zcrx-setup";
// Nothing is said between the start and the end of a test, and the longest take a minute under TCG.
constexpr milliseconds kSilence{300'000};

// A list of actions is ended after 90 seconds, and then says so.
constexpr milliseconds kSilenceOfLists{130'000};

WatchBounds bounds_for(const RunOptions& options) {
    WatchBounds bounds;
    bounds.total = seconds(options.vm.timeout);
    bounds.silence = options.actions.empty() ? kSilence : kSilenceOfLists;
    // A person insisted on it: the guest may be one inside another, which is slow beyond measure.
    if (is_passed_through(options.vm.nic) && options.vm.accelerator != "auto")
        bounds.boot = bounds.silence = bounds.total;
    if (options.vm.silence != 0) bounds.silence = seconds(options.vm.silence);
    return bounds;
}

// Shows what scenarios do, as they do it.
void show(const Record& record, const Watch& watch, bool verbose) {
    if (const std::string line = line_of(record, watch); !line.empty()) fmt::print("{}\n", line);
    if (record.type == RecordType::kNotice && verbose)
        if (const std::string notice = notice_of(record); !notice.empty())
            fmt::print(stderr, "{}\n", notice);
    std::fflush(stdout);
}

Result<GuestJob> scenarios_job(const RunOptions& options, bool beside_another) {
    auto program = own_program("zcrx-scenarios");
    if (!program) return program.error();
    GuestJob job;
    job.arguments = {kScenarios};
    job.programs = {{*program, kScenarios}};
    if (is_passed_through(options.vm.nic)) {
        // Nobody has made it ready: in lab mode that is done on this machine.
        auto setup = own_program("zcrx-setup");
        if (!setup) return setup.error();
        job.programs.push_back({*setup, kSetup});
        job.arguments = {kSetup, "--ready", "--", kScenarios};
        job.takes_cards = true;
    }
    // Chapters neighbours and steering.
    job.modules = {"tls",         "8021q",        "nft_queue", "nfnetlink_queue",
                   "sch_ingress", "cls_matchall", "act_mirred"};
    job.session.huge_pages = kHugePagesOfScenarios;
    job.dealt = true;
    job.beside_another = beside_another;
    job.environment = {{environment::kFilter, options.controls && options.filter.empty()
                                                  ? std::string("control_*")
                                                  : options.filter}};
    if (!options.slowness.empty())
        job.environment.emplace_back(environment::kSlowness, options.slowness);
    if (!options.count.empty()) job.environment.emplace_back(environment::kCount, options.count);
    if (options.lenient) job.environment.emplace_back(environment::kLenient, "1");
    if (options.whole_trace) job.environment.emplace_back(environment::kWholeTrace, "1");
    if (!options.actions.empty()) {
        auto files = action_files(options.actions);
        if (!files) return files.error();
        job.files = std::move(*files);
        job.environment.emplace_back(environment::kActions, kActionsInGuest);
    }
    if (options.profiles) job.environment.emplace_back(environment::kProfiles, "each");
    if (const char* soak = std::getenv(environment::kSoakSeconds))
        job.environment.emplace_back(environment::kSoakSeconds, soak);
    return job;
}

// How far all guests of a run are.
class RunProgress {
  public:
    explicit RunProgress(Progress progress) : work_("scenarios", std::move(progress)) {}

    // After it was shown; of `all` scenarios that the guests together have.
    void hear(const Record& record, size_t all) {
        const bool ended = record.type == RecordType::kTestEnded;
        ended_ += ended ? 1 : 0;
        if (ended || record.type == RecordType::kPlan) work_.tell(ended_, all, steady_clock::now());
    }

  private:
    WorkProgress work_;
    size_t ended_ = 0;
};

// One VM of a run. It stays where it is: others point into it.
struct Guest {
    Guest(const RunOptions& options, ResultsFolder& folder, PreparedVm prepared,
          ScenarioQueue& scenario_queue, RunProgress& progress, size_t number)
        : out(folder),
          vm(std::move(prepared)),
          watch(bounds_for(options), steady_clock::now()),
          recorder(out, options.vm.verbose,
                   [this, &scenario_queue, &progress, number, verbose = options.vm.verbose,
                    fail_fast = options.fail_fast](const Record& record) {
                       show(record, watch, verbose);
                       if (record.type == RecordType::kPlan && watch.plan())
                           scenario_queue.join(number, *watch.plan());
                       progress.hear(record, scenario_queue.all().size());
                       if (fail_fast && record.type == RecordType::kTestEnded &&
                           watch.last_ended() != nullptr &&
                           watch.last_ended()->status == TestStatus::kFailed)
                           ::kill(::getpid(), SIGINT);  // as a person would end it
                       if (record.type == RecordType::kBench) measurements.push_back(record.json);
                   }),
          callbacks(recorder.callbacks()) {
        callbacks.turn = [&scenario_queue, number] { return scenario_queue.next(number); };
        callbacks.again = [&scenario_queue](const std::string& name) {
            scenario_queue.again(name);
            fmt::print("again    {}  this machine stood still\n", name);
        };
        callbacks.ending = [&scenario_queue, number] { scenario_queue.leave(number); };
    }

    ResultsFolder& out;
    PreparedVm vm;
    Watch watch;
    std::vector<std::string> measurements;
    OutputRecorder recorder;
    MachineCallbacks callbacks;
};

// A person who asks for some scenarios wants to see one VM; all of them take long. The first of
// several runs what needs two CPUs; each of the others waits for a third of its time (for a page
// pool, a timer, a peer, the NIC).
unsigned vm_count(const RunOptions& options) {
    if (is_passed_through(options.vm.nic)) return 1;
    if (options.vms != 0) return options.vms;
    if (options.controls || !options.filter.empty() || !options.actions.empty() ||
        options.vm.print_command)
        return 1;
    const unsigned cpus = std::thread::hardware_concurrency();
    return std::clamp(2 * cpus, 1U, 8U);
}

// The guests of a run, each with its folder.
Result<std::vector<std::unique_ptr<Guest>>> prepare_guests(const RunOptions& options,
                                                           std::span<ResultsFolder> folders,
                                                           ScenarioQueue& scenario_queue,
                                                           RunProgress& progress) {
    std::vector<VmOrder> orders;
    for (ResultsFolder& folder : folders) {
        Result<GuestJob> job = scenarios_job(options, !orders.empty());
        if (!job) return job.error();
        orders.push_back({std::move(*job), &folder});
    }
    Result<std::vector<PreparedVm>> vms = prepare_vms(options.vm, orders, progress_for_people());
    if (!vms) return vms.error();
    std::vector<std::unique_ptr<Guest>> guests;
    for (size_t number = 0; number < folders.size(); ++number) {
        ResultsFolder& out = folders[number];
        PreparedVm& vm = (*vms)[number];
        if (auto written = out.write("qemu-command.txt", command_by_hand(vm)); !written)
            return written.error();
        guests.push_back(
            std::make_unique<Guest>(options, out, std::move(vm), scenario_queue, progress, number));
    }
    return guests;
}

std::vector<VmEnd> ends_of(const std::vector<std::unique_ptr<Guest>>& guests) {
    std::vector<VmEnd> ends;
    for (const auto& guest : guests) {
        RunSummary summary = guest->watch.summary(steady_clock::now());
        summary.console = guest->recorder.console_tail();
        ends.push_back({std::move(summary), guest->watch.until_first_test()});
    }
    return ends;
}

// What could not be written.
std::vector<Error> write_results(const std::vector<std::unique_ptr<Guest>>& guests,
                                 const RunSummary& run, ResultsFolder& out) {
    std::vector<Error> failures;
    // Before the logs, which may be large.
    if (auto written = out.write_reports(fit_to_pass_on(findings(), run)); !written)
        failures.push_back(written.error());
    for (const auto& guest : guests)
        if (auto written = guest->out.finish_logs(); !written) failures.push_back(written.error());
    return failures;
}

// A run in which nothing ran although the guest was well: the scenario program says why.
Result<void> check_program(const RunOptions& options, const Guest& guest) {
    const Watch& watch = guest.watch;
    if (watch.state() != VmState::kDone) return {};
    if (watch.program_exit() == kExitUsage && !options.filter.empty())
        return Error{EINVAL, "No scenario matches --filter " + options.filter +
                                 "; to see all, type: " + options.self + " list"};
    return Error{EINVAL, fmt::format("The scenario program ended with code {} before any scenario. "
                                     "The last lines of the console:\n{}",
                                     watch.program_exit().value_or(-1),
                                     cleaned(guest.recorder.console_tail()))};
}

// How many there should have been, as a person has counted or the command line says.
Result<std::string> judge_counts(const RunOptions& options, const RunSummary& run) {
    std::string text = judge_findings(options, run);
    if (options.expect.empty()) return text;
    const Result<ExpectedCounts> expected = expected_counts_from(options.expect);
    if (!expected) return expected.error();
    const std::string differ = unexpected_counts(*expected, run);
    if (!text.empty() && !differ.empty()) text += '\n';
    return text + differ;
}

// Where a guest died, it may be because of the files that it was started from. Whether all died of
// damaged ones before they said a word: these are fetched anew, and the run can start again.
bool died_of_damage(const std::vector<std::unique_ptr<Guest>>& guests, const Progress& progress) {
    bool any_died = false, any_came_up = false;
    for (const auto& guest : guests) {
        const VmState state = guest->watch.state();
        if (state == VmState::kInterrupted) return false;
        // Nobody goes on from it a second time.
        if (state == VmState::kLost && guest->vm.machine.forget_saved)
            guest->vm.machine.forget_saved();
        any_died = any_died || state != VmState::kDone;
        any_came_up = any_came_up || guest->watch.until_ready();
    }
    const std::string damage = any_died ? find_cache_damage(guests.front()->vm, progress) : "";
    if (damage.empty()) return false;
    progress(damage + (any_came_up ? " The next run fetches it anew."
                                   : " It is fetched anew, and the run starts again."));
    return !any_came_up;
}

// The exit code; none: died_of_damage().
std::optional<int> run_once(const RunOptions& options) {
    const Progress progress = progress_for_people();
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());

    std::unique_ptr<TakenCards> cards;
    if (is_passed_through(options.vm.nic)) {
        if (options.vms > 1) return fail({EINVAL, "A card can be in one VM only; leave --vms out"});
        auto looked = TakenCards::look(options.vm);
        if (!looked) return fail(looked.error(), kExitUsage);
        cards = std::move(*looked);
    }

    const unsigned count = vm_count(options);
    ScenarioQueue scenario_queue(count);
    if (options.fail_fast) scenario_queue.put_quick_first();
    RunProgress run_progress(progress);
    std::vector<ResultsFolder> folders;
    for (unsigned number = 1; count > 1 && number <= count; ++number) {
        Result<ResultsFolder> folder = out->of_vm(number);
        if (!folder) return fail(folder.error());
        folders.push_back(std::move(*folder));
    }
    const auto guests =
        prepare_guests(options, count > 1 ? std::span(folders) : std::span(&*out, 1),
                       scenario_queue, run_progress);
    if (!guests) return fail(guests.error());
    const PreparedVm& first = guests->front()->vm;
    if (first.settings.cpus > guests->back()->vm.settings.cpus)
        scenario_queue.keep_first_for_parallel();
    for (const std::string& note : first.notes) progress(note);
    if (options.vm.print_command) {
        if (cards)
            for (const std::string& command : cards->commands()) fmt::print("{}\n", command);
        fmt::print("{}", command_by_hand(first));
        return 0;
    }
    fmt::print("kernel {} ({}), QEMU {} ({}, {}{}), NIC {}, seed {}\n", first.kernel.release,
               first.kernel.origin, first.settings.qemu.version, first.settings.qemu.origin,
               first.settings.accelerator == Accelerator::kKvm ? "KVM" : "emulated",
               first.settings.saved ? ", saved guest" : "", options.vm.nic, options.vm.seed);
    // Otherwise it is in the results folder.
    if (options.vm.verbose) fmt::print("{}\n", quoted_for_shell(first.machine.qemu));
    if (count > 1) fmt::print("and {} more such VMs beside it\n", count - 1);
    std::fflush(stdout);

    if (cards)
        if (auto taken = cards->take(); !taken)
            return fail(taken.error(), taken.error().code == EINTR ? kExitInterrupted : kExitUsage);
    std::vector<MachineRun> runs;
    for (const auto& guest : *guests)
        runs.push_back({&guest->vm.machine, &guest->watch, &guest->callbacks});
    if (auto ran = run_machines(runs); !ran)
        return fail(ran.error(), ran.error().code == EINVAL ? kExitUsage : kExitLost);
    const int given_back = cards ? cards->give_back() : 0;
    if (died_of_damage(*guests, progress)) return std::nullopt;

    RunSummary run = summary_of(options, first, ends_of(*guests), scenario_queue);
    Result<std::string> unexpected = judge_counts(options, run);
    if (!unexpected) return fail(unexpected.error(), kExitUsage);
    run.unexpected = std::move(*unexpected);
    std::vector<Error> unwritten = write_results(*guests, run, *out);
    if (auto page = write_page_if_wanted(run, out->path(), options.html); !page)
        unwritten.push_back(page.error());

    print_failures(options, run, *out);
    BenchTables tables;
    for (const auto& guest : *guests)
        for (const std::string& json : guest->measurements) tables.take(json);
    if (!tables.empty()) fmt::print("\n{}", tables.to_text());
    for (const auto& guest : *guests) fmt::print("{}", guest->recorder.last_words(guest->watch));
    fmt::print("\n{}{}{}results: {}\n", time_by_chapter(run), to_text(run),
               nobody_has_counted(options, run), out->path().string());
    for (const auto& [name, value] : run.properties)
        if (name == kStoodStill) fmt::print("stood still: {}\n", value);
    for (const Error& error : unwritten) fail(error);
    if (run.tests.empty())
        if (auto fit = check_program(options, *guests->front()); !fit) return fail(fit.error());
    // Ended by the failure, not by a person.
    if (options.fail_fast && run.ending == Ending::kInterrupted && has_failed(run))
        return kExitFailed;
    const int code = exit_code(run);
    if (!unwritten.empty()) return exit_code_of_unwritten(code);
    return code != 0 ? code : given_back;
}

}  // namespace

int run_command(const RunOptions& options) {
    // From the first folder on until the last result is written.
    const StopSignals signals;
    // What was fetched anew is as it was signed; it is not damaged a second time.
    for (int attempt = 0; attempt < 2; ++attempt)
        if (const auto code = run_once(options)) return *code;
    return kExitLost;
}

}  // namespace zcrxlab
