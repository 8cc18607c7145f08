// zcrxlab fuzz: random lists, VM after VM, and the failures by what they showed.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "vm/boot/stop_signals.hpp"
#include "vm/commands.hpp"
#include "vm/fuzz/fingerprint.hpp"
#include "vm/fuzz/model.hpp"
#include "vm/list_runs.hpp"
#include "vm/repro/failure.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

using std::chrono::steady_clock;

struct Found {
    size_t times = 0;
    double first_after = 0;  // seconds
    uint64_t first_list = 0;
    fs::path folder;
};

class Fuzzer {
  public:
    explicit Fuzzer(const FuzzOptions& options) : options_(options) {
        runs_.self = options.self;
        runs_.vm = options.vm;
        runs_.batch = options.batch;
        runs_.stop = [this] { return stopped(); };
        model_.seed = options.vm.seed;
        model_.device = options.vm.nic != "nodev";
        model_.huge = !model_.device;
    }

    int run() {
        std::error_code error;
        fs::create_directories(options_.vm.out, error);
        if (error) return fail({error.value(), "Cannot make " + options_.vm.out.string() + "."});
        std::vector<std::thread> jobs;
        for (unsigned job = 0; job < options_.jobs; ++job)
            jobs.emplace_back([this, job] { work(job + 1); });
        for (std::thread& job : jobs) job.join();
        if (error_) return fail(*error_);
        summarize();
        if (interrupted_) return kExitInterrupted;
        return found_.empty() ? 0 : 1;
    }

  private:
    double seconds() const {
        return std::chrono::duration<double>(steady_clock::now() - start_).count();
    }

    // The time is up, or somebody pressed Ctrl-C.
    bool stopped() {
        if (signals_.take()) interrupted_ = true;
        return interrupted_ || seconds() >= options_.seconds;
    }

    // The numbers of the next lists; empty when the time is up.
    std::vector<uint64_t> take_numbers() {
        const std::lock_guard lock(mutex_);
        std::vector<uint64_t> numbers;
        if (error_ || stopped()) return numbers;
        for (unsigned i = 0; i < options_.batch && next_ < options_.lists; ++i)
            numbers.push_back(next_++);
        return numbers;
    }

    void work(unsigned job) {
        for (;;) {
            const std::vector<uint64_t> numbers = take_numbers();
            if (numbers.empty()) return;
            std::vector<ActionList> lists;
            for (const uint64_t number : numbers) lists.push_back(random_list(model_, number));
            const std::string name = fmt::format("vm{}", job);
            const auto outcomes = run_lists(runs_, name, lists);
            const std::lock_guard lock(mutex_);
            if (!outcomes) {
                if (!error_) error_ = outcomes.error();
                return;
            }
            const std::string kernel = kernel_of_batch(runs_, name + "-1");
            for (size_t i = 0; i < outcomes->size(); ++i)
                take(numbers[i], lists[i], (*outcomes)[i], kernel);
            progress();
        }
    }

    void take(uint64_t number, const ActionList& list, const ListOutcome& outcome,
              const std::string& kernel) {
        ++done_;
        skipped_ += outcome.status == TestStatus::kSkipped ? 1 : 0;
        if (outcome.fingerprint.empty()) return;
        Found& found = found_[outcome.fingerprint];
        if (found.times++ > 0) return;
        found.first_after = seconds();
        found.first_list = number;
        found.folder = options_.vm.out / "failures" / folder_name(outcome.fingerprint);
        Failure failure;
        failure.list = list;
        failure.kernel = options_.vm.kernel.empty() ? kernel : options_.vm.kernel;
        failure.nic = options_.vm.nic;
        failure.fingerprint = outcome.fingerprint;
        failure.message = outcome.message;
        failure.splat = outcome.splat;
        if (!kernel.empty()) failure.bad = {kernel};
        if (auto written = write_failure(failure, found.folder); !written) error_ = written.error();
        fmt::print("\nlist {}: {}\n  {}\n", number, outcome.fingerprint, found.folder.string());
    }

    void progress() const {
        const double passed = std::max(seconds(), 0.001);
        size_t failures = 0;
        for (const auto& [print, found] : found_) failures += found.times;
        fmt::print("{:.0f} s: {} lists, {:.1f} a second, {} skipped, {} failed, {} fingerprints\n",
                   passed, done_, static_cast<double>(done_) / passed, skipped_, failures,
                   found_.size());
        std::fflush(stdout);
    }

    void summarize() const {
        fmt::print("\nseed {}: {} lists in {:.0f} s\n", options_.vm.seed, done_, seconds());
        for (const auto& [print, found] : found_)
            fmt::print("{:>5} times, first after {:.0f} s (list {}): {}\n       {}\n", found.times,
                       found.first_after, found.first_list, print, found.folder.string());
        if (found_.empty()) fmt::print("no list failed\n");
        if (skipped_ == done_ && done_ > 0)
            fmt::print("all were skipped: what this kernel and NIC lack, vm1-1/run.log says\n");
    }

    const FuzzOptions& options_;
    ListRuns runs_;
    ModelOptions model_;
    StopSignals signals_;  // before any thread is started
    std::atomic<bool> interrupted_ = false;
    const steady_clock::time_point start_ = steady_clock::now();
    std::mutex mutex_;  // of what follows
    uint64_t next_ = 0;
    size_t done_ = 0, skipped_ = 0;
    std::map<std::string, Found> found_;
    std::optional<Error> error_;
};

}  // namespace

int fuzz_command(FuzzOptions options) {
    if (options.vm.out.empty()) options.vm.out = "zcrxlab-fuzz";
    options.vm.out = fs::absolute(options.vm.out);
    if (options.print) {
        ModelOptions model;
        model.seed = options.vm.seed;
        model.device = options.vm.nic != "nodev";
        model.huge = !model.device;
        for (uint64_t number = 0; number < options.lists; ++number)
            fmt::print("{}\n", to_text(random_list(model, number)));
        return 0;
    }
    return Fuzzer(options).run();
}

}  // namespace zcrxlab
