// zcrxlab run: boots VMs, runs scenarios in them, judges and reports.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/report/report.hpp"
#include "vm/action_files.hpp"
#include "vm/audience.hpp"
#include "vm/bench_table.hpp"
#include "vm/boot/deck.hpp"
#include "vm/boot/machine.hpp"
#include "vm/commands.hpp"
#include "vm/prepare.hpp"
#include "vm/programs.hpp"
#include "vm/results_folder.hpp"
#include "vm/taken_cards.hpp"
#include "vm/version.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
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

// The command that runs `test` alone again, with the same seed.
std::string rerun_command(const RunOptions& options, const std::string& test) {
    std::vector<std::string> words{options.self, "run"};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {name, value});
    };
    add("--kernel", options.vm.kernel);
    add("--nic", options.vm.nic);
    add("--peer", options.vm.peer);
    if (options.vm.accelerator != "auto") add("--accel", options.vm.accelerator);
    add("--vm-args", options.vm.vm_arguments);
    add("--kernel-args", options.vm.kernel_arguments);
    for (const std::string& rule : options.vm.faults) add("--fault", rule);
    add("--mutation", options.vm.mutation);
    add("--slowness", options.slowness);
    add("--seed", std::to_string(options.vm.seed));
    add("--actions", options.actions);
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
    job.modules = {"tls", "8021q"};  // chapters neighbours and steering
    job.dealt = true;
    job.beside_another = beside_another;
    job.environment = {{"ZCRXLAB_FILTER", options.controls && options.filter.empty()
                                              ? std::string("control_*")
                                              : options.filter}};
    if (!options.slowness.empty())
        job.environment.emplace_back("ZCRXLAB_SLOWNESS", options.slowness);
    if (options.whole_trace) job.environment.emplace_back("ZCRXLAB_WHOLE_TRACE", "1");
    if (!options.actions.empty()) {
        auto files = action_files(options.actions);
        if (!files) return files.error();
        job.files = std::move(*files);
        job.environment.emplace_back("ZCRXLAB_ACTIONS", kActionsInGuest);
    }
    if (options.profiles) job.environment.emplace_back("ZCRXLAB_PROFILES", "each");
    if (const char* soak = std::getenv("ZCRXLAB_SOAK_SECONDS"))
        job.environment.emplace_back("ZCRXLAB_SOAK_SECONDS", soak);
    return job;
}

// One VM of a run. It stays where it is: others point into it.
struct Guest {
    Guest(const RunOptions& options, ResultsFolder& folder, PreparedVm prepared, Deck& deck,
          size_t number)
        : out(folder),
          vm(std::move(prepared)),
          watch(bounds_for(options), steady_clock::now()),
          audience(out, options.vm.verbose,
                   [this, &deck, number, verbose = options.vm.verbose,
                    fail_fast = options.fail_fast](const Record& record) {
                       show(record, watch, verbose);
                       if (record.type == RecordType::kPlan && watch.plan())
                           deck.join(number, *watch.plan());
                       if (fail_fast && record.type == RecordType::kTestEnded &&
                           watch.last_ended() != nullptr &&
                           watch.last_ended()->status == TestStatus::kFailed)
                           ::kill(::getpid(), SIGINT);  // as a person would end it
                       if (record.type == RecordType::kBench) measurements.push_back(record.json);
                   }),
          ears(audience.ears()) {
        ears.turn = [&deck, number] { return deck.next(number); };
        ears.ending = [&deck, number] { deck.leave(number); };
    }

    ResultsFolder& out;
    PreparedVm vm;
    Watch watch;
    std::vector<std::string> measurements;
    Audience audience;
    MachineEars ears;
};

// Whether a scenario has failed in one of the VMs.
bool has_failed(const RunSummary& run) {
    return std::ranges::any_of(
        run.tests, [](const TestResult& test) { return test.status == TestStatus::kFailed; });
}

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

Result<std::unique_ptr<Guest>> prepare_guest(const RunOptions& options, ResultsFolder& out,
                                             Deck& deck, unsigned number,
                                             const Progress& progress) {
    const Result<GuestJob> job = scenarios_job(options, number > 0);
    if (!job) return job.error();
    Result<PreparedVm> vm = prepare_vm(options.vm, *job, out, progress);
    if (!vm) return vm.error();
    if (auto written = out.write("qemu-command.txt", command_by_hand(*vm)); !written)
        return written.error();
    return std::make_unique<Guest>(options, out, std::move(*vm), deck, number);
}

// In the order of the plan, with those that no VM has got.
std::vector<TestResult> in_order(std::vector<TestResult> results, const Deck& deck) {
    for (const std::string& name : deck.left())
        results.push_back(
            {name, TestStatus::kLost, 0, "It had not started when the run ended.", {}, {}});
    std::map<std::string, size_t> places;
    for (const std::string& name : deck.all()) places.emplace(name, places.size());
    std::ranges::stable_sort(results, {}, [&places](const TestResult& result) {
        const auto place = places.find(result.name);
        return place != places.end() ? place->second : SIZE_MAX;
    });
    return results;
}

