// zcrxlab shrink: the smallest list that still fails in the same way, and how often it does.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "vm/boot/stop_signals.hpp"
#include "vm/commands.hpp"
#include "vm/fuzz/smaller.hpp"
#include "vm/list_runs.hpp"
#include "vm/repro/failure.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

class Shrinker {
  public:
    Shrinker(const ShrinkOptions& options, Failure failure)
        : options_(options), best_(std::move(failure)) {
        runs_.self = options.self;
        runs_.vm = options.vm;
        if (runs_.vm.kernel.empty()) runs_.vm.kernel = best_.kernel;
        if (runs_.vm.nic.empty()) runs_.vm.nic = best_.nic.empty() ? "nodev" : best_.nic;
        best_.nic = runs_.vm.nic;
        runs_.batch = options.batch;
        runs_.stop = [this] { return interrupted_ = interrupted_ || signals_.take(); };
    }

    // 0: a list that fails was written; 1: nothing failed.
    Result<int> run() {
        const Result<double> first = rate_of(best_.list, "first");
        if (!first) return first.error();
        if (*first == 0) {
            fmt::print("It did not fail in {} runs.\n", options_.repeats);
            return 1;
        }
        rate_ = *first;
        fmt::print("{} actions, fails in {:.0f} % of runs: {}\n", best_.list.actions.size(),
                   rate_ * 100, best_.fingerprint);
        // What fails each time need not be asked again and again.
        tries_ = rate_ >= 1 ? 1 : std::min(options_.repeats, static_cast<unsigned>(3 / rate_) + 1);
        for (size_t length = std::max<size_t>(best_.list.actions.size() / 2, 1); length > 0;
             length /= 2) {
            if (auto done = repeat(length); !done) return done.error();
        }
        if (auto done = repeat(0); !done) return done.error();
        if (auto done = repeat(1); !done) return done.error();
        const Result<double> last = rate_of(best_.list, "last");
        if (!last) return last.error();
        best_.bad = {kernel_of_batch(runs_, "last-1")};
        if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
            return written.error();
        fmt::print("\n{}\nIt fails in {:.0f} % of {} runs. It is in {}\n", to_text(best_.list),
                   *last * 100, options_.repeats, (options_.vm.out / "smallest").string());
        return 0;
    }

  private:
    // In how many of the runs the list fails in the same way; learns the fingerprint if need be.
    Result<double> rate_of(const ActionList& list, const std::string& name) {
        const auto outcomes =
            run_lists(runs_, name, std::vector<ActionList>(options_.repeats, list));
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < options_.repeats) return interruption();
        size_t failed = 0;
        for (const ListOutcome& outcome : *outcomes) {
            if (best_.fingerprint.empty()) best_.fingerprint = outcome.fingerprint;
            if (outcome.fingerprint.empty() || outcome.fingerprint != best_.fingerprint) continue;
            ++failed;
            best_.message = outcome.message;
            best_.splat = outcome.splat;
        }
        return static_cast<double>(failed) / static_cast<double>(outcomes->size());
    }

    // Takes parts of `length` actions away (0: simplifies arguments) for as long as that helps.
    Result<void> repeat(size_t length) {
        for (;;) {
            std::vector<ActionList> candidates =
                length == 0 ? simpler_arguments(best_.list) : without_parts(best_.list, length);
            std::erase_if(candidates, [this](const ActionList& list) {
                return weight_of(list) >= weight_of(best_.list);
            });
            std::ranges::sort(candidates, {}, weight_of);
            if (candidates.size() > options_.candidates) candidates.resize(options_.candidates);
            if (candidates.empty()) return {};
            const Result<bool> better = take_best_of(candidates);
            if (!better) return better.error();
            if (!*better) return {};
        }
    }

    Result<bool> take_best_of(const std::vector<ActionList>& candidates) {
        std::vector<ActionList> lists;
        for (const ActionList& candidate : candidates) lists.insert(lists.end(), tries_, candidate);
        const auto outcomes = run_lists(runs_, fmt::format("try{}", ++step_), lists);
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < lists.size()) return interruption();
        for (size_t i = 0; i < candidates.size(); ++i) {
            size_t failed = 0;
            for (size_t at = i * tries_; at < (i + 1) * tries_; ++at)
                failed += (*outcomes)[at].fingerprint == best_.fingerprint ? 1 : 0;
            // Lists that fail more rarely than half as often are no progress.
            if (failed == 0 || static_cast<double>(failed) / tries_ < rate_ / 2) continue;
            best_.list = candidates[i];
            // Whoever interrupts it has this much.
            if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
                return written.error();
            fmt::print("step {}: {} of {} candidates tried, now {} actions\n", step_, i + 1,
                       candidates.size(), best_.list.actions.size());
            std::fflush(stdout);
            return true;
        }
        fmt::print("step {}: none of {} candidates fails so\n", step_, candidates.size());
        std::fflush(stdout);
        return false;
    }

    static Error interruption() { return {EINTR, "It was interrupted."}; }

    const ShrinkOptions& options_;
    StopSignals signals_;
    bool interrupted_ = false;
    Failure best_;
    ListRuns runs_;
    double rate_ = 1;
    unsigned tries_ = 1;
    unsigned step_ = 0;
};

}  // namespace

int shrink_command(ShrinkOptions options) {
    Result<Failure> failure = read_failure(options.what);
    if (!failure) return fail(failure.error());
    if (options.vm.out.empty()) options.vm.out = "zcrxlab-shrink";
    options.vm.out = fs::absolute(options.vm.out);
    std::error_code error;
    fs::create_directories(options.vm.out, error);
    const Result<int> code = Shrinker(options, *std::move(failure)).run();
    return code ? *code : fail(code.error());
}

}  // namespace zcrxlab
