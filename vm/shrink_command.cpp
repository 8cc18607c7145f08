// zcrxlab shrink: the smallest list that still fails in the same way, and how often it does.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "vm/boot/stop_signals.hpp"
#include "vm/commands.hpp"
#include "vm/fuzz/smaller.hpp"
#include "vm/list_runs.hpp"
#include "vm/repro/failure.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

using std::chrono::steady_clock;

// What a wait may take while much is tried; one that holds takes a few milliseconds.
constexpr uint64_t kHurry = 3000;
// Below this part of the rate so far, a smaller list is no progress.
constexpr double kWorthKeeping = 0.7;
// Of what failed in a step, so many are looked at more closely.
constexpr size_t kMostChoices = 4;

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
        good_runs_ = runs_;
        good_runs_.vm.kernel = options.good;
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
        fmt::print("{:.0f} s: {} actions, fails in {:.0f} % of runs: {}\n", seconds(),
                   best_.list.actions.size(), rate_ * 100, best_.fingerprint);
        if (auto sound = check_good(); !sound) return sound.error();
        // What fails each time need not be asked again and again.
        tries_ = rate_ >= 1 ? 1 : std::min(options_.repeats, static_cast<unsigned>(3 / rate_) + 1);
        const ActionList patient = best_.list;
        if (auto hurry = take_best_of({hurried(patient, kHurry)}, "with shorter waits"); !hurry)
            return hurry.error();
        hurried_ = best_.list != patient;
        for (size_t length = std::max<size_t>(best_.list.actions.size() / 2, 1); length > 0;
             length /= 2) {
            if (auto done = repeat(length); !done) return done.error();
        }
        if (auto done = repeat(0); !done) return done.error();
        if (auto done = repeat(1); !done) return done.error();
        return finish();
    }

  private:
    double seconds() const {
        return std::chrono::duration<double>(steady_clock::now() - start_).count();
    }
    bool time_is_up() const { return seconds() >= options_.seconds; }

    // As it is for others: with the waits that the list had, if it fails so too.
    Result<int> finish() {
        const ActionList hasty = best_.list;
        if (hurried_)
            for (Action& action : best_.list.actions)
                if (find_parameter(action.form(), "within") != nullptr &&
                    action.number("within") == kHurry)
                    action.remove("within");
        Result<double> last = rate_of(best_.list, "last");
        if (!last) return last.error();
        if (best_.list != hasty && *last < kWorthKeeping * rate_) {
            best_.list = hasty;
            last = rate_of(best_.list, "last");
            if (!last) return last.error();
        }
        best_.bad = {kernel_of_batch(runs_, "last-1")};
        if (best_.kernel.empty()) best_.kernel = best_.bad.front();
        if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
            return written.error();
        fmt::print(
            "\n{}\n{}It fails in {:.0f} % of {} runs, after {:.0f} s and {} lists. It is in "
            "{}\n",
            to_text(best_.list),
            time_is_up() ? "The time was up before nothing more could be taken away. " : "",
            *last * 100, options_.repeats, seconds(), lists_run_,
            (options_.vm.out / "smallest").string());
        return 0;
    }

    // In how many of the runs the list fails in the same way; learns the fingerprint if need be.
    Result<double> rate_of(const ActionList& list, const std::string& name) {
        const auto outcomes =
            run_lists(runs_, name, std::vector<ActionList>(options_.repeats, list));
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < options_.repeats) return interruption();
        lists_run_ += outcomes->size();
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

    // Of these, what is no promise broken but one that nobody makes: it fails so on a kernel
    // without the bug, too.
    Result<std::vector<bool>> fail_on_good(const std::vector<ActionList>& lists,
                                           const std::string& name) {
        std::vector<bool> fail(lists.size());
        if (options_.good.empty() || lists.empty()) return fail;
        const auto outcomes = run_lists(good_runs_, name, lists);
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < lists.size()) return interruption();
        lists_run_ += lists.size();
        for (size_t i = 0; i < lists.size(); ++i)
            fail[i] = (*outcomes)[i].fingerprint == best_.fingerprint;
        return fail;
    }

    Result<void> check_good() {
        const auto fails = fail_on_good({best_.list}, "good");
        if (!fails) return fails.error();
        if (fails->front())
            return Error{EINVAL, "The list fails in the same way on " + options_.good +
                                     ", so that this kernel cannot be the --good one."};
        if (!options_.good.empty()) best_.good = {kernel_of_batch(good_runs_, "good-1")};
        return {};
    }

    // Takes parts of `length` actions away (0: simplifies arguments) for as long as that helps.
    Result<void> repeat(size_t length) {
        const std::string what =
            length == 0 ? "with simpler arguments" : fmt::format("without {} actions", length);
        while (!time_is_up()) {
            std::vector<ActionList> candidates =
                length == 0 ? simpler_arguments(best_.list) : without_parts(best_.list, length);
            if (hurried_)
                for (ActionList& candidate : candidates) candidate = hurried(candidate, kHurry);
            std::erase_if(candidates, [this](const ActionList& list) {
                return weight_of(list) >= weight_of(best_.list);
            });
            std::ranges::sort(candidates, {}, weight_of);
            if (candidates.size() > options_.candidates) candidates.resize(options_.candidates);
            if (candidates.empty()) return {};
            const Result<bool> better = take_best_of(candidates, what);
            if (!better) return better.error();
            if (!*better) return {};
        }
        return {};
    }

    struct Tried {
        ActionList list;
        double rate = 0;
    };

    // Those that fail so, and often enough.
    Result<std::vector<Tried>> try_all(const std::vector<ActionList>& candidates) {
        std::vector<ActionList> lists;
        for (const ActionList& candidate : candidates) lists.insert(lists.end(), tries_, candidate);
        const auto outcomes = run_lists(runs_, fmt::format("try{}", ++step_), lists);
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < lists.size()) return interruption();
        lists_run_ += lists.size();
        std::vector<Tried> failing;
        for (size_t i = 0; i < candidates.size(); ++i) {
            size_t failed = 0;
            for (size_t at = i * tries_; at < (i + 1) * tries_; ++at)
                failed += (*outcomes)[at].fingerprint == best_.fingerprint ? 1 : 0;
            const double rate = static_cast<double>(failed) / tries_;
            if (failed > 0 && rate >= kWorthKeeping * rate_)
                failing.push_back({candidates[i], rate});
        }
        std::vector<ActionList> doubtful;
        for (const Tried& tried : failing) doubtful.push_back(tried.list);
        const auto senseless = fail_on_good(doubtful, fmt::format("good{}", step_));
        if (!senseless) return senseless.error();
        size_t at = 0;
        std::erase_if(failing, [&](const Tried&) { return (*senseless)[at++]; });
        return failing;
    }

    // Whether one of them was better: all that helps at once if that fails too, else what fails
    // most often, and of several the smallest (they come in that order).
    Result<bool> take_best_of(const std::vector<ActionList>& candidates, const std::string& what) {
        const auto failing = try_all(candidates);
        if (!failing) return failing.error();
        fmt::print("{:.0f} s: step {}: {} of {} lists {} fail so\n", seconds(), step_,
                   failing->size(), candidates.size(), what);
        std::fflush(stdout);
        if (failing->empty()) return false;
        std::vector<Tried> choices = *failing;
        std::ranges::stable_sort(choices, std::greater(), &Tried::rate);
        const Tried best = choices.front();
        if (failing->size() > 1) {
            std::vector<ActionList> all;
            for (const Tried& tried : *failing) all.push_back(tried.list);
            const ActionList together = merged(best_.list, all);
            if (weight_of(together) < weight_of(best.list)) {
                const auto again = try_all({together});
                if (!again) return again.error();
                if (!again->empty() && (best.rate >= 1 || again->front().rate >= best.rate))
                    choices.insert(choices.begin(), again->front());
            }
        }
        const auto sure = first_sure_of(choices);
        if (!sure) return sure.error();
        if (!*sure) {
            fmt::print("{:.0f} s: none of them does so often enough\n", seconds());
            return false;
        }
        best_.list = (*sure)->list;
        // A smaller list that fails more often sets what the next ones have to come up to.
        rate_ = std::max(rate_, (*sure)->rate);
        // Whoever interrupts it has this much.
        if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
            return written.error();
        fmt::print("{:.0f} s: now {} actions, fails in {:.0f} % of {} runs\n", seconds(),
                   best_.list.actions.size(), (*sure)->rate * 100,
                   std::max(tries_, options_.repeats));
        std::fflush(stdout);
        return true;
    }

    // The first of these that fails often enough, also when it is run as often as the list was at
    // first: what failed once may have done so by chance.
    Result<std::optional<Tried>> first_sure_of(const std::vector<Tried>& choices) {
        for (const Tried& choice :
             std::span(choices).first(std::min(choices.size(), kMostChoices))) {
            if (tries_ >= options_.repeats) return std::optional<Tried>(choice);
            const Result<double> rate = rate_of(choice.list, fmt::format("sure{}", step_));
            if (!rate) return rate.error();
            if (*rate >= kWorthKeeping * rate_)
                return std::optional<Tried>(Tried{choice.list, *rate});
        }
        return std::optional<Tried>();
    }

    static Error interruption() { return {EINTR, "It was interrupted."}; }

    const ShrinkOptions& options_;
    const steady_clock::time_point start_ = steady_clock::now();
    StopSignals signals_;
    bool interrupted_ = false;
    Failure best_;
    ListRuns runs_, good_runs_;
    double rate_ = 1;
    unsigned tries_ = 1;
    unsigned step_ = 0;
    size_t lists_run_ = 0;
    bool hurried_ = false;  // waits got shorter bounds
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