double in_seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The run as a whole: it ended as badly as the VM that ended worst.
RunSummary summary_of(const RunOptions& options, const std::vector<std::unique_ptr<Guest>>& guests,
                      const Deck& deck) {
    constexpr std::array kWorstLast{Ending::kFinished, Ending::kTimeout, Ending::kLost,
                                    Ending::kPanicked, Ending::kInterrupted};
    const auto badness = [&](Ending ending) { return std::ranges::find(kWorstLast, ending); };
    RunSummary run;
    std::vector<TestResult> results;
    double slowest = 0;
    for (const auto& guest : guests) {
        RunSummary part = guest->watch.summary(steady_clock::now());
        std::ranges::move(part.tests, std::back_inserter(results));
        part.console = guest->audience.console_tail();
        if (const auto first = guest->watch.until_first_test())
            slowest = std::max(slowest, static_cast<double>(first->count()) / 1000);
        if (guest == guests.front() || badness(part.ending) > badness(run.ending)) {
            part.seconds = std::max(part.seconds, run.seconds);
            run = std::move(part);
        }
    }
    run.tests = in_order(std::move(results), deck);
    const PreparedVm& vm = guests.front()->vm;
    if (run.kernel.empty()) run.kernel = vm.kernel.release;
    run.nic = options.vm.nic;
    run.seed = options.vm.seed;
    run.properties = {{"zcrxlab", kVersion},
                      {"qemu", vm.settings.qemu.version},
                      {"accelerator", vm.settings.accelerator == Accelerator::kKvm ? "kvm" : "tcg"},
                      {"vms", std::to_string(guests.size())}};
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
                                     cleaned(guest.audience.console_tail()))};
}

// The command that shows the trace of `test`; empty if none has come out of the guest.
std::string story_command(const RunOptions& options, const ResultsFolder& out,
                          const TestResult& test) {
    if (test.status != TestStatus::kFailed) return "";
    return quoted_for_shell({options.self, "trace", out.path().string(), "--test", test.name,
                             "--html", test.name.substr(0, test.name.find('/')) + ".html"});
}

void print_failures(const RunOptions& options, const RunSummary& run, const ResultsFolder& out) {
    // Of a guest that was lost, it is shown once, below.
    const std::string console = run.ending == Ending::kFinished ? run.console : "";
    for (const TestResult& test : run.tests) {
        if (test.status != TestStatus::kFailed && test.status != TestStatus::kLost) continue;
        // Of the tests that a lost guest took along, the one that was running tells most.
        const bool bystander = test.status == TestStatus::kLost && test.seconds == 0 &&
                               test.message.compare(0, 18, "It had not started") == 0;
        if (bystander) continue;
        fmt::print("\n{}", to_text(test, console, rerun_command(options, test.name),
                                   story_command(options, out, test)));
    }
}

}  // namespace

int run_command(const RunOptions& options) {
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

    // What the first VM needs is there for the others.
    const Progress silent = [](const std::string&) {};
    const unsigned count = vm_count(options);
    Deck deck(count);
    std::deque<ResultsFolder> folders;
    std::vector<std::unique_ptr<Guest>> guests;
    for (unsigned number = 0; number < count; ++number) {
        if (count > 1) {
            Result<ResultsFolder> folder = out->of_vm(number + 1);
            if (!folder) return fail(folder.error());
            folders.push_back(std::move(*folder));
        }
        ResultsFolder& own = count > 1 ? folders.back() : *out;
        Result<std::unique_ptr<Guest>> guest =
            prepare_guest(options, own, deck, number, number == 0 ? progress : silent);
        if (!guest) return fail(guest.error());
        guests.push_back(std::move(*guest));
    }
    const PreparedVm& first = guests.front()->vm;
    if (first.settings.cpus > guests.back()->vm.settings.cpus) deck.keep_first_for_parallel();
    for (const std::string& note : first.notes) progress(note);
    if (options.vm.print_command) {
        if (cards)
            for (const std::string& command : cards->commands()) fmt::print("{}\n", command);
        fmt::print("{}", command_by_hand(first));
        return 0;
    }
    fmt::print("kernel {} ({}), QEMU {} ({}, {}), NIC {}, seed {}\n{}\n", first.kernel.release,
               first.kernel.origin, first.settings.qemu.version, first.settings.qemu.origin,
               first.settings.accelerator == Accelerator::kKvm ? "KVM" : "emulated", options.vm.nic,
               options.vm.seed, quoted_for_shell(first.machine.qemu));
    if (count > 1) fmt::print("and {} more such VMs beside it\n", count - 1);
    std::fflush(stdout);

    if (cards)
        if (auto taken = cards->take(); !taken)
            return fail(taken.error(), taken.error().code == EINTR ? kExitInterrupted : kExitUsage);
    std::vector<MachineRun> runs;
    for (const auto& guest : guests)
        runs.push_back({&guest->vm.machine, &guest->watch, &guest->ears});
    if (auto ran = run_machines(runs); !ran)
        return fail(ran.error(), ran.error().code == EINVAL ? kExitUsage : 255);
    const int given_back = cards ? cards->give_back() : 0;

    const RunSummary run = summary_of(options, guests, deck);
    for (const auto& guest : guests)
        if (auto written = guest->out.finish_logs(); !written) return fail(written.error());
    if (auto written = out->write_reports(run); !written) return fail(written.error());

    print_failures(options, run, *out);
    BenchTables tables;
    for (const auto& guest : guests)
        for (const std::string& json : guest->measurements) tables.take(json);
    if (!tables.empty()) fmt::print("\n{}", tables.to_text());
    for (const auto& guest : guests) fmt::print("{}", guest->audience.last_words(guest->watch));
    fmt::print("\n{}{}results: {}\n", time_by_chapter(run), to_text(run), out->path().string());
    if (run.tests.empty())
        if (auto fit = check_program(options, *guests.front()); !fit) return fail(fit.error());
    // Ended by the failure, not by a person.
    if (options.fail_fast && run.ending == Ending::kInterrupted && has_failed(run)) return 1;
    const int code = exit_code(run);
    return code != 0 ? code : given_back;
}

}  // namespace zcrxlab
